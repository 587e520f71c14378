// Turns a parsed command line into a Command.

#include <algorithm>

#include "absl/strings/numbers.h"
#include "console/args/command_tree.h"
#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {

std::vector<std::string> ValuesOf(const CLI::App& command, const std::string& flag) {
  const CLI::Option* option = command.get_option_no_throw(flag);
  return option == nullptr ? std::vector<std::string>{} : option->results();
}

std::string ValueOf(const CLI::App& command, const std::string& flag, const std::string& fallback) {
  const std::vector<std::string> values = ValuesOf(command, flag);
  return values.empty() ? fallback : values.back();
}

namespace {

Command Make(Command::Kind kind) {
  Command command;
  command.kind = kind;
  return command;
}

}  // namespace

absl::Status CommandLine::Tree::CheckWord(const CLI::App& command, const std::string& flag) const {
  const CLI::Option* option = command.get_option_no_throw(flag);
  const std::vector<std::string>& words = ExtraOf(option).values;
  for (const std::string& value : option->results()) {
    if (std::find(words.begin(), words.end(), value) != words.end()) continue;
    return absl::InvalidArgumentError(fmt::format("{}: \"{}\" is not accepted: {}{}",
                                                  option->get_name(), value, Listed(words),
                                                  DidYouMean(value, words)));
  }
  return absl::OkStatus();
}

absl::Status CommandLine::Tree::ReadLimit(const CLI::App& given, size_t* limit) {
  const std::string text = ValueOf(given, "--limit", std::to_string(*limit));
  if (absl::SimpleAtoi(text, limit) && *limit >= 1 && *limit <= ExplainFlags::kMostRows) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--limit: \"{}\" is not accepted: 1 to {}", text, ExplainFlags::kMostRows));
}

absl::StatusOr<Command> CommandLine::Tree::ReadServe(const CLI::App& serve) const {
  Command command = Make(Command::Kind::kServe);
  ReadSettings(serve, &command);
  return command;
}

void CommandLine::Tree::ReadSettings(const CLI::App& given, Command* command) const {
  command->config = ValueOf(given, "--config", "");
  for (const CLI::Option* option : given.get_options()) {
    if (option->count() == 0 || settings_.count(option) == 0) continue;
    const std::string value = option->results().back();
    const bool bare_switch = option->get_expected_min() == 0 && value.empty();
    command->settings["--" + option->get_lnames()[0]] = bare_switch ? "true" : value;
  }
}

absl::Status CommandLine::Tree::ReadMode(const CLI::App& agents, Command* command) const {
  absl::Status status = CheckWord(agents, "--mode");
  if (!status.ok()) return status;
  std::string& mode = command->agents.mode;
  mode = ValueOf(agents, "--mode", "");
  for (const char* flag : {"--gates", "--only-groups"}) {
    if (agents.count(flag) == 0) continue;
    command->warnings.push_back(
        fmt::format("{} is no longer needed: the rights are those of --mode; leave it out", flag));
  }
  if (agents.count("--without-extender") == 0) return absl::OkStatus();
  if (!mode.empty()) {
    return absl::InvalidArgumentError(
        "--without-extender is the former name of --mode=alone: give one of them");
  }
  mode = "alone";
  command->warnings.emplace_back(
      "--without-extender is now --mode=alone; the former name still works");
  return absl::OkStatus();
}

absl::StatusOr<Command> CommandLine::Tree::ReadAgents(const CLI::App& agents) const {
  absl::Status status = CheckWord(agents, "--output");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kAgents);
  command.agents.name = ValueOf(agents, "name", "");
  command.agents.output = ValueOf(agents, "--output", command.agents.output);
  command.agents.rbac = agents.count("--rbac") > 0;
  for (const char* flag : {"--namespace", "--service-account", "--mode", "--replacement",
                           "--without-extender", "--gates", "--only-groups"}) {
    if (agents.count(flag) == 0 || command.agents.rbac) continue;
    return absl::InvalidArgumentError(fmt::format("{} goes with --rbac", flag));
  }
  status = CheckWord(agents, "--replacement");
  if (status.ok()) status = ReadMode(agents, &command);
  if (!status.ok()) return status;
  command.agents.replacement = ValueOf(agents, "--replacement", "");
  command.agents.name_space = ValueOf(agents, "--namespace", command.agents.name_space);
  command.agents.service_account = ValueOf(agents, "--service-account", "");
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadSchedulerConfig(const CLI::App& given) const {
  Command command = Make(Command::Kind::kSchedulerConfig);
  SchedulerConfigFlags& flags = command.scheduler_config;
  flags.agents = ValueOf(given, "--agents", "");
  if (given.count("--agents") > 0 && flags.agents.empty()) {
    return absl::InvalidArgumentError(
        "--agents: \"\" is not accepted: names of agents (see `outrigger agents`); leave it out to "
        "have all that are compiled in");
  }
  flags.urls = ValuesOf(given, "--url");
  flags.weights = ValuesOf(given, "--weight");
  flags.http_timeouts = ValuesOf(given, "--http-timeout");
  flags.tls_cas = ValuesOf(given, "--tls-ca");
  flags.tls_certs = ValuesOf(given, "--tls-cert");
  flags.tls_keys = ValuesOf(given, "--tls-key");
  flags.tls_server_names = ValuesOf(given, "--tls-server-name");
  flags.bind_timeout = ValueOf(given, "--bind-timeout", flags.bind_timeout);
  flags.in = ValueOf(given, "--in", "");
  flags.scheduler_name = ValueOf(given, "--scheduler-name", "");
  flags.kubeconfig = ValueOf(given, "--kubeconfig", "");
  flags.full_nodes = given.count("--full-nodes") > 0;
  flags.ignorable = given.count("--ignorable") > 0;
  flags.members_only = given.count("--members-only") + given.count("--only-groups") > 0;
  if (given.count("--only-groups") > 0) {
    if (given.count("--members-only") > 0) {
      return absl::InvalidArgumentError(
          "--only-groups is the former name of --members-only: give one of them");
    }
    command.warnings.emplace_back(
        "--only-groups is now --members-only; the former name still works");
  }
  flags.tls_insecure = given.count("--tls-insecure") > 0;
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadVersion(const CLI::App& version) const {
  absl::Status status = CheckWord(version, "--output");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kVersion);
  command.version_output = ValueOf(version, "--output", command.version_output);
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadCompletion(const CLI::App& completion) const {
  if (completion.count("shell") == 0) {
    return absl::InvalidArgumentError("completion wants the name of a shell: bash or zsh");
  }
  absl::Status status = CheckWord(completion, "shell");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kCompletion);
  command.shell = ValueOf(completion, "shell", "");
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadDocs(const CLI::App& docs) const {
  if (docs.count("page") == 0) {
    return absl::InvalidArgumentError("docs wants the name of a page: settings or commands");
  }
  absl::Status status = CheckWord(docs, "page");
  if (!status.ok()) return status;
  return Make(ValueOf(docs, "page", "") == "commands" ? Command::Kind::kDocsCommands
                                                      : Command::Kind::kDocsSettings);
}

absl::StatusOr<Command> CommandLine::Tree::Read(const CLI::App& given) const {
  const std::string& name = given.get_parent() == nullptr ? "" : given.get_name();
  if (name == "serve") return ReadServe(given);
  if (name == "agents") return ReadAgents(given);
  if (name == "scheduler-config") return ReadSchedulerConfig(given);
  if (name == "doctor") return ReadDoctor(given);
  if (name == "pod") return ReadExplainPod(given);
  if (name == "claim") return ReadExplainClaim(given);
  // A command and a subcommand have this name.
  if (name == "gang" && given.get_parent() != &app_) return ReadExplainGang(given);
  if (name == "gang") {
    return absl::InvalidArgumentError(fmt::format(
        "gang wants to know what to do: release; see `{} gang --help`", app_.get_name()));
  }
  if (name == "release") return ReadGangRelease(given);
  if (name == "queue") return ReadExplainQueue(given);
  if (name == "usage" || name == "allocation") return ReadAnnotate(given);
  if (name == "annotate") {
    return absl::InvalidArgumentError(
        fmt::format("annotate wants to know what to write: usage or allocation; see `{} annotate "
                    "--help`",
                    app_.get_name()));
  }
  if (name == "restore") return ReadPenaltyRestore(given);
  // A command and a subcommand have this name.
  if (name == "penalty" && given.get_parent() != &app_) return ReadExplainPenalty(given);
  if (name == "penalty") {
    return absl::InvalidArgumentError(fmt::format(
        "penalty wants to know what to do: restore; see `{} penalty --help`", app_.get_name()));
  }
  if (name == "scheduler") return ReadLabScheduler(given);
  if (name == "lab") {
    return absl::InvalidArgumentError(fmt::format(
        "lab wants to know what to run: scheduler; see `{} lab --help`", app_.get_name()));
  }
  if (name == "schedule") return ReadSchedule(given);
  if (name == "devices") return ReadDevices(given);
  if (name == "explain") {
    return absl::InvalidArgumentError(
        fmt::format("explain wants to know what to explain: pod, gang, queue or penalty; see `{} "
                    "explain --help`",
                    app_.get_name()));
  }
  if (name == "version") return ReadVersion(given);
  if (name == "completion") return ReadCompletion(given);
  if (name == "docs") return ReadDocs(given);
  if (given.count("--version") > 0) return Make(Command::Kind::kVersion);
  return absl::InvalidArgumentError(
      fmt::format("a command is missing; see `{} --help`", app_.get_name()));
}

}  // namespace outrigger::cli
