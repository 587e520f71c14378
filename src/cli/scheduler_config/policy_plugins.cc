#include "cli/scheduler_config/policy_plugins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cli/scheduler_config/scheduler_config.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "fmt/format.h"

namespace outrigger::cli::policy {
namespace {

// Which plugins predicates and priorities became: facts of Kubernetes 1.22, the last version that
// read Policies (pkg/scheduler/framework/plugins/legacy_registry.go). The limits of four kinds of
// disks have since moved into NodeVolumeLimits, three plugins of scores into NodeResourcesFit.

struct Legacy {
  std::string_view name;
  std::array<std::string_view, 4> plugins;
  std::string_view note = {};
};

constexpr std::string_view kTaints = "TaintToleration";
constexpr std::string_view kUnschedulable = "NodeUnschedulable";
constexpr std::string_view kFit = "NodeResourcesFit";
constexpr std::string_view kSpread = "PodTopologySpread";
constexpr std::string_view kInterPod = "InterPodAffinity";
constexpr std::string_view kVolumeBinding = "VolumeBinding";

constexpr std::string_view kLimits = "NodeVolumeLimits counts volumes of all drivers";
constexpr std::string_view kConditions =
    "nodes in this condition have a taint, which TaintToleration checks";

constexpr Legacy kPredicates[] = {
    {"GeneralPredicates", {kFit, "NodeName", "NodePorts", "NodeAffinity"}},
    {"PodFitsResources", {kFit}},
    {"HostName", {"NodeName"}},
    {"PodFitsHostPorts", {"NodePorts"}},
    {"PodFitsPorts", {"NodePorts"}},
    {"MatchNodeSelector", {"NodeAffinity"}},
    {"NoDiskConflict", {"VolumeRestrictions"}},
    {"NoVolumeZoneConflict", {"VolumeZone"}},
    {"MaxCSIVolumeCountPred", {"NodeVolumeLimits"}},
    {"MaxEBSVolumeCount", {"NodeVolumeLimits"}, kLimits},
    {"MaxGCEPDVolumeCount", {"NodeVolumeLimits"}, kLimits},
    {"MaxAzureDiskVolumeCount", {"NodeVolumeLimits"}, kLimits},
    {"MaxCinderVolumeCount", {"NodeVolumeLimits"}, kLimits},
    {"CheckVolumeBinding", {kVolumeBinding}},
    {"MatchInterPodAffinity", {kInterPod}},
    {"EvenPodsSpread", {kSpread}},
    {"PodToleratesNodeTaints", {kTaints}},
    {"PodToleratesNodeNoExecuteTaints", {kTaints}},
    {"CheckNodeUnschedulable", {kUnschedulable}},
    // Of versions before 1.18.
    {"CheckNodeCondition", {kTaints}, kConditions},
    {"CheckNodeMemoryPressure", {kTaints}, kConditions},
    {"CheckNodeDiskPressure", {kTaints}, kConditions},
    {"CheckNodePIDPressure", {kTaints}, kConditions},
};

// Without the mandatory ones, TaintToleration and NodeUnschedulable.
constexpr std::string_view kFilters[] = {
    "NodeName",         "NodePorts",    "NodeAffinity", kFit,    "VolumeRestrictions",
    "NodeVolumeLimits", kVolumeBinding, "VolumeZone",   kSpread, kInterPod};

constexpr std::string_view kLeast = "LeastRequestedPriority";
constexpr std::string_view kMost = "MostRequestedPriority";
constexpr std::string_view kRatio = "RequestedToCapacityRatio";
constexpr std::string_view kSelectorSpread = "SelectorSpreadPriority";
constexpr std::string_view kServiceSpreading = "ServiceSpreadingPriority";

constexpr Legacy kPriorities[] = {
    {kSelectorSpread, {kSpread}},
    {kServiceSpreading, {kSpread}},
    {"EvenPodsSpreadPriority", {kSpread}},
    {"InterPodAffinityPriority", {kInterPod}},
    {kLeast, {kFit}},
    {kMost, {kFit}},
    {"BalancedResourceAllocation", {"NodeResourcesBalancedAllocation"}},
    {"NodeAffinityPriority", {"NodeAffinity"}},
    {"TaintTolerationPriority", {kTaints}},
    {"ImageLocalityPriority", {"ImageLocality"}},
    {"EqualPriority", {}, "it gave all nodes the same score; it is left out"},
    {"NodePreferAvoidPodsPriority",
     {},
     "kube-scheduler no longer reads the annotation preferAvoidPods; it is left out"},
};

constexpr std::string_view kScores[] = {
    kTaints,        "NodeAffinity", kFit, kSpread, kInterPod, "NodeResourcesBalancedAllocation",
    "ImageLocality"};

template <size_t N>
const Legacy* LegacyOf(const Legacy (&known)[N], const std::string& name) {
  const auto* found = std::find_if(std::begin(known), std::end(known),
                                   [&](const Legacy& legacy) { return legacy.name == name; });
  return found == std::end(known) ? nullptr : found;
}

template <size_t N>
std::string NearestLegacy(const Legacy (&known)[N], const std::string& name) {
  std::vector<std::string> names;
  for (const Legacy& legacy : known) names.emplace_back(legacy.name);
  return DidYouMean(name, names);
}

YAML::Node PluginNamed(std::string_view name) {
  YAML::Node node(YAML::NodeType::Map);
  node["name"] = std::string(name);
  return node;
}

// For arguments of plugins that are gone, what does the same.
struct Gone {
  std::string_view argument;
  std::string_view instead;
};

constexpr Gone kGone[] = {
    {"serviceAffinity", "use podAffinity in the pods"},
    {"labelsPresence", "require the labels by addedAffinity of the plugin NodeAffinity"},
    {"serviceAntiAffinity", "use topologySpreadConstraints in the pods"},
    {"labelPreference", "prefer the label by addedAffinity of the plugin NodeAffinity"},
};

class PluginsConverter {
 public:
  PluginsConverter(const Source& source, const YAML::Node& policy)
      : source_(source), policy_(policy), fields_(policy, Place()) {}

  absl::StatusOr<PolicyPlugins> Convert() {
    absl::Status status = ReadPredicates();
    if (status.ok()) status = ReadPriorities();
    if (status.ok()) status = ReadAffinityWeight();
    if (!status.ok()) return status;
    if (predicates_) WriteFilters();
    if (priorities_) WriteScores();
    NoteOfTheRest();
    return std::move(result_);
  }

 private:
  // The elements of a list that may be absent: then `read` stays false.
  template <typename Read>
  absl::Status ForEach(const std::string& list, bool* given, Read read) {
    const YAML::Node node = policy_[list];
    if (IsAbsent(node)) return absl::OkStatus();
    *given = true;
    if (!node.IsSequence()) {
      return source_.Error({list, node.Mark().line + 1}, "expected a list");
    }
    for (size_t i = 0; i < node.size(); ++i) {
      const YAML::Node element = node[i];
      absl::Status status = read(element, PlaceOfElement(list, i, element));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> NameOf(const MapReader& fields) const {
    const Field<std::string> name = fields.Text("name");
    if (name.Given() && !name.value.empty()) return name.value;
    return source_.Error(name.place, name.Absent() ? "is missing" : "expected a name");
  }

  void Note(const Place& place, std::string_view what) {
    result_.notes.push_back(fmt::format("{}: {}", place.path, what));
  }

  // An argument, unless it is one that is converted.
  absl::Status CheckArgument(const YAML::Node& element, const Place& place,
                             std::string_view converted) const {
    static constexpr std::string_view kKnown[] = {"serviceAffinity", "labelsPresence",
                                                  "serviceAntiAffinity", "labelPreference",
                                                  "requestedToCapacityRatioArguments"};
    const YAML::Node argument = element["argument"];
    if (IsAbsent(argument)) return absl::OkStatus();
    const Place at{place.path + ".argument", argument.Mark().line + 1};
    absl::Status status = source_.CheckKeys(argument, at, kKnown);
    if (!status.ok()) return status;
    for (const auto& entry : argument) {
      const std::string key = entry.first.Scalar();
      if (key == converted || IsAbsent(entry.second)) continue;
      const auto* gone = std::find_if(std::begin(kGone), std::end(kGone),
                                      [&](const Gone& g) { return g.argument == key; });
      const std::string_view instead = gone == std::end(kGone) ? "leave it out" : gone->instead;
      return source_.Error(
          {at.path + "." + key, entry.first.Mark().line + 1},
          fmt::format("no plugin of kube-scheduler takes this any more; {}", instead));
    }
    return absl::OkStatus();
  }

  absl::Status ReadPredicates() {
    return ForEach("predicates", &predicates_, [this](const YAML::Node& node, const Place& place) {
      static constexpr std::string_view kKnown[] = {"name", "argument"};
      absl::Status status = source_.CheckKeys(node, place, kKnown);
      if (!status.ok()) return status;
      const auto name = NameOf(MapReader(node, place));
      if (!name.ok()) return name.status();
      status = CheckArgument(node, place, "");
      if (!status.ok()) return status;
      const Legacy* legacy = LegacyOf(kPredicates, *name);
      if (legacy == nullptr) {
        return source_.Error(place, fmt::format("there is no predicate {:?}{}", *name,
                                                NearestLegacy(kPredicates, *name)));
      }
      filters_.insert(legacy->plugins.begin(), legacy->plugins.end());
      if (!legacy->note.empty()) Note(place, fmt::format("{}: {}", *name, legacy->note));
      return absl::OkStatus();
    });
  }

  absl::Status ReadPriorities() {
    return ForEach("priorities", &priorities_, [this](const YAML::Node& node, const Place& place) {
      return ReadPriority(node, place);
    });
  }

  absl::Status ReadPriority(const YAML::Node& node, const Place& place) {
    static constexpr std::string_view kKnown[] = {"name", "weight", "argument"};
    absl::Status status = source_.CheckKeys(node, place, kKnown);
    if (!status.ok()) return status;
    const MapReader fields(node, place);
    const auto name = NameOf(fields);
    if (!name.ok()) return name.status();
    const Field<int64_t> weight = fields.Integer("weight");
    if (!weight.Given() || weight.value < 1 || weight.value > std::numeric_limits<int32_t>::max()) {
      return source_.Error(weight.place, "expected an integer from 1 to 2147483647");
    }
    status = CheckArgument(node, place, "requestedToCapacityRatioArguments");
    if (!status.ok()) return status;
    // Its name was free.
    const MapReader ratio = fields.Map("argument").Map("requestedToCapacityRatioArguments");
    if (fields.Map("argument").Has("requestedToCapacityRatioArguments")) {
      Weigh(kFit, weight.value, place);
      return SetStrategy(std::string(kRatio), place, ratio, node);
    }
    const Legacy* legacy = LegacyOf(kPriorities, *name);
    if (legacy == nullptr) {
      return source_.Error(place, fmt::format("there is no priority {:?}{}", *name,
                                              NearestLegacy(kPriorities, *name)));
    }
    if (!legacy->note.empty()) Note(place, fmt::format("{}: {}", *name, legacy->note));
    for (const std::string_view plugin : legacy->plugins) {
      if (!plugin.empty()) Weigh(plugin, weight.value, place);
    }
    if (*name == kSelectorSpread || *name == kServiceSpreading) spreads_services_ = true;
    if (*name == kLeast) return SetStrategy("LeastAllocated", place, ratio, node);
    if (*name == kMost) return SetStrategy("MostAllocated", place, ratio, node);
    return absl::OkStatus();
  }

  void Weigh(std::string_view plugin, int64_t weight, const Place& place) {
    const auto [at, added] = weights_.emplace(plugin, weight);
    if (added || at->second == weight) return;
    at->second = std::max(at->second, weight);
    Note(place, fmt::format("the plugin {} has one weight; it gets the larger one, {}", plugin,
                            at->second));
  }

  // The plugin that replaces three has one of the three.
  absl::Status SetStrategy(const std::string& type, const Place& place, const MapReader& arguments,
                           const YAML::Node& priority) {
    if (!strategy_.empty() && (strategy_ != type || type == kRatio)) {
      return source_.Error(
          place, fmt::format("{} stands for scoringStrategy {} of NodeResourcesFit, which has only "
                             "one; {} has it already: leave one of them out",
                             MapReader(priority, place).Text("name").value, type, strategy_place_));
    }
    strategy_ = type;
    strategy_place_ = place.path;
    if (type != kRatio) return absl::OkStatus();
    const YAML::Node given = priority["argument"]["requestedToCapacityRatioArguments"];
    static constexpr std::string_view kKnown[] = {"shape", "resources"};
    absl::Status status = source_.CheckKeys(given, arguments.place(), kKnown);
    if (!status.ok()) return status;
    if (IsAbsent(given["shape"])) return source_.Error(arguments.place(), "shape is missing");
    shape_ = given["shape"];
    if (!IsAbsent(given["resources"])) resources_ = given["resources"];
    return absl::OkStatus();
  }

  absl::Status ReadAffinityWeight() {
    const Field<int64_t> weight = fields_.Integer("hardPodAffinitySymmetricWeight");
    if (weight.Absent()) return absl::OkStatus();
    if (weight.Broken() || weight.value < 0 || weight.value > 100) {
      return source_.Error(weight.place, "expected an integer from 1 to 100");
    }
    if (weight.value == 0) return absl::OkStatus();  // was "not given"
    if (priorities_ && !weights_.contains(kInterPod)) {
      Note(weight.place, "has no effect without InterPodAffinityPriority; it is left out");
      return absl::OkStatus();
    }
    YAML::Node args(YAML::NodeType::Map);
    args["hardPodAffinityWeight"] = weight.value;
    AddConfig(kInterPod, args);
    return absl::OkStatus();
  }

  void AddConfig(std::string_view plugin, const YAML::Node& args) {
    YAML::Node config = PluginNamed(plugin);
    config["args"] = args;
    result_.config.push_back(config);
  }

  // Where a plugin has another task, it stays for that: each point has its own list.
  void WriteFilters() {
    for (const std::string_view plugin : kFilters) {
      if (filters_.contains(plugin)) continue;
      if (plugin == kVolumeBinding) {
        result_.plugins["multiPoint"]["disabled"].push_back(PluginNamed(plugin));
        continue;
      }
      result_.plugins["preFilter"]["disabled"].push_back(PluginNamed(plugin));
      result_.plugins["filter"]["disabled"].push_back(PluginNamed(plugin));
    }
  }

  void WriteScores() {
    for (const std::string_view plugin : kScores) {
      const auto weight = weights_.find(plugin);
      if (weight == weights_.end()) {
        result_.plugins["preScore"]["disabled"].push_back(PluginNamed(plugin));
        result_.plugins["score"]["disabled"].push_back(PluginNamed(plugin));
        continue;
      }
      YAML::Node enabled = PluginNamed(plugin);
      enabled["weight"] = weight->second;
      result_.plugins["score"]["enabled"].push_back(enabled);
    }
    // Without it, Services and ReplicaSets were not spread by themselves.
    if (weights_.contains(kSpread) && !spreads_services_) {
      YAML::Node args(YAML::NodeType::Map);
      args["defaultingType"] = "List";
      AddConfig(kSpread, args);
    }
    WriteStrategy();
  }

  void WriteStrategy() {
    if (strategy_.empty()) return;
    YAML::Node strategy(YAML::NodeType::Map);
    strategy["type"] = strategy_;
    YAML::Node resources = resources_;
    if (!IsAbsent(resources)) strategy["resources"] = resources;
    if (strategy_ == kRatio) strategy["requestedToCapacityRatio"]["shape"] = shape_;
    YAML::Node args(YAML::NodeType::Map);
    args["scoringStrategy"] = strategy;
    AddConfig(kFit, args);
  }

  void NoteOfTheRest() {
    for (const auto& [list, given] :
         {std::pair("predicates", predicates_), std::pair("priorities", priorities_)}) {
      if (given) continue;
      result_.notes.push_back(fmt::format(
          "{} are not given: the scheduler's own plugins{} apply, which its version decides", list,
          std::string_view(list) == "priorities" ? " and weights" : ""));
    }
    if (predicates_) {
      result_.notes.emplace_back(
          "plugins that no predicate names, such as SchedulingGates and DynamicResources, stay on: "
          "they came after Policies");
    }
  }

  const Source& source_;
  const YAML::Node policy_;
  const MapReader fields_;
  PolicyPlugins result_;
  bool predicates_ = false;
  bool priorities_ = false;
  bool spreads_services_ = false;
  std::set<std::string_view> filters_;
  std::map<std::string_view, int64_t> weights_;
  std::string strategy_;
  std::string strategy_place_;
  YAML::Node shape_;
  YAML::Node resources_;
};

}  // namespace

absl::StatusOr<PolicyPlugins> PluginsOfPolicy(const Source& source, const YAML::Node& policy) {
  return PluginsConverter(source, policy).Convert();
}

}  // namespace outrigger::cli::policy
