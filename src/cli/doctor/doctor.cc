#include "cli/doctor/doctor.h"

#include <algorithm>
#include <optional>

#include "cli/agents/null_observer.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/group_resources.h"
#include "cli/doctor/large_gangs.h"
#include "cli/doctor/only_groups.h"
#include "cli/doctor/penalty_rooms.h"
#include "cli/doctor/published_twice.h"
#include "cli/doctor/queue_gates.h"
#include "cli/doctor/shape.h"
#include "cli/doctor/unread_markers.h"
#include "cli/explain/measured.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "codec/json/object_list.h"
#include "console/args/flags.h"
#include "console/format/text.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_error.h"
#include "console/reading/input.h"
#include "console/settings/prepare_settings.h"
#include "fmt/format.h"
#include "kube/stream/priority_class_reader.h"
#include "outrigger/base/text.h"
#include "serve/engine/engine.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

absl::StatusOr<YAML::Node> ReadDocument(const DoctorInput& input) {
  const std::vector<YAML::Node> documents = LoadDocuments(input.yaml);
  if (documents.size() != 1) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "{}: has {} documents; expected one {}", input.name, documents.size(), kConfigKind)));
  }
  const YAML::Node& root = documents[0];
  if (root.IsMap()) return root;
  return absl::InvalidArgumentError(
      Printable(fmt::format("{}:{}:{}: a {} is a mapping", input.name, root.Mark().line + 1,
                            root.Mark().column + 1, kConfigKind)));
}

void CheckWord(const MapReader& root, const char* field, const char* accepted, FindingId id,
               Findings* findings) {
  const Field<std::string> word = root.Text(field);
  if (word.Broken() || word.value == accepted) return;
  findings->Add(id, word.place, word.Given() ? word.value : "missing",
                fmt::format("{}: {}", field, accepted));
}

// In a ConfigMap the configuration is a text under one of the keys of `data`.
bool IsOfAnotherKind(const MapReader& root, Findings* findings) {
  const Field<std::string> kind = root.Text("kind");
  if (!kind.Given() || kind.value == kConfigKind) return false;
  std::string fix = fmt::format("kind: {}", kConfigKind);
  if (kind.value == "ConfigMap") fix = "the text under its key in data alone";
  if (kind.value == "Policy") {
    fix = fmt::format(
        "a {} with the same extenders: kube-scheduler has not supported Policy since 1.23; "
        "predicates and priorities are now plugins of profiles",
        kConfigKind);
  }
  findings->Add(FindingId::kKind, kind.place, kind.value, std::move(fix));
  return true;
}

// That there is no entry is right then.
bool NoneIsToBeCalled(const DoctorCase& found, const std::string& wanted) {
  if (wanted.empty()) return false;
  for (const SettingGroup& group : found.told) {
    if (group.agent != nullptr && !found.IsAlone(*group.agent)) return false;
  }
  return true;
}

// `wanted`: the list of agents to judge for; empty: all.
void CheckAll(const DoctorCase& found, const std::string& wanted, Findings* findings) {
  CheckWord(found.root, "kind", kConfigKind, FindingId::kKind, findings);
  CheckWord(found.root, "apiVersion", kConfigApiVersion, FindingId::kApiVersion, findings);
  for (const auto check : {CheckAccepted, CheckArguments, CheckUrls, CheckOrder, CheckEntries,
                           CheckAlone, CheckCalls, CheckScheduler, CheckIdentity, CheckPlugins}) {
    check(found, findings);
  }
  const bool any = std::any_of(found.entries.begin(), found.entries.end(), [](const Entry& entry) {
    return entry.ours || !entry.left_out.empty();
  });
  if (any || NoneIsToBeCalled(found, wanted)) return;
  const MapReader extenders = found.root.Map("extenders");
  findings->Add(FindingId::kAgentNone, extenders.place(),
                wanted.empty()
                    ? fmt::format("{} entries, none of an agent", found.entries.size())
                    : fmt::format("{} entries, none of {}", found.entries.size(), wanted),
                fmt::format("what `outrigger scheduler-config --agents {} --in FILE` prints",
                            wanted.empty() ? "NAME" : wanted));
}

bool CallsGroupsAlone(const DoctorCase& found) {
  const auto agents = found.Agents();
  return std::any_of(agents.begin(), agents.end(), [&](const AgentInfo* agent) {
    return CalledAboutOf(found, *agent) == CalledAbout::kGroups;
  });
}

// Which agents are served together is not known without --agents.
void AddMerged(const DoctorCase& found, Diagnosis* diagnosis) {
  CalledAgent merged{"the merged paths", {}};
  for (const Entry& entry : found.entries) {
    if (entry.ours && entry.agent == nullptr && entry.together.empty())
      merged.entries.push_back(entry.place().path);
  }
  if (!merged.entries.empty()) diagnosis->agents.push_back(std::move(merged));
}

// As agents that plan have them in their settings. No entry calls one that is alone.
std::vector<std::string> PlannedSchedulers(const DoctorCase& found) {
  std::vector<std::string> all;
  for (const SettingGroup& group : found.told) {
    const AgentInfo* const agent = group.agent;
    if (agent == nullptr || !agent->factory.wishes.last) continue;
    if (found.EntriesOf(*agent).empty() && !found.IsAlone(*agent)) continue;
    const auto names = found.Given(*agent, "scheduler-names");
    for (const std::string& name : SplitList(names ? *names : *found.facts.names)) {
      all.push_back(name);
    }
  }
  return all;
}

int64_t WaitingBinds(const DoctorCase& found) {
  const auto agents = found.Agents();
  const bool any = std::any_of(agents.begin(), agents.end(), [&](const AgentInfo* agent) {
    return agent->factory.binds && !found.IsAlone(*agent);
  });
  return any ? found.told[0].server->max_waiting_binds : 0;
}

absl::StatusOr<Diagnosis> DiagnoseDocument(const DoctorInput& input,
                                           const std::vector<SettingGroup>& told,
                                           const LeftOutAgents& left_out) {
  const auto root = ReadDocument(input);
  if (!root.ok()) return root.status();
  Diagnosis diagnosis;
  diagnosis.file = input.name;
  Findings findings;
  if (IsOfAnotherKind(MapReader(*root, {}), &findings)) {
    diagnosis.findings = findings.Take();
    return diagnosis;
  }
  absl::Status status = CheckShape(input.name, *root, &findings);
  if (!status.ok()) return status;
  const auto found = MakeCase(*root, told, left_out);
  if (!found.ok()) return found.status();
  CheckAll(*found, told[0].server->agents, &findings);
  diagnosis.findings = findings.Take();
  diagnosis.planned_schedulers = PlannedSchedulers(*found);
  diagnosis.only_groups = CallsGroupsAlone(*found);
  diagnosis.waiting_binds = WaitingBinds(*found);
  for (const AgentInfo* agent : found->Agents()) {
    diagnosis.agents.push_back({agent->name, {}});
    for (const Entry* entry : found->EntriesOf(*agent)) {
      diagnosis.agents.back().entries.push_back(entry->place().path);
    }
  }
  AddMerged(*found, &diagnosis);
  return diagnosis;
}

// Adds to the findings, errors first.
void Merge(std::vector<Finding> more, Diagnosis* diagnosis) {
  std::vector<Finding>& all = diagnosis->findings;
  for (Finding& finding : more) all.push_back(std::move(finding));
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return a.kind->severity < b.kind->severity;
  });
}

// What pods and PriorityClasses of the cluster show.
class PodChecks {
 public:
  PodChecks(const Diagnosis& diagnosis, PenaltyRooms rooms)
      : diagnosis_(diagnosis), large_(diagnosis.waiting_binds), rooms_(std::move(rooms)) {}

  bool wants_classes() const { return rooms_.wants_classes(); }
  absl::Status Take(const json::ListedObject& object) {
    if (object.kind == "PriorityClass") {
      auto read = kube::ReadPriorityClassJson({object.body.data, object.body.size});
      if (!read.ok()) return read.status();
      rooms_.Take(*std::move(read));
      return absl::OkStatus();
    }
    Pod pod;
    std::vector<json::MalformedValue> malformed;
    const Needs needs = Needs().PodMetadata().PodResources().PodScheduling().PodStatus();
    absl::Status status = json::DecodePod(object, needs, &pod, &malformed);
    if (!status.ok()) return status;
    any_ = true;
    if (!pod.IsFinished()) TakeUnfinished(pod);
    return absl::OkStatus();
  }
  bool any() const { return any_; }
  std::vector<Finding> Found() const {
    Findings findings;
    markers_.AddTo(&findings);
    resources_.AddTo(&findings);
    gates_.AddTo(&findings);
    large_.AddTo(&findings);
    rooms_.AddTo(&findings);
    return findings.Take();
  }

 private:
  void TakeUnfinished(const Pod& pod) {
    const std::vector<std::string>& names = diagnosis_.planned_schedulers;
    const std::string& scheduler =
        pod.scheduler_name.empty() ? kDefaultScheduler : pod.scheduler_name;
    const bool planned = std::find(names.begin(), names.end(), scheduler) != names.end();
    gates_.Take(pod, planned);
    if (!planned) return;
    markers_.Take(pod);
    if (diagnosis_.only_groups) resources_.Take(pod);
    large_.Take(pod);
  }

  const Diagnosis& diagnosis_;
  bool any_ = false;
  UnreadMarkers markers_;
  GroupResources resources_;
  QueueGates gates_;
  LargeGangs large_;
  PenaltyRooms rooms_;
};

bool Calls(const Diagnosis& diagnosis, std::string_view name) {
  return std::any_of(diagnosis.agents.begin(), diagnosis.agents.end(),
                     [name](const CalledAgent& agent) { return agent.name == name; });
}

absl::Status AddFromDevices(ClusterObjects& objects, Diagnosis* diagnosis,
                            std::vector<std::string>* notes) {
  PublishedTwice twice;
  absl::Status status = objects.ForEachPublication(
      [&twice](const json::ListedObject& object) { return twice.Take(object); }, notes);
  if (!status.ok()) return status;
  Findings findings;
  twice.AddTo(&findings);
  Merge(findings.Take(), diagnosis);
  return absl::OkStatus();
}

// Of a file with pods alone it is not known which nodes there are.
void AddFromNodes(ClusterObjects& objects, Diagnosis* diagnosis, std::vector<std::string>* notes) {
  const auto found = objects.Find(nullptr, /*with_all_pods=*/false);
  if (!found.ok()) {
    return notes->push_back(fmt::format("whether nodes are measured is not known: {}",
                                        std::string(found.status().message())));
  }
  const std::vector<Node>& nodes = found->nodes;
  if (nodes.empty() || std::any_of(nodes.begin(), nodes.end(), IsMeasured)) return;
  Findings findings;
  findings.Add(FindingId::kNotMeasured, Place{"node " + nodes.front().name, 0, 0},
               fmt::format("none of {} nodes has mean-free-cpu or mean-free-memory", nodes.size()),
               "run `outrigger annotate usage`, as deploy/controller.annotate-usage.yaml does");
  Merge(findings.Take(), diagnosis);
}

struct DoctorFlags {
  SettingsFlags settings;
  std::string file;              // path; "-" is standard input
  std::string output = "table";  // table, json or yaml
  std::string color = "auto";    // auto, always or never
  bool strict = false;
  std::string cluster;  // path of a file with pods; "-" is standard input; empty: none
  bool live = false;    // read the pods of the live cluster
  std::string kubeconfig;
  std::string context;
};

// What `outrigger doctor` prints, and whether it is content.
struct DoctorReport {
  ExplainText text;
  bool healthy = true;  // no errors; with --strict no warnings either
};

// Adds what the objects of the cluster show, if `flags` name one.
absl::Status AddFromCluster(const DoctorFlags& flags, const World& world,
                            const std::vector<SettingGroup>& groups, Diagnosis* diagnosis,
                            std::vector<std::string>* notes) {
  if (!flags.live && flags.cluster.empty()) return absl::OkStatus();
  ExplainFlags source;
  source.cluster = flags.cluster;
  source.kubeconfig = flags.kubeconfig;
  source.context = flags.context;
  const auto objects = OpenCluster(source, world);
  if (!objects.ok()) return objects.status();
  auto rooms = PenaltyRooms::Make(groups);
  if (!rooms.ok()) return rooms.status();
  PodChecks checks(*diagnosis, *std::move(rooms));
  absl::Status status = (*objects)->ForEachPod(
      checks.wants_classes(),
      [&checks](const json::ListedObject& object) { return checks.Take(object); });
  if (!status.ok()) return status;
  if (!checks.any()) notes->push_back("the cluster has no pods");
  Merge(checks.Found(), diagnosis);
  if (flags.live && Calls(*diagnosis, "safe")) AddFromNodes(**objects, diagnosis, notes);
  return Calls(*diagnosis, "devices") ? AddFromDevices(**objects, diagnosis, notes)
                                      : absl::OkStatus();
}

// The settings; with a list of agents only those of its agents, as in `serve`.
absl::StatusOr<PreparedSettings> PrepareJudged(const SettingsFlags& flags, const World& world) {
  absl::StatusOr<PreparedSettings> settings = PrepareSettings(flags, world);
  if (!settings.ok() || settings->groups.at(0).server->agents.empty()) return settings;
  const auto served = ServedAgents(settings->groups, world.registry, world.left_out);
  if (!served.ok()) return served.status();
  WarnOfIdleFlags(flags, *served, &*settings);
  std::erase_if(settings->groups, [&](const SettingGroup& group) {
    return group.agent != nullptr &&
           std::none_of(served->begin(), served->end(),
                        [&](const auto& agent) { return agent.info == group.agent; });
  });
  return settings;
}

std::string InForm(const DoctorFlags& flags, const World& world, const Diagnosis& diagnosis) {
  if (flags.output == "json") return DoctorJson(diagnosis);
  if (flags.output == "yaml") return DoctorYaml(diagnosis);
  return DoctorTable(diagnosis, IsColored(flags.color, world));
}

// Settings that are wrong together, or that the agent alone can judge: what `serve` refuses.
absl::Status CheckSettings(const Diagnosis& diagnosis, const std::vector<SettingGroup>& groups) {
  NobodyWatches observer;
  for (const SettingGroup& group : groups) {
    if (group.agent == nullptr || !Calls(diagnosis, group.agent->name)) continue;
    const auto engine =
        engine::Engine::Create({{group.agent, group.values, 1}}, &observer, nullptr);
    if (absl::IsInvalidArgument(engine.status())) return engine.status();
  }
  return absl::OkStatus();
}

}  // namespace

size_t Diagnosis::Count(Severity severity) const {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.kind->severity == severity; }));
}

absl::StatusOr<Diagnosis> Diagnose(const DoctorInput& input, const std::vector<SettingGroup>& told,
                                   const LeftOutAgents& left_out) {
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    return DiagnoseDocument(input, told, left_out);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(YamlErrorText(input.name, input.yaml, error)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", input.name, error.what())));
  }
}

absl::Status CheckAcceptedByScheduler(const DoctorInput& input,
                                      const std::vector<SettingGroup>& groups,
                                      const LeftOutAgents& left_out) {
  const auto diagnosis = Diagnose(input, groups, left_out);
  if (!diagnosis.ok()) return diagnosis.status();
  std::string text;
  for (const Finding& finding : diagnosis->findings) {
    if (finding.kind->id > FindingId::kLeaseRefused) continue;
    const Place& place = finding.place;
    text +=
        (text.empty() ? "" : "\n") +
        Printable(fmt::format("{}:{}:{}: {}: {}; write {}", input.name, place.line,
                              std::max(1, place.column), place.path, finding.found, finding.fix));
  }
  if (text.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(text);
}

namespace {

absl::StatusOr<DoctorReport> Doctor(const DoctorFlags& flags, const World& world) {
  absl::StatusOr<PreparedSettings> settings = PrepareJudged(flags.settings, world);
  if (!settings.ok()) return settings.status();
  absl::StatusOr<ExplainInput> input = ReadExplainInput(flags.file, world);
  if (!input.ok()) return input.status();
  auto diagnosis =
      Diagnose({std::move(input->name), std::move(input->text)}, settings->groups, world.left_out);
  if (!diagnosis.ok()) return diagnosis.status();
  absl::Status accepted = CheckSettings(*diagnosis, settings->groups);
  if (!accepted.ok()) return accepted;
  DoctorReport report;
  report.text.notes = std::move(settings->warnings);
  const absl::Status read =
      AddFromCluster(flags, world, settings->groups, &*diagnosis, &report.text.notes);
  if (!read.ok()) return read;
  report.healthy = diagnosis->Count(Severity::kError) == 0 &&
                   (!flags.strict || diagnosis->Count(Severity::kWarning) == 0);
  report.text.text = InForm(flags, world, *diagnosis);
  return report;
}

absl::Status ReadPods(const Given& given, DoctorFlags* flags) {
  flags->cluster = given.Value("--cluster");
  flags->live = given.Has("--live");
  flags->kubeconfig = given.Value("--kubeconfig");
  flags->context = given.Value("--context");
  if (flags->live && !flags->cluster.empty()) {
    return absl::InvalidArgumentError("give either --live or --cluster");
  }
  if (!flags->live && !(flags->kubeconfig.empty() && flags->context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context need --live");
  }
  if (flags->file == "-" && flags->cluster == "-") {
    return absl::InvalidArgumentError(
        "the file - and --cluster - both read standard input; only one can");
  }
  return absl::OkStatus();
}

absl::StatusOr<DoctorFlags> ReadDoctorFlags(const Given& given) {
  DoctorFlags flags;
  flags.settings = {given.Value("--config"), given.settings()};
  flags.file = given.Value("file");
  flags.output = given.Value("--output", flags.output);
  flags.color = given.Value("--color", flags.color);
  flags.strict = given.Has("--strict");
  if (flags.file.empty()) {
    return given.Wrong(
        "doctor needs a file with a KubeSchedulerConfiguration, or - for standard input");
  }
  absl::Status pods = ReadPods(given, &flags);
  if (!pods.ok()) return pods;
  return flags;
}

int RunDoctor(const Given& given, const World& world) {
  const auto flags = ReadDoctorFlags(given);
  if (!flags.ok()) return Finish(flags.status(), world);
  const absl::StatusOr<DoctorReport> report = Doctor(*flags, world);
  if (!report.ok()) return Finish(report.status(), world);
  const int code = Finish(absl::StatusOr<ExplainText>(report->text), world);
  return code == kDone && !report->healthy ? kFailed : code;
}

}  // namespace

Command DoctorCommand(const std::vector<AgentInfo>& registry) {
  Command command{.name = "doctor",
                  .summary = "Check a KubeSchedulerConfiguration for errors that break agents",
                  .opens_connections = true,
                  .run = RunDoctor};
  command.flags = Together(
      {{{.name = "file", .help = "the configuration; - reads standard input", .is_file = true},
        OutputFlag({"table", "json", "yaml"}),
        {.name = "--strict", .help = "Fail on warnings, too"},
        ColorFlag(),
        {.name = "--cluster",
         .value = "FILE",
         .help = "pods to search for group markers that agents do not read, as `kubectl get pods "
                 "-A -o json` (faster) or yaml prints them; - reads standard input",
         .is_file = true},
        {.name = "--live", .help = "The same for the pods of the live cluster"}},
       KubeconfigFlags("the live cluster"),
       {ConfigFlag("Settings of the agents")}});
  command.settings =
      ServeSettings(registry, {"--port", "--agents", "--scheduler-config", "--max-waiting-binds"});
  command.notes =
      "The file is checked against the settings that `serve` would use. Without --live nothing is "
      "called.\ndocs/doctor.md lists all findings. The exit code is also 1 if there are errors "
      "(with --strict: or warnings).";
  return command;
}

}  // namespace outrigger::cli
