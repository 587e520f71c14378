#include "doctor_testing.h"

#include <cstdlib>
#include <memory>

#include "cli/scheduler_config/scheduler_config.h"
#include "console/format/yaml.h"
#include "console/program_testing.h"
#include "console/settings/loader.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::testing {
namespace {

struct PlannerSettings {
  std::string mode = "extender";
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  static constexpr auto kFields = std::tuple{
      Setting{"mode", &PlannerSettings::mode, "extender|alone", "whether it is called"},
      Setting{"scheduler-names", &PlannerSettings::scheduler_names, "whose pods are planned"},
      Setting{"scheduler-lease", &PlannerSettings::scheduler_lease, "the scheduler's Lease"}};
};

class Planner final : public Agent,
                      public Filterer,
                      public Scorer,
                      public Preempter,
                      public Binder {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& /*deps*/,
                                                     const PlannerSettings& settings) {
    const bool named = settings.scheduler_lease.find('/') != std::string::npos;
    if (named || settings.scheduler_lease == "none") return std::make_unique<Planner>();
    return absl::InvalidArgumentError("scheduler-lease: NAMESPACE/NAME is accepted");
  }
  static SchedulerWishes Wishes() {
    return {.last = true,
            .every_node = true,
            .quick_retries = true,
            .cycle_resource = "outrigger.dev/gang",
            .bind_resource = "outrigger.dev/gang-bind"};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status Score(const Request& /*request*/, std::span<NodeScore> /*s*/) const override {
    return absl::OkStatus();
  }
  absl::Status Preempt(const PreemptRequest& /*request*/,
                       std::vector<NodeVictims>* /*chosen*/) const override {
    return absl::OkStatus();
  }
  absl::Status Bind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
};

class Queuer final : public Agent, public Filterer, public Preempter {
 public:
  explicit Queuer(const NoSettings& /*settings*/) {}
  static SchedulerWishes Wishes() {
    return {.last = true, .every_node = true, .quick_retries = true};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status Preempt(const PreemptRequest& /*request*/,
                       std::vector<NodeVictims>* /*chosen*/) const override {
    return absl::OkStatus();
  }
};

class Preparer final : public Agent, public Filterer, public PreBinder {
 public:
  explicit Preparer(const NoSettings& /*settings*/) {}
  static SchedulerWishes Wishes() {
    return {.last = false, .every_node = true, .quick_retries = false};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status PreBind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
  void UndoPreBind(const BindRequest& /*request*/, const BindFailure& /*failure*/) override {}
  void PostBind(const BindRequest& /*request*/) override {}
};

// The part of `path` that comes next: a key, or an index.
std::string NextPart(std::string* path) {
  const size_t end = path->find_first_of(".[", 1);
  std::string part = path->substr(0, end);
  *path = end == std::string::npos ? "" : path->substr((*path)[end] == '.' ? end + 1 : end);
  return part;
}

size_t IndexOf(const std::string& part) {
  return std::stoul(part.substr(1));
}

void Remove(YAML::Node node, const std::string& part) {
  if (part[0] != '[') {
    node.remove(part);
    return;
  }
  YAML::Node kept(YAML::NodeType::Sequence);
  for (size_t i = 0; i < node.size(); ++i) {
    if (i != IndexOf(part)) kept.push_back(node[i]);
  }
  node = kept;
}

void Apply(YAML::Node node, std::string path, const std::string& value) {
  const std::string part = NextPart(&path);
  if (path.empty() && value.empty()) {
    Remove(node, part);
  } else if (part[0] == '[' && path.empty() && IndexOf(part) == node.size()) {
    node.push_back(YAML::Load(value));
  } else if (path.empty()) {
    (part[0] == '[' ? node[IndexOf(part)] : node[part]) = YAML::Load(value);
  } else {
    Apply(part[0] == '[' ? node[IndexOf(part)] : node[part], path, value);
  }
}

}  // namespace

const std::vector<AgentInfo>& DoctorAgents() {
  static const std::vector<AgentInfo> agents = [] {
    std::vector<AgentInfo> changed = TestAgents();
    changed[1].factory = internal::MakeAgentFactory<Planner, PlannerSettings>();
    changed.push_back(
        {"qos", "Keeps a queue", 9872, internal::MakeAgentFactory<Queuer, NoSettings>()});
    changed.push_back(
        {"devices", "Prepares pods", 9878, internal::MakeAgentFactory<Preparer, NoSettings>()});
    changed.push_back(
        {"disks", "Prepares pods, too", 9879, internal::MakeAgentFactory<Preparer, NoSettings>()});
    return changed;
  }();
  return agents;
}

std::string Configuration(const std::string& agents, const std::vector<Change>& changes) {
  cli::SchedulerConfigFlags flags;
  flags.agents = agents;
  const auto plan = cli::PlanSchedulerConfig(flags, DoctorAgents(), {});
  if (!plan.ok()) std::abort();
  const auto text = cli::WriteSchedulerConfig(*plan, std::nullopt);
  if (!text.ok()) std::abort();
  if (changes.empty()) return text->yaml;
  const YAML::Node root = YAML::Load(text->yaml);
  for (const Change& change : changes) Apply(root, change.path, change.value);
  return *cli::YamlFromNode(root);
}

absl::StatusOr<cli::Diagnosis> DiagnoseYaml(const std::string& yaml,
                                            const std::map<std::string, std::string>& told) {
  std::vector<cli::SettingGroup> groups = cli::MakeSettingGroups(DoctorAgents());
  std::vector<std::string> warnings;
  cli::SettingSources sources;
  sources.flags = told;
  sources.flags.emplace("--scheduler-config", "in.yaml");
  if (sources.flags["--scheduler-config"].empty()) sources.flags.erase("--scheduler-config");
  absl::Status status = cli::LoadSettings(sources, &groups, &warnings);
  if (!status.ok()) return status;
  return cli::Diagnose({"in.yaml", yaml}, groups, {"pigeon"});
}

std::vector<std::string> NamesOf(const absl::StatusOr<cli::Diagnosis>& diagnosis) {
  if (!diagnosis.ok()) return {std::string(diagnosis.status().message())};
  std::vector<std::string> names;
  for (const cli::Finding& finding : diagnosis->findings) names.emplace_back(finding.kind->name);
  return names;
}

}  // namespace outrigger::testing
