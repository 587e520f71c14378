#include "apiserver/crd/definition.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "apiserver/select/field_path.h"
#include "apiserver/select/json_path.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::apiserver {
namespace {

std::vector<std::string> TextsAt(const Json& object, std::string_view path) {
  std::vector<std::string> texts;
  for (const Json& text : ListAt(object, path)) texts.push_back(TextAt(text, ""));
  return texts;
}

class DefinitionReader {
 public:
  explicit DefinitionReader(const Json& object) : object_(object) {}

  std::vector<Cause> Read(CustomDefinition* definition) {
    CheckSpec();
    CheckNames();
    *definition = {.group = TextAt(object_, "spec.group"),
                   .kind = TextAt(object_, "spec.names.kind"),
                   .plural = TextAt(object_, "spec.names.plural"),
                   .singular = TextAt(object_, "spec.names.singular"),
                   .short_names = TextsAt(object_, "spec.names.shortNames"),
                   .categories = TextsAt(object_, "spec.names.categories"),
                   .namespaced = TextAt(object_, "spec.scope") == "Namespaced"};
    const Json& versions = ListAt(object_, "spec.versions");
    for (size_t i = 0; i < versions.size(); ++i) {
      definition->versions.push_back(ReadVersion(versions[i], fmt::format("spec.versions[{}]", i)));
    }
    CheckVersions(definition->versions);
    return std::move(causes_);
  }

 private:
  void Require(bool good, const std::string& field, const std::string& value, const char* why) {
    if (!good) causes_.push_back(InvalidValue(field, value, why));
  }

  void RequireLabel(const std::string& field, const std::string& value) {
    const bool good =
        IsDnsLabel(value) && absl::ascii_isalpha(static_cast<unsigned char>(value[0]));
    Require(good, field, value, "must be a DNS label that begins with a letter");
  }

  void CheckSpec() {
    const std::string& group = TextAt(object_, "spec.group");
    const std::string& name = TextAt(object_, "metadata.name");
    Require(name == TextAt(object_, "spec.names.plural") + "." + group && IsDnsSubdomain(name),
            "metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
    Require(IsDnsSubdomain(group) && group.find('.') != std::string::npos, "spec.group", group,
            "should be a domain with at least one dot");
    const std::string& strategy = TextAt(object_, "spec.conversion.strategy");
    Require(strategy.empty() || strategy == "None", "spec.conversion.strategy", strategy,
            "must be None: custom resources are not converted here");
    Require(!IsTrueAt(object_, "spec.preserveUnknownFields"), "spec.preserveUnknownFields", "true",
            "must be false: the schema says what is kept");
    const std::string& scope = TextAt(object_, "spec.scope");
    if (scope == "Cluster" || scope == "Namespaced") return;
    causes_.push_back(NotSupportedValue("spec.scope", scope, {"Cluster", "Namespaced"}));
  }

  void CheckNames() {
    for (const char* name : {"plural", "singular", "kind", "listKind"}) {
      const std::string field = fmt::format("spec.names.{}", name);
      RequireLabel(field, absl::AsciiStrToLower(TextAt(object_, field)));
    }
  }

  void CheckVersions(const std::vector<CustomVersion>& versions) {
    std::set<std::string> names;
    int stored = 0;
    for (const CustomVersion& version : versions) {
      names.insert(version.name);
      stored += version.storage ? 1 : 0;
    }
    Require(stored == 1 && names.size() == versions.size(), "spec.versions",
            fmt::format("{}", fmt::join(names, ",")),
            "must have unique names, and exactly one version marked as storage version");
  }

  CustomVersion ReadVersion(const Json& version, const std::string& path) {
    CustomVersion read = {.name = TextAt(version, "name"),
                          .served = IsTrueAt(version, "served"),
                          .storage = IsTrueAt(version, "storage"),
                          .schema = ReadSchema(version, path),
                          .has_status = ValueAt(version, "subresources.status") != nullptr};
    RequireLabel(path + ".name", read.name);
    const Json* columns = ValueAt(version, "additionalPrinterColumns");
    read.columns = Columns::OfCustomResource(columns == nullptr ? Json() : *columns);
    for (const Json& column : ListAt(version, "additionalPrinterColumns")) {
      RequirePath(column, "jsonPath", ".", path + ".additionalPrinterColumns");
    }
    CheckScale(version, path + ".subresources.scale");
    for (const Json& field : ListAt(version, "selectableFields")) {
      const std::string& json_path = TextAt(field, "jsonPath");
      if (!json_path.empty()) read.selectable_fields.push_back(json_path.substr(1));
    }
    return read;
  }

  std::shared_ptr<const StructuralSchema> ReadSchema(const Json& version, const std::string& path) {
    auto schema = std::make_shared<StructuralSchema>();
    const Json* given = ValueAt(version, "schema.openAPIV3Schema");
    if (given == nullptr) {
      causes_.push_back(RequiredValue(path + ".schema.openAPIV3Schema"));
      return schema;
    }
    // Upstream takes the schema of the only version for one of all versions.
    const bool alone = ListAt(object_, "spec.versions").size() == 1;
    const std::string holder = alone ? "spec.validation" : path + ".schema";
    schema->Compile(*given, holder + ".openAPIV3Schema", &causes_);
    return schema;
  }

  void CheckScale(const Json& version, const std::string& path) {
    const Json* scale = ValueAt(version, "subresources.scale");
    if (scale == nullptr) return;
    RequirePath(*scale, "specReplicasPath", ".spec.", path);
    RequirePath(*scale, "statusReplicasPath", ".status.", path);
  }

  void RequirePath(const Json& holder, const char* name, std::string_view begin,
                   const std::string& path) {
    const std::string& value = TextAt(holder, name);
    Require(value.starts_with(begin) && JsonPath().Parse(value), fmt::format("{}.{}", path, name),
            value, "is an invalid jsonpath, or of another part");
  }

  const Json& object_;
  std::vector<Cause> causes_;
};

// What is said of a name that is taken; empty: all are free.
std::string FindTaken(const NamesTaken& taken, const Json& names) {
  const Json flat = names.flatten();
  for (const Json& name : flat) {
    for (const auto& used : {taken.resources, taken.kinds}) {
      if (std::find(used.begin(), used.end(), name) == used.end()) continue;
      return fmt::format("{} is already in use", name.dump());
    }
  }
  return "";
}

// Replaces the condition of its type; its time changes with its status only.
void SetDefinitionCondition(Json condition, const std::string& now, Json* conditions) {
  condition["lastTransitionTime"] = now;
  for (Json& other : *conditions) {
    if (other["type"] != condition["type"]) continue;
    if (other["status"] == condition["status"]) {
      condition["lastTransitionTime"] = other["lastTransitionTime"];
    }
    other = std::move(condition);
    return;
  }
  conditions->push_back(std::move(condition));
}

}  // namespace

std::optional<Failure> CustomDefinition::Read(const Json& object, CustomDefinition* definition) {
  std::vector<Cause> causes = DefinitionReader(object).Read(definition);
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid(
      {"apiextensions.k8s.io", "CustomResourceDefinition", TextAt(object, "metadata.name")},
      std::move(causes));
}

void SetDefinitionDefaults(Json* object) {
  if (!(*object)["spec"].is_object() || !(*object)["spec"]["names"].is_object()) return;
  Json& spec = (*object)["spec"];
  Json& names = spec["names"];
  const std::string kind = TextAt(names, "kind");
  if (TextAt(names, "singular").empty() && !kind.empty()) {
    names["singular"] = absl::AsciiStrToLower(kind);
  }
  if (TextAt(names, "listKind").empty() && !kind.empty()) names["listKind"] = kind + "List";
  if (ValueAt(spec, "conversion") == nullptr) spec["conversion"] = {{"strategy", "None"}};
  Json& status = (*object)["status"];
  if (!ListAt(status, "storedVersions").empty()) return;
  for (const Json& version : ListAt(spec, "versions")) {
    if (!IsTrueAt(version, "storage")) continue;
    status["storedVersions"] = Json::array({TextAt(version, "name")});
    return;
  }
}

bool AcceptNames(const NamesTaken& taken, const std::string& now, Json* object) {
  const std::string conflict = FindTaken(taken, (*object)["spec"]["names"]);
  const bool free = conflict.empty();
  Json& status = (*object)["status"];
  Json& accepted = status["acceptedNames"];
  if (free) accepted = (*object)["spec"]["names"];
  if (accepted.is_null()) accepted = {{"plural", ""}, {"kind", ""}};
  Json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  SetDefinitionCondition({{"type", "NamesAccepted"},
                          {"status", free ? "True" : "False"},
                          {"reason", free ? "NoConflicts" : "NamesConflict"},
                          {"message", free ? "no conflicts found" : conflict}},
                         now, &conditions);
  // What was once established stays so.
  if (TextAt(accepted, "plural").empty()) return false;
  SetDefinitionCondition({{"type", "Established"},
                          {"status", "True"},
                          {"reason", "InitialNamesAccepted"},
                          {"message", "the initial names have been accepted"}},
                         now, &conditions);
  return true;
}

}  // namespace outrigger::apiserver
