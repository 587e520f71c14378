#include "console/args/command_tree.h"

#include <algorithm>
#include <utility>

#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {

const char* const kExitCodes =
    "Exit codes: 0 done, 1 it failed (a file cannot be read, a port is taken), 2 the command\n"
    "line, the settings or what a file holds are wrong.";

namespace {

// What stands for the value in the help: "FILE", "NUMBER", "text|json".
std::string ValueName(const BoundSetting& setting, const FlagExtra& extra) {
  if (setting.IsSwitch()) return "[true|false]";
  if (extra.is_file) return "FILE";
  const std::vector<std::string> choices = setting.Choices();
  return choices.empty() ? UpperCase(setting.spec.type)
                         : fmt::format("{}", fmt::join(choices, "|"));
}

std::string SettingHelp(const SettingSpec& spec) {
  return fmt::format("{} ({}; default {})", spec.help, spec.accepted, spec.default_text);
}

// A flag with a value for each agent.
const FlagExtra kSeveral = {.values = {}, .is_repeatable = true};
const FlagExtra kSeveralFiles = {.is_file = true, .values = {}, .is_repeatable = true};

// CLI11 indents the lines of a description but does not break them.
std::string Wrapped(const std::string& text) {
  constexpr size_t kWidth = 62;
  std::string wrapped;
  size_t line = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (line > 0 && line + 1 + (end - begin) > kWidth) {
      wrapped += '\n';
      line = 0;
    } else if (line > 0) {
      wrapped += ' ';
      ++line;
    }
    wrapped.append(text, begin, end - begin);
    line += end - begin;
    begin = end + 1;
  }
  return wrapped;
}

}  // namespace

CommandLine::Tree::Tree(const std::vector<AgentInfo>& registry, const std::string& program)
    : app_("Sidecar agents that give the stock kube-scheduler what it lacks.", program) {
  for (const AgentInfo& agent : registry) agent_names_.push_back(agent.name);
  app_.allow_extras();  // what is unknown is reported by us, with the nearest name
  app_.require_subcommand(0, 1);
  app_.footer(kExitCodes);
  app_.get_formatter()->column_width(36);
  app_.get_formatter()->label("Subcommands", "Commands");
  app_.add_flag("--version")->description("Print the version");
  AddServe(registry);
  AddAgents();
  AddSchedulerConfig();
  AddDoctor(registry);
  AddExplain(registry);
  AddAnnotate();
  AddPenalty();
  AddGang();
  AddSchedule();
  AddDevices();
  AddLab();
  AddOthers();
}

CLI::App* CommandLine::Tree::AddCommand(const std::string& name, const std::string& summary,
                                        CLI::App* parent) {
  CLI::App* command = (parent == nullptr ? &app_ : parent)->add_subcommand(name, summary);
  command->allow_extras();
  command->footer(kExitCodes);
  return command;
}

CLI::Option* CommandLine::Tree::AddValue(CLI::App* command, const std::string& flag,
                                         const std::string& type, const std::string& help,
                                         FlagExtra extra) {
  CLI::Option* option = command->add_option(
      flag, CLI::callback_t([](const CLI::results_t&) { return true; }), Wrapped(help));
  option->type_size(1)->expected(1)->allow_extra_args(false)->type_name(type);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  extras_[option] = std::move(extra);
  return option;
}

void CommandLine::Tree::AddSetting(CLI::App* command, const BoundSetting& setting,
                                   const std::string& group) {
  const SettingSpec& spec = setting.spec;
  FlagExtra extra;
  extra.is_file = spec.accepted == "the path of a file";
  extra.is_list = spec.type == "list";
  extra.values = spec.name == "agents" ? agent_names_ : setting.Choices();
  if (setting.IsSwitch()) extra.values = {"true", "false"};
  CLI::Option* const option =
      AddValue(command, setting.flag, ValueName(setting, extra), SettingHelp(spec), extra);
  option->group(group);
  settings_.insert(option);
  if (setting.IsSwitch()) option->expected(0, 1);
  if (setting.former_switch.flag.empty()) return;
  AddHidden(command, setting.former_switch.flag);
}

// With a value or without, as it was.
void CommandLine::Tree::AddHidden(CLI::App* command, const std::string& flag) {
  CLI::Option* option = AddValue(command, flag, "VALUE", "", {});
  option->group("");
  option->expected(0, 1);
  settings_.insert(option);
}

void CommandLine::Tree::AddConfig(CLI::App* command, const std::string& group) {
  AddValue(command, "--config", "FILE",
           "settings file in YAML: server settings and a section per agent; also OUTRIGGER_CONFIG",
           {true, false, {}})
      ->group(group);
}

void CommandLine::Tree::AddServe(const std::vector<AgentInfo>& registry) {
  CLI::App* serve = AddCommand("serve", "Serve agents to a kube-scheduler");
  AddConfig(serve, "Settings of the server");
  for (const SettingGroup& group : MakeSettingGroups(registry)) {
    for (const BoundSetting& setting : group.settings) {
      AddSetting(
          serve, setting,
          group.agent == nullptr ? "Settings of the server" : "Settings of " + group.Title());
    }
    for (const RetiredSetting& retired : group.retired) AddHidden(serve, retired.flag);
  }
  serve->footer(
      fmt::format("A setting is taken from the first that has it: flag, environment "
                  "(OUTRIGGER_SAFE_MAX_RISK for\n--safe.max-risk), settings file (safe: {{maxRisk: "
                  "...}}), default. SIGTERM and SIGINT drain; a second\none ends at once.\n{}",
                  kExitCodes));
}

void CommandLine::Tree::AddAgents() {
  CLI::App* agents = AddCommand("agents", "List the agents that are compiled in, or show one");
  AddValue(agents, "name", "", "an agent to show in detail", {false, false, agent_names_});
  AddValue(agents, "-o,--output", "FORMAT", "table, json or yaml (default table)",
           {false, false, {"table", "json", "yaml"}});
  agents->add_flag("--rbac")->description(Wrapped(
      "Print ServiceAccount, ClusterRole and ClusterRoleBinding (and Role and RoleBinding) "
      "with what the agent needs, for `kubectl apply -f -`; agents of one process as NAME,NAME"));
  AddValue(
      agents, "--mode", "extender|alone",
      "With --rbac: how the agents are run (default extender); alone: no scheduler calls them, "
      "so that they bind nothing and hold a Lease of their own",
      {false, false, {"extender", "alone"}});
  AddValue(agents, "--replacement", "recreate|mapped",
           "With --rbac: how penalty gives a class another value (default recreate)",
           {false, false, {"recreate", "mapped"}});
  for (const char* former : {"--gates", "--only-groups", "--without-extender"}) {
    agents->add_flag(former)->group("");
  }
  AddValue(agents, "-n,--namespace", "NS",
           "namespace of the ServiceAccount (default: where the agents keep their state, else "
           "outrigger)");
  AddValue(agents, "--service-account", "NAME",
           "ServiceAccount that gets the rights (default outrigger-<agent>)");
}

void CommandLine::Tree::AddSchedulerConfig() {
  CLI::App* command =
      AddCommand("scheduler-config", "Print a KubeSchedulerConfiguration that calls agents");
  AddValue(command, "--agents", "LIST", "agents, separated by commas (default: all compiled in)",
           {false, true, agent_names_});
  AddValue(command, "--url", "[AGENT=]URL",
           "where an agent, or every agent, is served, http:// or https:// (default "
           "127.0.0.1:<its own port>, with TLS if a --tls flag is for the agent)",
           kSeveral);
  AddValue(command, "--in", "FILE",
           "configuration to add to, kept otherwise; - reads standard input; comments are lost",
           {true, false, {}});
  AddValue(command, "--weight", "[AGENT=]N",
           "weight of scores beside the scheduler's own (an integer from 1 to 1000; default 1)",
           kSeveral);
  AddValue(command, "--http-timeout", "[AGENT=]T",
           "limit of a filter, prioritize or preempt call (default 1s)", kSeveral);
  AddValue(command, "--bind-timeout", "T", "limit of a bind call (default 10m30s)");
  AddValue(command, "--scheduler-name", "NAME",
           "schedulerName of the profile (default: none is written, which is default-scheduler)");
  AddValue(command, "--kubeconfig", "FILE", "clientConnection.kubeconfig", {true, false, {}});
  command->add_flag("--full-nodes")
      ->description(
          Wrapped("Have whole nodes sent with each call (nodeCacheCapable: false): slower by far, "
                  "but agents need no access to the API server"));
  command->add_flag("--ignorable")->description("Go on without an agent that does not answer");
  command->add_flag("--members-only")
      ->description(
          Wrapped("Have agent gang called only about pods that ask for outrigger.dev/gang and "
                  "outrigger.dev/gang-bind; pods without a group then cost nothing"));
  command->add_flag("--only-groups")->group("");
  AddTlsOfSchedulerConfig(command);
}

void CommandLine::Tree::AddTlsOfSchedulerConfig(CLI::App* command) {
  AddValue(command, "--tls-ca", "[AGENT=]FILE",
           "authorities that the scheduler checks an agent's certificate with; this and the next "
           "two are absolute paths where the scheduler runs",
           kSeveralFiles);
  AddValue(command, "--tls-cert", "[AGENT=]FILE",
           "certificate that the scheduler shows an agent (its --client-ca)", kSeveralFiles);
  AddValue(command, "--tls-key", "[AGENT=]FILE", "private key of --tls-cert", kSeveralFiles);
  AddValue(command, "--tls-server-name", "[AGENT=]NAME",
           "name that an agent's certificate is for, if it is not the URL's host", kSeveral);
  command->add_flag("--tls-insecure")->description("Do not check who answers at an https:// URL");
}

void CommandLine::Tree::AddOthers() {
  AddValue(AddCommand("version", "Print the version"), "-o,--output", "FORMAT",
           "text or json (default text)", {false, false, {"text", "json"}});
  AddValue(AddCommand("completion",
                      fmt::format("Print a completion script: source <({} completion bash)",
                                  app_.get_name())),
           "shell", "", "bash or zsh", {false, false, {"bash", "zsh"}});
  CLI::App* docs = AddCommand("docs", "Print a page of the documentation");
  docs->group("");  // for maintainers: scripts/update-docs
  AddValue(docs, "page", "", "settings or commands", {false, false, {"settings", "commands"}});
}

const FlagExtra& CommandLine::Tree::ExtraOf(const CLI::Option* option) const {
  static const FlagExtra none;
  const auto it = extras_.find(option);
  return it == extras_.end() ? none : it->second;
}

}  // namespace outrigger::cli
