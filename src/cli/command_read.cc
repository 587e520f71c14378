// Turns a parsed command line into a Command.

#include <algorithm>

#include "cli/command_tree.h"
#include "cli/names.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

std::vector<std::string> Values(const CLI::App& command, const std::string& flag) {
  const CLI::Option* option = command.get_option_no_throw(flag);
  return option == nullptr ? std::vector<std::string>{} : option->results();
}

std::string Value(const CLI::App& command, const std::string& flag, const std::string& fallback) {
  const std::vector<std::string> values = Values(command, flag);
  return values.empty() ? fallback : values.back();
}

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

absl::StatusOr<Command> CommandLine::Tree::ReadServe(const CLI::App& serve) const {
  Command command = Make(Command::Kind::kServe);
  for (const CLI::Option* option : serve.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string flag = "--" + option->get_lnames()[0];
    const std::string value = option->results().back();
    if (flag == "--config") {
      command.config = value;
    } else {
      const bool bare_switch = option->get_expected_min() == 0 && value.empty();
      command.settings[flag] = bare_switch ? "true" : value;
    }
  }
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadAgents(const CLI::App& agents) const {
  absl::Status status = CheckWord(agents, "--output");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kAgents);
  command.agents.name = Value(agents, "name", "");
  command.agents.output = Value(agents, "--output", command.agents.output);
  command.agents.rbac = agents.count("--rbac") > 0;
  for (const char* flag : {"--namespace", "--service-account"}) {
    if (agents.count(flag) == 0 || command.agents.rbac) continue;
    return absl::InvalidArgumentError(fmt::format("{} goes with --rbac", flag));
  }
  command.agents.name_space = Value(agents, "--namespace", command.agents.name_space);
  command.agents.service_account = Value(agents, "--service-account", "");
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadSchedulerConfig(const CLI::App& given) const {
  Command command = Make(Command::Kind::kSchedulerConfig);
  SchedulerConfigFlags& flags = command.scheduler_config;
  flags.agents = Value(given, "--agents", "");
  if (given.count("--agents") > 0 && flags.agents.empty()) {
    return absl::InvalidArgumentError(
        "--agents: \"\" is not accepted: names of agents (see `outrigger agents`); leave it out to "
        "have all that are compiled in");
  }
  flags.urls = Values(given, "--url");
  flags.weights = Values(given, "--weight");
  flags.http_timeouts = Values(given, "--http-timeout");
  flags.tls_cas = Values(given, "--tls-ca");
  flags.tls_certs = Values(given, "--tls-cert");
  flags.tls_keys = Values(given, "--tls-key");
  flags.tls_server_names = Values(given, "--tls-server-name");
  flags.bind_timeout = Value(given, "--bind-timeout", flags.bind_timeout);
  flags.in = Value(given, "--in", "");
  flags.scheduler_name = Value(given, "--scheduler-name", "");
  flags.kubeconfig = Value(given, "--kubeconfig", "");
  flags.full_nodes = given.count("--full-nodes") > 0;
  flags.ignorable = given.count("--ignorable") > 0;
  flags.tls_insecure = given.count("--tls-insecure") > 0;
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadVersion(const CLI::App& version) const {
  absl::Status status = CheckWord(version, "--output");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kVersion);
  command.version_output = Value(version, "--output", command.version_output);
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadCompletion(const CLI::App& completion) const {
  if (completion.count("shell") == 0) {
    return absl::InvalidArgumentError("completion wants the name of a shell: bash or zsh");
  }
  absl::Status status = CheckWord(completion, "shell");
  if (!status.ok()) return status;
  Command command = Make(Command::Kind::kCompletion);
  command.shell = Value(completion, "shell", "");
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadDocs(const CLI::App& docs) const {
  if (docs.count("page") == 0) {
    return absl::InvalidArgumentError("docs wants the name of a page: settings");
  }
  absl::Status status = CheckWord(docs, "page");
  if (!status.ok()) return status;
  return Make(Command::Kind::kDocsSettings);
}

absl::StatusOr<Command> CommandLine::Tree::Read(const CLI::App& given) const {
  const std::string& name = given.get_parent() == nullptr ? "" : given.get_name();
  if (name == "serve") return ReadServe(given);
  if (name == "agents") return ReadAgents(given);
  if (name == "scheduler-config") return ReadSchedulerConfig(given);
  if (name == "version") return ReadVersion(given);
  if (name == "completion") return ReadCompletion(given);
  if (name == "docs") return ReadDocs(given);
  if (given.count("--version") > 0) return Make(Command::Kind::kVersion);
  return absl::InvalidArgumentError("a command is missing; see `outrigger --help`");
}

}  // namespace outrigger::cli
