#include "console/args/completion.h"

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Both scripts find `command` and `flag`, then run the same two case statements, which call helpers
// that each shell defines in its own way.

constexpr const char* kBashHead =
    R"(# bash completion for outrigger; load it with: source <(outrigger completion bash)

_outrigger_words() { COMPREPLY=($(compgen -W "$*" -- "$cur")); }
_outrigger_list() {
  local before=""
  [[ $cur == *,* ]] && before=${cur%,*},
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$*" -- "${cur##*,}"))
}
_outrigger_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
_outrigger_nothing() { :; }
)";

constexpr const char* kBashStart = R"(
_outrigger() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command="" next i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] && continue
    next="${command:+$command }${COMP_WORDS[i]}"
    _outrigger_is_command "$next" || break
    command=$next
  done
  # "--flag=value" comes as three words.
  if [[ $cur == = ]]; then
    cur=""
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

constexpr const char* kBashTail = R"(}

complete -F _outrigger outrigger
)";

constexpr const char* kZshHead = R"(#compdef outrigger
# zsh completion for outrigger; load it with: source <(outrigger completion zsh)

_outrigger_words() { compadd -- "$@"; }
_outrigger_list() { compset -P '*,'; compadd -S '' -- "$@"; }
_outrigger_files() { _files; }
_outrigger_nothing() { :; }
)";

constexpr const char* kZshStart = R"(
_outrigger() {
  local cur=${words[CURRENT]} flag=${words[CURRENT-1]} command="" next i
  for ((i = 2; i < CURRENT; i++)); do
    [[ ${words[i]} == -* ]] && continue
    next="${command:+$command }${words[i]}"
    _outrigger_is_command "$next" || break
    command=$next
  done
  if [[ ${words[CURRENT]} == --*=* ]]; then
    flag=${words[CURRENT]%%=*}
    compset -P '*='
  fi
)";

constexpr const char* kZshTail = R"(}

# As a file of fpath this is the body of the function itself.
if [[ ${funcstack[1]} == _outrigger ]]; then _outrigger "$@"; else compdef _outrigger outrigger; fi
)";

std::string ValueHelper(const FlagShape& flag) {
  if (flag.is_file) return "_outrigger_files";
  if (flag.values.empty()) return "_outrigger_nothing";
  return fmt::format("{} {}", flag.is_list ? "_outrigger_list" : "_outrigger_words",
                     fmt::join(flag.values, " "));
}

// So that "explain pod" is told from "explain" with an argument.
std::string CommandNames(const std::vector<CommandShape>& shapes) {
  std::vector<std::string> names;
  for (const CommandShape& shape : shapes) {
    if (!shape.name.empty()) names.push_back('"' + shape.name + '"');
  }
  return fmt::format(
      "\n_outrigger_is_command() {{\n  case \"$1\" in\n    {}) return 0 ;;\n  esac\n  return 1\n"
      "}}\n",
      fmt::join(names, " | "));
}

std::string ValueCases(const std::vector<CommandShape>& shapes) {
  std::string text = "  case \"$command $flag\" in\n";
  for (const CommandShape& shape : shapes) {
    for (const FlagShape& flag : shape.flags) {
      if (!flag.takes_value) continue;
      text +=
          fmt::format("    \"{} {}\") {}; return ;;\n", shape.name, flag.name, ValueHelper(flag));
    }
  }
  return text + "  esac\n";
}

std::string WordCases(const std::vector<CommandShape>& shapes) {
  std::string text = "  case \"$command\" in\n";
  for (const CommandShape& shape : shapes) {
    std::vector<std::string> words = shape.positional_values;
    const std::string below = shape.name.empty() ? "" : shape.name + " ";
    for (const CommandShape& command : shapes) {
      if (command.name.empty() || !command.name.starts_with(below)) continue;
      const std::string word = command.name.substr(below.size());
      if (word.find(' ') == std::string::npos) words.push_back(word);
    }
    for (const FlagShape& flag : shape.flags) words.push_back(flag.name);
    const std::string offer = fmt::format("_outrigger_words {}", fmt::join(words, " "));
    text += fmt::format(
        "    \"{}\") {} ;;\n", shape.name,
        shape.positional_is_file
            ? fmt::format("if [[ $cur == -* ]]; then {}; else _outrigger_files; fi", offer)
            : offer);
  }
  return text + "  esac\n";
}

}  // namespace

std::string CompletionScript(const std::string& shell, const std::vector<CommandShape>& shapes) {
  const bool zsh = shell == "zsh";
  return (zsh ? kZshHead : kBashHead) + CommandNames(shapes) + (zsh ? kZshStart : kBashStart) +
         ValueCases(shapes) + WordCases(shapes) + (zsh ? kZshTail : kBashTail);
}

}  // namespace outrigger::cli
