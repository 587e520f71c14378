#include "cli/doctor/shape.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "cli/format/text.h"
#include "cli/format/yaml.h"
#include "cli/scheduler_config/document.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

enum class Type : uint8_t { kText, kInteger, kNumber, kTruth, kDuration, kMap, kList, kAny };

struct FieldShape {
  const char* name;
  Type type;
  std::span<const FieldShape> of = {};  // of a mapping, or of a list's elements
};

// KubeSchedulerConfiguration v1 of Kubernetes 1.31 to 1.37, fields behind feature gates included.
constexpr FieldShape kTls[] = {{"insecure", Type::kTruth}, {"serverName", Type::kText},
                               {"certFile", Type::kText},  {"keyFile", Type::kText},
                               {"caFile", Type::kText},    {"certData", Type::kText},
                               {"keyData", Type::kText},   {"caData", Type::kText}};
constexpr FieldShape kManagedResource[] = {{"name", Type::kText},
                                           {"ignoredByScheduler", Type::kTruth}};
constexpr FieldShape kExtender[] = {{"urlPrefix", Type::kText},
                                    {"filterVerb", Type::kText},
                                    {"preemptVerb", Type::kText},
                                    {"prioritizeVerb", Type::kText},
                                    {"weight", Type::kInteger},
                                    {"bindVerb", Type::kText},
                                    {"enableHTTPS", Type::kTruth},
                                    {"tlsConfig", Type::kMap, kTls},
                                    {"httpTimeout", Type::kDuration},
                                    {"nodeCacheCapable", Type::kTruth},
                                    {"managedResources", Type::kList, kManagedResource},
                                    {"ignorable", Type::kTruth}};
constexpr FieldShape kPlugin[] = {{"name", Type::kText}, {"weight", Type::kInteger}};
constexpr FieldShape kPluginSet[] = {{"enabled", Type::kList, kPlugin},
                                     {"disabled", Type::kList, kPlugin}};
constexpr FieldShape kPlugins[] = {{"preEnqueue", Type::kMap, kPluginSet},
                                   {"queueSort", Type::kMap, kPluginSet},
                                   {"preFilter", Type::kMap, kPluginSet},
                                   {"filter", Type::kMap, kPluginSet},
                                   {"postFilter", Type::kMap, kPluginSet},
                                   {"preScore", Type::kMap, kPluginSet},
                                   {"score", Type::kMap, kPluginSet},
                                   {"reserve", Type::kMap, kPluginSet},
                                   {"permit", Type::kMap, kPluginSet},
                                   {"preBind", Type::kMap, kPluginSet},
                                   {"bind", Type::kMap, kPluginSet},
                                   {"postBind", Type::kMap, kPluginSet},
                                   {"multiPoint", Type::kMap, kPluginSet},
                                   {"placementGenerate", Type::kMap, kPluginSet},
                                   {"placementScore", Type::kMap, kPluginSet},
                                   {"placementFeasible", Type::kMap, kPluginSet},
                                   {"podGroupPostFilter", Type::kMap, kPluginSet}};
constexpr FieldShape kPluginConfig[] = {{"name", Type::kText}, {"args", Type::kAny}};
constexpr FieldShape kProfile[] = {{"schedulerName", Type::kText},
                                   {"percentageOfNodesToScore", Type::kInteger},
                                   {"percentageOfPlacementsToScore", Type::kInteger},
                                   {"plugins", Type::kMap, kPlugins},
                                   {"pluginConfig", Type::kList, kPluginConfig}};
constexpr FieldShape kConnection[] = {{"kubeconfig", Type::kText},
                                      {"acceptContentTypes", Type::kText},
                                      {"contentType", Type::kText},
                                      {"qps", Type::kNumber},
                                      {"burst", Type::kInteger}};
constexpr FieldShape kElection[] = {
    {"leaderElect", Type::kTruth},      {"leaseDuration", Type::kDuration},
    {"renewDeadline", Type::kDuration}, {"retryPeriod", Type::kDuration},
    {"resourceLock", Type::kText},      {"resourceName", Type::kText},
    {"resourceNamespace", Type::kText}};
constexpr FieldShape kConfiguration[] = {{"apiVersion", Type::kText},
                                         {"kind", Type::kText},
                                         {"parallelism", Type::kInteger},
                                         {"leaderElection", Type::kMap, kElection},
                                         {"clientConnection", Type::kMap, kConnection},
                                         {"enableProfiling", Type::kTruth},
                                         {"enableContentionProfiling", Type::kTruth},
                                         {"percentageOfNodesToScore", Type::kInteger},
                                         {"percentageOfPlacementsToScore", Type::kInteger},
                                         {"podInitialBackoffSeconds", Type::kInteger},
                                         {"podMaxBackoffSeconds", Type::kInteger},
                                         {"profiles", Type::kList, kProfile},
                                         {"extenders", Type::kList, kExtender},
                                         {"delayCacheUntilActive", Type::kTruth}};

const char* AcceptedBy(Type type) {
  switch (type) {
    case Type::kText:
      return "a text, in quotes if it looks like a number or a truth value";
    case Type::kInteger:
      return "an integer, without quotes";
    case Type::kNumber:
      return "a number, without quotes";
    case Type::kTruth:
      return "true or false, without quotes";
    case Type::kDuration:
      return "a text such as 500ms, 1s or 5m";
    case Type::kMap:
      return "a mapping";
    case Type::kList:
      return "a list of mappings";
    case Type::kAny:
      return "";
  }
  return "";
}

bool IsOf(const YAML::Node& node, Type type) {
  switch (type) {
    case Type::kText:
      return TextOf(node).has_value();
    case Type::kInteger:
      return IntegerOf(node).has_value();
    case Type::kNumber:
      return NumberOf(node).has_value();
    case Type::kTruth:
      return TruthOf(node).has_value();
    case Type::kDuration:
      return DurationOf(node).has_value();
    case Type::kMap:
      return node.IsMap();
    case Type::kList:
      return node.IsSequence();
    case Type::kAny:
      return true;
  }
  return false;
}

std::string Shown(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return node.Tag() == "!" ? fmt::format("\"{}\"", node.Scalar()) : node.Scalar();
}

class Checker {
 public:
  Checker(const std::string& name, Findings* findings) : name_(name), findings_(findings) {}

  absl::Status CheckMap(const YAML::Node& map, const std::string& path,
                        std::span<const FieldShape> fields) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      absl::Status status = CheckKey(entry.first);
      if (!status.ok()) return status;
      const std::string& key = entry.first.Scalar();
      const Place place{fmt::format("{}{}{}", path, path.empty() ? "" : ".", key),
                        entry.first.Mark().line + 1};
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const FieldShape& known) { return key == known.name; });
      if (!seen.insert(key).second) {
        findings_->Add(FindingId::kFieldTwice, place, key + ", again", "leave out one of the two");
      } else if (field == fields.end()) {
        AddUnknown(place, key, fields);
      } else {
        status = CheckValue(entry.second, place, *field);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckKey(const YAML::Node& key) const {
    const bool merge = key.IsScalar() && key.Scalar() == "<<";
    if (key.IsScalar() && !merge) return absl::OkStatus();
    return absl::InvalidArgumentError(Printable(
        fmt::format("{}:{}:{}: {}", name_, key.Mark().line + 1, key.Mark().column + 1,
                    merge ? "merge keys (<<) are not accepted; write out what they stand for"
                          : "a key is a plain word")));
  }

  void AddUnknown(const Place& place, const std::string& key, std::span<const FieldShape> fields) {
    std::vector<std::string> names;
    for (const FieldShape& field : fields) names.emplace_back(field.name);
    const std::string nearest = Nearest(key, names);
    findings_->Add(FindingId::kFieldUnknown, place, key,
                   nearest.empty() ? "one of " + Listed(names) : nearest);
  }

  absl::Status CheckValue(const YAML::Node& value, const Place& place, const FieldShape& field) {
    if (IsAbsent(value)) return absl::OkStatus();
    if (!IsOf(value, field.type)) {
      AddWrongType(value, place, field.type);
      return absl::OkStatus();
    }
    if (field.type == Type::kMap) return CheckMap(value, place.path, field.of);
    return field.type == Type::kList ? CheckList(value, place, field) : absl::OkStatus();
  }

  absl::Status CheckList(const YAML::Node& list, const Place& place, const FieldShape& field) {
    size_t index = 0;
    for (const auto& element : list) {
      const Place of_element{fmt::format("{}[{}]", place.path, index++), element.Mark().line + 1};
      absl::Status status = CheckValue(element, of_element, {field.name, Type::kMap, field.of});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void AddWrongType(const YAML::Node& value, const Place& place, Type type) {
    const bool duration = type == Type::kDuration;
    findings_->Add(duration ? FindingId::kDurationMalformed : FindingId::kTypeWrong,
                   {place.path, value.Mark().line + 1}, Shown(value), AcceptedBy(type));
  }

  const std::string& name_;
  Findings* const findings_;
};

}  // namespace

absl::Status CheckShape(const std::string& name, const YAML::Node& root, Findings* findings) {
  return Checker(name, findings).CheckMap(root, "", kConfiguration);
}

}  // namespace outrigger::cli
