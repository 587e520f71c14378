#include "apiserver/select/cells.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "apiserver/select/columns.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// "a/b" as its two paths.
std::pair<std::string_view, std::string_view> TwoPaths(std::string_view path) {
  const size_t slash = path.find('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

std::string OneOf(const std::string& first, const std::string& second) {
  return first.empty() ? second : first;
}

Json SizeCell(const Json& object, std::string_view path, absl::Time) {
  const auto [first, second] = TwoPaths(path);
  const Json* a = ValueAt(object, first);
  const Json* b = first == path ? nullptr : ValueAt(object, second);
  return (a == nullptr ? 0 : a->size()) + (b == nullptr ? 0 : b->size());
}

Json IntegerCell(const Json& object, std::string_view path, absl::Time) {
  return NumberAt(object, path);
}

Json BoolCell(const Json& object, std::string_view path, absl::Time) {
  return IsTrueAt(object, path);
}

Json RatioCell(const Json& object, std::string_view path, absl::Time) {
  const auto [first, second] = TwoPaths(path);
  return fmt::format("{}/{}", NumberAt(object, first), NumberAt(object, second));
}

Json SlashCell(const Json& object, std::string_view path, absl::Time) {
  const auto [first, second] = TwoPaths(path);
  return fmt::format("{}/{}", TextAt(object, first), TextAt(object, second));
}

// "list/member": the members of all items; "list/": the items.
Json EachCell(const Json& object, std::string_view path, absl::Time) {
  const auto [list, member] = TwoPaths(path);
  std::vector<std::string> texts;
  for (const Json& item : ListAt(object, list)) texts.push_back(TextAt(item, member));
  if (texts.empty()) return nullptr;
  return absl::StrJoin(texts, ",");
}

Json LabelsCell(const Json& object, std::string_view path, absl::Time) {
  const Json* labels = ValueAt(object, path);
  if (labels == nullptr || labels->empty()) return "<none>";
  std::vector<std::string> texts;
  for (const auto& [key, value] : labels->items()) texts.push_back(key + "=" + TextAt(value, ""));
  return absl::StrJoin(texts, ",");
}

Json SelectorCell(const Json& object, std::string_view path, absl::Time) {
  const Json* selector = ValueAt(object, path);
  std::multimap<std::string, std::string> texts;
  if (selector == nullptr) return "<none>";
  if (const Json* labels = ValueAt(*selector, "matchLabels")) {
    for (const auto& [key, value] : labels->items()) {
      texts.emplace(key, key + "=" + TextAt(value, ""));
    }
  }
  for (const Json& expression : ListAt(*selector, "matchExpressions")) {
    const std::string& key = TextAt(expression, "key");
    const std::string op = absl::AsciiStrToLower(TextAt(expression, "operator"));
    std::vector<std::string> values;
    for (const Json& value : ListAt(expression, "values")) values.push_back(TextAt(value, ""));
    std::sort(values.begin(), values.end());
    texts.emplace(key, op == "exists" ? key
                       : op == "doesnotexist"
                           ? "!" + key
                           : fmt::format("{} {} ({})", key, op, absl::StrJoin(values, ",")));
  }
  if (texts.empty()) return "<none>";
  return absl::StrJoin(texts, ",", [](std::string* out, const auto& text) { *out += text.second; });
}

Json JobStatusCell(const Json& job, std::string_view, absl::Time) {
  const auto is = [&job](std::string_view type) { return ConditionOf(job, type) == "True"; };
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (ValueAt(job, "metadata.deletionTimestamp") != nullptr) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (is(type)) return type;
  }
  return "Running";
}

Json JobCompletionsCell(const Json& job, std::string_view, absl::Time) {
  const int64_t succeeded = NumberAt(job, "status.succeeded");
  if (ValueAt(job, "spec.completions") != nullptr) {
    return fmt::format("{}/{}", succeeded, NumberAt(job, "spec.completions"));
  }
  const int64_t parallelism = NumberAt(job, "spec.parallelism");
  if (parallelism > 1) return fmt::format("{}/1 of {}", succeeded, parallelism);
  return fmt::format("{}/1", succeeded);
}

Json JobDurationCell(const Json& job, std::string_view, absl::Time now) {
  absl::Time end = now;
  absl::ParseTime(absl::RFC3339_full, TextAt(job, "status.completionTime"), &end, nullptr);
  const Json duration = AgeCell(job, "status.startTime", end);
  return duration.is_null() ? "" : duration;
}

Json SuspendCell(const Json& job, std::string_view path, absl::Time) {
  if (ValueAt(job, path) == nullptr) return "<unset>";
  return IsTrueAt(job, path) ? "True" : "False";
}

Json ExternalIpsCell(const Json& service, std::string_view, absl::Time now) {
  const std::string& type = TextAt(service, "spec.type");
  if (type == "ExternalName") return TextAt(service, "spec.externalName");
  std::set<std::string> balancers;
  for (const Json& ingress : ListAt(service, "status.loadBalancer.ingress")) {
    const std::string address = OneOf(TextAt(ingress, "ip"), TextAt(ingress, "hostname"));
    if (type == "LoadBalancer" && !address.empty()) balancers.insert(address);
  }
  std::vector<std::string> all(balancers.begin(), balancers.end());
  const Json own = EachCell(service, "spec.externalIPs/", now);
  if (!own.is_null()) all.push_back(own);
  if (all.empty()) return type == "LoadBalancer" ? "<pending>" : "<none>";
  return absl::StrJoin(all, ",");
}

Json ServicePortsCell(const Json& service, std::string_view, absl::Time) {
  std::vector<std::string> texts;
  for (const Json& port : ListAt(service, "spec.ports")) {
    const int64_t node_port = NumberAt(port, "nodePort");
    texts.push_back(fmt::format("{}{}/{}", NumberAt(port, "port"),
                                node_port > 0 ? fmt::format(":{}", node_port) : "",
                                TextAt(port, "protocol")));
  }
  return texts.empty() ? "<none>" : absl::StrJoin(texts, ",");
}

Json NodeStatusCell(const Json& node, std::string_view, absl::Time) {
  const std::string_view ready = ConditionOf(node, "Ready");
  std::string status = ready.empty() ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
  if (IsTrueAt(node, "spec.unschedulable")) status += ",SchedulingDisabled";
  return status;
}

Json NodeRolesCell(const Json& node, std::string_view, absl::Time) {
  std::set<std::string> roles;
  const Json* found = ValueAt(node, "metadata.labels");
  const Json labels = found == nullptr ? Json::object() : *found;
  for (const auto& [key, value] : labels.items()) {
    constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
    if (key.starts_with(kPrefix)) roles.insert(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role") roles.insert(TextAt(value, ""));
  }
  roles.erase("");
  return roles.empty() ? "<none>" : absl::StrJoin(roles, ",");
}

Json NodeAddressCell(const Json& node, std::string_view type, absl::Time) {
  for (const Json& address : ListAt(node, "status.addresses")) {
    if (TextAt(address, "type") == type) return TextAt(address, "address");
  }
  return "<none>";
}

Json KernelCell(const Json& node, std::string_view, absl::Time) {
  const std::string version = OneOf(TextAt(node, "status.nodeInfo.kernelVersion"), "<unknown>");
  const std::string& architecture = TextAt(node, "status.nodeInfo.architecture");
  return architecture.empty() ? version : fmt::format("{} ({})", version, architecture);
}

Json EventFirstCell(const Json& event, std::string_view, absl::Time now) {
  const Json age = AgeCell(event, "firstTimestamp", now);
  return age.is_null() ? AgeCell(event, "eventTime", now) : age;
}

Json EventLastCell(const Json& event, std::string_view path, absl::Time now) {
  if (ValueAt(event, "series") != nullptr) return AgeCell(event, "series.lastObservedTime", now);
  const Json age = AgeCell(event, "lastTimestamp", now);
  return age.is_null() ? EventFirstCell(event, path, now) : age;
}

Json EventCountCell(const Json& event, std::string_view, absl::Time) {
  if (ValueAt(event, "series") != nullptr) return NumberAt(event, "series.count");
  return std::max<int64_t>(NumberAt(event, "count"), 1);
}

Json EventObjectCell(const Json& event, std::string_view, absl::Time) {
  const std::string kind = absl::AsciiStrToLower(TextAt(event, "involvedObject.kind"));
  const std::string& name = TextAt(event, "involvedObject.name");
  return name.empty() ? kind : fmt::format("{}/{}", kind, name);
}

Json EventSourceCell(const Json& event, std::string_view, absl::Time) {
  const std::string component =
      OneOf(TextAt(event, "source.component"), TextAt(event, "reportingComponent"));
  const std::string instance =
      OneOf(TextAt(event, "source.host"), TextAt(event, "reportingInstance"));
  return instance.empty() ? component : fmt::format("{}, {}", component, instance);
}

Json TrimmedCell(const Json& object, std::string_view path, absl::Time) {
  return std::string(absl::StripAsciiWhitespace(TextAt(object, path)));
}

Json PhaseCell(const Json& object, std::string_view, absl::Time) {
  if (ValueAt(object, "metadata.deletionTimestamp") != nullptr) return "Terminating";
  return TextAt(object, "status.phase");
}

Json AccessModesCell(const Json& object, std::string_view path, absl::Time) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kModes = {
      {{"ReadWriteOnce", "RWO"},
       {"ReadOnlyMany", "ROX"},
       {"ReadWriteMany", "RWX"},
       {"ReadWriteOncePod", "RWOP"}}};
  const Json& modes = ListAt(object, path);
  std::vector<std::string> texts;
  for (const auto& [mode, text] : kModes) {
    if (std::find(modes.begin(), modes.end(), mode) != modes.end()) texts.emplace_back(text);
  }
  return absl::StrJoin(texts, ",");
}

Json ClaimModesCell(const Json& claim, std::string_view path, absl::Time now) {
  return TextAt(claim, "spec.volumeName").empty() ? "" : AccessModesCell(claim, path, now);
}

Json ClaimCapacityCell(const Json& claim, std::string_view, absl::Time) {
  if (TextAt(claim, "spec.volumeName").empty()) return "";
  return OneOf(TextAt(claim, "status.capacity.storage"), "0");
}

Json VolumeClaimCell(const Json& volume, std::string_view path, absl::Time now) {
  return ValueAt(volume, "spec.claimRef") == nullptr ? "" : SlashCell(volume, path, now);
}

Json SubjectsCell(const Json& binding, std::string_view kind, absl::Time) {
  std::vector<std::string> texts;
  for (const Json& subject : ListAt(binding, "subjects")) {
    if (TextAt(subject, "kind") != kind) continue;
    const std::string& name = TextAt(subject, "name");
    texts.push_back(kind == "ServiceAccount" ? TextAt(subject, "namespace") + "/" + name : name);
  }
  return absl::StrJoin(texts, ", ");
}

Json ResourceClaimCell(const Json& claim, std::string_view, absl::Time) {
  const bool deleted = ValueAt(claim, "metadata.deletionTimestamp") != nullptr;
  if (ValueAt(claim, "status.allocation") == nullptr) return deleted ? "deleted" : "pending";
  return fmt::format("{}allocated{}", deleted ? "deleted," : "",
                     ListAt(claim, "status.reservedFor").empty() ? "" : ",reserved");
}

Json PodGroupPolicyCell(const Json& group, std::string_view, absl::Time) {
  return ValueAt(group, "spec.schedulingPolicy.gang") == nullptr ? "Basic" : "Gang";
}

Json PodGroupStatusCell(const Json& group, std::string_view, absl::Time) {
  std::string status = "Pending";
  const std::string_view scheduled = ConditionOf(group, "PodGroupInitiallyScheduled");
  if (!scheduled.empty()) status = scheduled == "True" ? "Scheduled" : "Unschedulable";
  for (const Json& condition : ListAt(group, "status.conditions")) {
    if (TextAt(condition, "type") == "DisruptionTarget") status = TextAt(condition, "reason");
  }
  return status;
}

constexpr std::pair<std::string_view, CellFunction> kCellFunctions[] = {
    {"age", AgeCell},
    {"size", SizeCell},
    {"int", IntegerCell},
    {"bool", BoolCell},
    {"ratio", RatioCell},
    {"slash", SlashCell},
    {"each", EachCell},
    {"labels", LabelsCell},
    {"selector", SelectorCell},
    {"trim", TrimmedCell},
    {"podReady", PodReadyCell},
    {"podStatus", PodStatusCell},
    {"podRestarts", PodRestartsCell},
    {"podGates", PodGatesCell},
    {"jobStatus", JobStatusCell},
    {"jobCompletions", JobCompletionsCell},
    {"jobDuration", JobDurationCell},
    {"suspend", SuspendCell},
    {"externalIPs", ExternalIpsCell},
    {"servicePorts", ServicePortsCell},
    {"nodeStatus", NodeStatusCell},
    {"nodeRoles", NodeRolesCell},
    {"nodeAddress", NodeAddressCell},
    {"kernel", KernelCell},
    {"eventFirst", EventFirstCell},
    {"eventLast", EventLastCell},
    {"eventCount", EventCountCell},
    {"eventObject", EventObjectCell},
    {"eventSource", EventSourceCell},
    {"phase", PhaseCell},
    {"accessModes", AccessModesCell},
    {"claimModes", ClaimModesCell},
    {"claimCapacity", ClaimCapacityCell},
    {"volumeClaim", VolumeClaimCell},
    {"subjects", SubjectsCell},
    {"resourceClaim", ResourceClaimCell},
    {"podGroupPolicy", PodGroupPolicyCell},
    {"podGroupStatus", PodGroupStatusCell},
};

}  // namespace

CellFunction FindCellFunction(std::string_view name) {
  for (const auto& [known, function] : kCellFunctions) {
    if (known == name) return function;
  }
  return nullptr;
}

Json AgeCell(const Json& object, std::string_view path, absl::Time now) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, TextAt(object, path), &time, nullptr)) return nullptr;
  return AgeText(now - time);
}

}  // namespace outrigger::apiserver
