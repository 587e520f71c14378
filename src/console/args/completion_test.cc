// The completion scripts, run by the shells they are for.

#include "console/args/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using testing::RunProgram;
using testing::TempFile;

// The lines that `command` prints, sorted, and its exit code last if it is not 0.
std::vector<std::string> Lines(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the text is ours
  std::string output;
  std::array<char, 4096> part{};
  while (const size_t got = fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), got);
  const int code = pclose(pipe);
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  if (code != 0) lines.push_back("exit " + std::to_string(code));
  return lines;
}

bool Has(const std::string& shell) {
  return Lines("command -v " + shell + " >/dev/null").empty();
}

struct CompletionRow {
  std::string name;
  std::string words;  // as the shell splits them; the last is completed
  std::vector<std::string> answers;
};

class BashCompletion : public ::testing::TestWithParam<CompletionRow> {};

TEST_P(BashCompletion, Offers) {
  const TempFile script(RunProgram({"completion", "bash"}).out, "completion.bash");
  const std::string body = "source " + script.path() + "; COMP_WORDS=(" + GetParam().words +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _outrigger; "
                           "printf \"%s\\n\" \"${COMPREPLY[@]}\"";
  EXPECT_EQ(Lines("bash --norc --noprofile -uc '" + body + "' 2>&1"), GetParam().answers);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BashCompletion,
    ::testing::Values(
        CompletionRow{"Commands", "outrigger s", {"schedule", "scheduler-config", "serve"}},
        CompletionRow{"HiddenCommands", "outrigger do", {"doctor"}},
        CompletionRow{"FlagsOfDevices", "outrigger devices --filen", {"--filename"}},
        CompletionRow{"GlobalFlags", "outrigger --v", {"--version"}},
        CompletionRow{"Flags", "outrigger serve --safe.m", {"--safe.max-risk"}},
        CompletionRow{"FlagsAfterFlags", "outrigger serve --port 1 --admin-p", {"--admin-port"}},
        CompletionRow{"FlagsOfOthersAreNotOffered", "outrigger agents --p", {}},
        CompletionRow{"Choice", "outrigger serve --log-level de", {"debug"}},
        CompletionRow{"ChoiceAfterEquals", "outrigger serve --log-level = de", {"debug"}},
        CompletionRow{"AllAfterEquals", "outrigger serve --log-format =", {"json", "text"}},
        CompletionRow{"ChoiceOfAnAgent", "outrigger serve --safe.objective b", {"balance"}},
        CompletionRow{"Agents", "outrigger serve --agents \"\"", {"congestion", "gang", "safe"}},
        CompletionRow{"AgentsInAList", "outrigger serve --agents safe,c", {"safe,congestion"}},
        CompletionRow{"NothingForANumber", "outrigger serve --port \"\"", {}},
        CompletionRow{"Positional", "outrigger agents sa", {"safe"}},
        CompletionRow{"CommandsOfACommand",
                      "outrigger explain \"\"",
                      {"--help", "claim", "gang", "penalty", "pod", "queue"}},
        CompletionRow{"CommandsOfPenalty", "outrigger penalty r", {"restore"}},
        CompletionRow{"FlagsOfPenalty", "outrigger penalty restore --a", {"--all"}},
        CompletionRow{"FlagsOfANestedCommand", "outrigger explain pod web --clu", {"--cluster"}},
        CompletionRow{"ChoiceOfANestedCommand", "outrigger explain pod --output w", {"wide"}},
        CompletionRow{"FlagsOfAnotherNestedCommand",
                      "outrigger explain gang train --sch",
                      {"--scheduler-names"}},
        CompletionRow{"SettingsOfANestedCommand",
                      "outrigger explain pod web --safe.objective b",
                      {"balance"}},
        CompletionRow{"NotACommandOfAnother", "outrigger serve explain p", {}},
        CompletionRow{"FilesOfAnArgument", "outrigger doctor /et", {"/etc"}},
        CompletionRow{"FlagsBesideAnArgument", "outrigger doctor --str", {"--strict"}},
        CompletionRow{"ChoiceBesideAnArgument", "outrigger doctor x --output y", {"yaml"}},
        CompletionRow{"Shells", "outrigger completion z", {"zsh"}},
        CompletionRow{"Files", "outrigger serve --config /et", {"/etc"}}),
    [](const auto& row) { return row.param.name; });

TEST(BashCompletionScript, IsCleanAndRegistersItself) {
  const TempFile script(RunProgram({"completion", "bash"}).out, "completion.bash");
  EXPECT_THAT(Lines("bash -n " + script.path() + " 2>&1"), ::testing::IsEmpty());
  EXPECT_THAT(Lines("bash --norc -c 'source " + script.path() + "; complete -p outrigger'"),
              ::testing::ElementsAre("complete -F _outrigger outrigger"));
}

class ZshCompletion : public ::testing::TestWithParam<CompletionRow> {};

// compadd and compset work only inside zsh's line editor; these do the same on an array.
constexpr const char* kZshStandIns = R"zsh(
compdef() { :; }
compset() { local cut="${PREFIX##${~2}}"; [[ $2 == "*," && $PREFIX == *,* ]] && cut=${PREFIX##*,};
  [[ $2 == "*=" && $PREFIX == *=* ]] && cut=${PREFIX#*=}; [[ $2 == "*,"  && $PREFIX != *,* ]] && cut=$PREFIX;
  PREFIX=$cut; }
compadd() { while [[ $1 != -- ]]; do shift; done; shift
  local word; for word in "$@"; do [[ $word == $PREFIX* ]] && print -r -- $word; done; }
_files() { print -r -- files; }
)zsh";

TEST_P(ZshCompletion, Offers) {
  ASSERT_TRUE(Has("zsh")) << "zsh is missing: scripts/setup --build installs it";
  const TempFile script(kZshStandIns + RunProgram({"completion", "zsh"}).out + "\nwords=(" +
                            GetParam().words +
                            "); CURRENT=${#words}; PREFIX=${words[CURRENT]}; _outrigger\n",
                        "completion.zsh");
  std::vector<std::string> lines = Lines("zsh -f " + script.path() + " 2>&1");
  if (!lines.empty() && lines.back() == "exit 256") lines.pop_back();  // no match
  EXPECT_EQ(lines, GetParam().answers);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ZshCompletion,
    ::testing::Values(
        CompletionRow{"Commands", "outrigger s", {"schedule", "scheduler-config", "serve"}},
        CompletionRow{"Flags", "outrigger serve --safe.m", {"--safe.max-risk"}},
        CompletionRow{"Choice", "outrigger serve --log-level de", {"debug"}},
        CompletionRow{"ChoiceAfterEquals", "outrigger serve --log-level=de", {"debug"}},
        CompletionRow{"AgentsInAList", "outrigger serve --agents safe,c", {"congestion"}},
        CompletionRow{"NothingForANumber", "outrigger serve --port \"\"", {}},
        CompletionRow{"Positional", "outrigger agents sa", {"safe"}},
        CompletionRow{"NestedCommand", "outrigger explain po", {"pod"}},
        CompletionRow{"ChoiceOfANestedCommand", "outrigger explain pod x --output w", {"wide"}},
        CompletionRow{"FilesOfAnArgument", "outrigger doctor \"\"", {"files"}},
        CompletionRow{"FlagsBesideAnArgument", "outrigger doctor --str", {"--strict"}},
        CompletionRow{"Files", "outrigger serve --config \"\"", {"files"}}),
    [](const auto& row) { return row.param.name; });

TEST(ZshCompletionScript, IsClean) {
  ASSERT_TRUE(Has("zsh")) << "zsh is missing: scripts/setup --build installs it";
  const TempFile script(RunProgram({"completion", "zsh"}).out, "_outrigger");
  EXPECT_THAT(Lines("zsh -n " + script.path() + " 2>&1"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace outrigger::cli
