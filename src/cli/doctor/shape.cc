#include "cli/doctor/shape.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "absl/strings/match.h"
#include "cli/doctor/configuration_fields.h"
#include "cli/doctor/field_shape.h"
#include "cli/scheduler_config/document.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "sdk/base/nearest.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

const char* AcceptedBy(FieldType type) {
  switch (type) {
    case FieldType::kText:
      return "a string, in quotes if it looks like a number or a boolean";
    case FieldType::kInteger:
      return "an integer, without quotes";
    case FieldType::kNumber:
      return "a number, without quotes";
    case FieldType::kTruth:
      return "true or false, without quotes";
    case FieldType::kDuration:
      return "a string such as 500ms, 1s or 5m";
    case FieldType::kMap:
      return "a mapping";
    case FieldType::kList:
      return "a list of mappings";
    case FieldType::kTexts:
      return "a list of strings, each in quotes if it looks like a number or a boolean";
    case FieldType::kAny:
      return "";
  }
  return "";
}

bool IsOf(const YAML::Node& node, FieldType type) {
  switch (type) {
    case FieldType::kText:
      return TextOf(node).has_value();
    case FieldType::kInteger:
      return IntegerOf(node).has_value();
    case FieldType::kNumber:
      return NumberOf(node).has_value();
    case FieldType::kTruth:
      return TruthOf(node).has_value();
    case FieldType::kDuration:
      return DurationOf(node).has_value();
    case FieldType::kMap:
      return node.IsMap();
    case FieldType::kList:
      return node.IsSequence();
    case FieldType::kTexts:
      return node.IsSequence() && std::all_of(node.begin(), node.end(), [](const YAML::Node& one) {
               return TextOf(one).has_value();
             });
    case FieldType::kAny:
      return true;
  }
  return false;
}

std::string Shown(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return node.Tag() == "!" ? fmt::format("\"{}\"", node.Scalar()) : node.Scalar();
}

bool HasField(std::span<const FieldShape> fields, const std::string& key) {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldShape& field) {
    return absl::EqualsIgnoreCase(key, field.name);
  });
}

// What to write for a key that none of `names` is.
std::string CureOf(const std::string& key, const std::vector<std::string>& names) {
  const auto same = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return absl::EqualsIgnoreCase(key, name);
  });
  if (same != names.end()) return *same;
  const std::span<const FieldShape> all = fields::kKubeSchedulerConfiguration;
  if (HasField(all, key)) return fmt::format("{} belongs to the top level of the file", key);
  for (const FieldShape& field : all) {
    if (!HasField(field.of, key)) continue;
    return fmt::format("{} belongs to {}{}", key, field.name,
                       field.type == FieldType::kList ? "[...]" : "");
  }
  const std::string nearest = Nearest(key, names);
  return nearest.empty() ? "one of " + Listed(names) : nearest;
}

// The fields of `args` in an element of pluginConfig; none for a plugin of others.
std::span<const FieldShape> ArgumentsIn(const YAML::Node& map) {
  const YAML::Node name = map["name"];
  if (!name.IsDefined() || !name.IsScalar()) return {};
  const std::span<const ArgumentsShape> all = fields::kPluginArguments;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ArgumentsShape& arguments) {
    return name.Scalar() == arguments.plugin;
  });
  return found == all.end() ? std::span<const FieldShape>() : found->of;
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
                        entry.first.Mark().line + 1, entry.first.Mark().column + 1};
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const FieldShape& known) { return key == known.name; });
      if (!seen.insert(key).second) {
        findings_->Add(FindingId::kFieldTwice, place, key + ", again", "leave out one of the two");
      } else if (field == fields.end()) {
        AddUnknown(place, key, fields);
      } else if (field->type == FieldType::kAny) {
        status = CheckValue(entry.second, place, {field->name, FieldType::kMap, ArgumentsIn(map)});
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
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}:{}:{}: {}", name_, key.Mark().line + 1, key.Mark().column + 1,
                              merge ? "merge keys (<<) are not supported; write out their content"
                                    : "a key must be a plain word")));
  }

  void AddUnknown(const Place& place, const std::string& key, std::span<const FieldShape> fields) {
    std::vector<std::string> names;
    for (const FieldShape& field : fields) names.emplace_back(field.name);
    findings_->Add(FindingId::kFieldUnknown, place, key, CureOf(key, names));
  }

  absl::Status CheckValue(const YAML::Node& value, const Place& place, const FieldShape& field) {
    if (IsAbsent(value)) return absl::OkStatus();
    if (!IsOf(value, field.type)) {
      AddWrongType(value, place, field.type);
      return absl::OkStatus();
    }
    if (field.type == FieldType::kMap && !field.of.empty()) {
      return CheckMap(value, place.path, field.of);
    }
    return field.type == FieldType::kList ? CheckList(value, place, field) : absl::OkStatus();
  }

  absl::Status CheckList(const YAML::Node& list, const Place& place, const FieldShape& field) {
    size_t index = 0;
    for (const auto& element : list) {
      const Place of_element{fmt::format("{}[{}]", place.path, index++), element.Mark().line + 1};
      absl::Status status =
          CheckValue(element, of_element, {field.name, FieldType::kMap, field.of});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void AddWrongType(const YAML::Node& value, const Place& place, FieldType type) {
    const bool duration = type == FieldType::kDuration;
    findings_->Add(duration ? FindingId::kDurationMalformed : FindingId::kTypeWrong,
                   {place.path, value.Mark().line + 1, value.Mark().column + 1}, Shown(value),
                   AcceptedBy(type));
  }

  const std::string& name_;
  Findings* const findings_;
};

}  // namespace

absl::Status CheckShape(const std::string& name, const YAML::Node& root, Findings* findings) {
  return Checker(name, findings).CheckMap(root, "", fields::kKubeSchedulerConfiguration);
}

}  // namespace outrigger::cli
