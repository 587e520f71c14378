#include "apiserver/crd/definition.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "apiserver/select/field_path.h"
#include "apiserver/select/json_path.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kNotALabel =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kNotASubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

// What starts with a letter, too.
bool IsDns1035Label(std::string_view text) {
  return IsDnsLabel(text) && text.front() >= 'a' && text.front() <= 'z';
}

std::vector<std::string> TextsAt(const Json& object, std::string_view path) {
  std::vector<std::string> texts;
  for (const Json& text : ListAt(object, path)) texts.push_back(TextAt(text, ""));
  return texts;
}

class DefinitionReader {
 public:
  explicit DefinitionReader(const Json& object) : object_(object) {}

  std::vector<Cause> Read(CustomDefinition* definition);

 private:
  void Add(Cause cause) { causes_.push_back(std::move(cause)); }
  void CheckGroup();
  void CheckNames();
  void CheckLabel(const std::string& field, const std::string& value, const char* prefix);
  void CheckVersions();
  void CheckColumns(const Json& columns, const std::string& path);
  void CheckScale(const Json& scale, const std::string& path);
  void CheckPath(const Json& scale, const char* name, std::vector<std::string_view> below,
                 const char* why, const std::string& path);
  std::string FieldOfVersion(size_t index, const char* own, const char* shared, bool* skip) const;
  CustomVersion ReadVersion(const Json& version, size_t index);

  const Json& object_;
  std::vector<Cause> causes_;
};

void DefinitionReader::CheckGroup() {
  const std::string& group = TextAt(object_, "spec.group");
  const std::string& name = TextAt(object_, "metadata.name");
  if (!IsDnsSubdomain(name)) Add(InvalidValue("metadata.name", name, kNotASubdomain));
  if (name != TextAt(object_, "spec.names.plural") + "." + group) {
    Add(InvalidValue("metadata.name", name, "must be spec.names.plural+\".\"+spec.group"));
  }
  if (group.empty()) {
    Add(RequiredValue("spec.group"));
  } else if (!IsDnsSubdomain(group)) {
    Add(InvalidValue("spec.group", group, kNotASubdomain));
  } else if (group.find('.') == std::string::npos) {
    Add(InvalidValue("spec.group", group, "should be a domain with at least one dot"));
  }
  const std::string& scope = TextAt(object_, "spec.scope");
  if (scope.empty()) {
    Add(RequiredValue("spec.scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    Add(NotSupportedValue("spec.scope", scope, {"Cluster", "Namespaced"}));
  }
  if (IsTrueAt(object_, "spec.preserveUnknownFields")) {
    Add(InvalidValue("spec.preserveUnknownFields", true,
                     "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                     "spec.versions[*].schema instead"));
  }
  const std::string& strategy = TextAt(object_, "spec.conversion.strategy");
  if (strategy == "Webhook") {
    Add(ForbiddenValue("spec.conversion.strategy", "conversion webhooks are not supported here"));
  } else if (!strategy.empty() && strategy != "None") {
    Add(NotSupportedValue("spec.conversion.strategy", strategy, {"None", "Webhook"}));
  }
}

void DefinitionReader::CheckLabel(const std::string& field, const std::string& value,
                                  const char* prefix) {
  const std::string label = *prefix == '\0' ? value : absl::AsciiStrToLower(value);
  if (!value.empty() && !IsDns1035Label(label)) {
    Add(InvalidValue("spec.names." + field, value, std::string(prefix) + kNotALabel));
  }
}

void DefinitionReader::CheckNames() {
  constexpr const char* kMixed = "may have mixed case, but should otherwise match: ";
  for (const char* name : {"plural", "singular", "kind", "listKind"}) {
    const std::string& value = TextAt(object_, std::string("spec.names.") + name);
    if (value.empty()) Add(RequiredValue(std::string("spec.names.") + name));
    const bool mixed = std::string_view(name).ends_with("ind");
    CheckLabel(name, value, mixed ? kMixed : "");
  }
  for (const char* name : {"shortNames", "categories"}) {
    const Json& values = ListAt(object_, std::string("spec.names.") + name);
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string& value = TextAt(values[i], "");
      if (!IsDns1035Label(value)) {
        Add(InvalidValue(fmt::format("spec.names.{}[{}]", name, i), value, kNotALabel));
      }
    }
  }
  const std::string& list_kind = TextAt(object_, "spec.names.listKind");
  if (!list_kind.empty() && list_kind == TextAt(object_, "spec.names.kind")) {
    Add(InvalidValue("spec.names.listKind", list_kind, "kind and listKind may not be the same"));
  }
}

void DefinitionReader::CheckVersions() {
  const Json& versions = ListAt(object_, "spec.versions");
  std::set<std::string> names;
  int storage = 0;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string& name = TextAt(versions[i], "name");
    names.insert(name);
    storage += IsTrueAt(versions[i], "storage");
    const std::string path = fmt::format("spec.versions[{}]", i);
    if (!IsDns1035Label(name)) Add(InvalidValue(path + ".name", name, kNotALabel));
    if (ValueAt(versions[i], "schema.openAPIV3Schema") == nullptr) {
      Add(RequiredValue(path + ".schema.openAPIV3Schema"));
    }
  }
  if (names.size() != versions.size()) {
    Add(InvalidValue("spec.versions", versions, "must contain unique version names"));
  }
  if (storage != 1) {
    Add(InvalidValue("spec.versions", versions,
                     "must have exactly one version marked as storage version"));
  }
}

void DefinitionReader::CheckColumns(const Json& columns, const std::string& path) {
  const auto check_word = [&](const std::string& field, const std::string& value,
                              const std::string& known) {
    const bool found = ("," + known + ",").find("," + value + ",") != std::string::npos;
    if (!value.empty() && !found) Add(InvalidValue(field, value, "must be one of " + known));
  };
  constexpr const char* kTypes = "boolean,date,integer,number,string";
  for (size_t i = 0; i < columns.size(); ++i) {
    const Json& column = columns[i];
    const std::string field = fmt::format("{}[{}]", path, i);
    if (TextAt(column, "name").empty()) Add(RequiredValue(field + ".name"));
    if (TextAt(column, "type").empty()) {
      Add(RequiredValue(field + ".type", std::string("must be one of ") + kTypes));
    }
    check_word(field + ".type", TextAt(column, "type"), kTypes);
    check_word(field + ".format", TextAt(column, "format"),
               "byte,date,date-time,double,float,int32,int64,password");
    const std::string& json_path = TextAt(column, "jsonPath");
    if (json_path.empty()) Add(RequiredValue(field + ".JSONPath"));
    if (!json_path.empty() && !JsonPath().Parse(json_path)) {
      Add(InvalidValue(field + ".JSONPath", json_path, "is an invalid jsonpath"));
    }
  }
}

void DefinitionReader::CheckPath(const Json& scale, const char* name,
                                 std::vector<std::string_view> below, const char* why,
                                 const std::string& path) {
  const std::string& value = TextAt(scale, name);
  if (value.empty()) return Add(RequiredValue(path + name));
  const bool known = std::any_of(below.begin(), below.end(), [&](std::string_view prefix) {
    return value.starts_with(prefix);
  });
  if (!known) Add(InvalidValue(path + name, value, why));
}

void DefinitionReader::CheckScale(const Json& scale, const std::string& path) {
  CheckPath(scale, "specReplicasPath", {".spec."}, "should be a json path under .spec", path);
  CheckPath(scale, "statusReplicasPath", {".status."}, "should be a json path under .status", path);
  if (TextAt(scale, "labelSelectorPath").empty()) return;
  CheckPath(scale, "labelSelectorPath", {".spec.", ".status."},
            "should be a json path under either .spec or .status", path);
}

// Upstream knows what is the same in all versions as a field of the spec. `skip`: this is done.
std::string DefinitionReader::FieldOfVersion(size_t index, const char* own, const char* shared,
                                             bool* skip) const {
  const Json& versions = ListAt(object_, "spec.versions");
  const auto part_of = [own](const Json& version) {
    const Json* part = ValueAt(version, own);
    return part == nullptr ? Json() : *part;
  };
  const bool same = std::all_of(versions.begin(), versions.end(), [&](const Json& version) {
    return part_of(version) == part_of(versions[0]);
  });
  *skip = same && index > 0;
  return same ? fmt::format("spec.{}", shared) : fmt::format("spec.versions[{}].{}", index, own);
}

CustomVersion DefinitionReader::ReadVersion(const Json& version, size_t index) {
  CustomVersion read = {.name = TextAt(version, "name"),
                        .served = IsTrueAt(version, "served"),
                        .storage = IsTrueAt(version, "storage")};
  if (IsTrueAt(version, "deprecated")) {
    read.deprecation_warning = TextAt(version, "deprecationWarning");
    if (read.deprecation_warning.empty()) {
      read.deprecation_warning =
          fmt::format("{}/{} {} is deprecated", TextAt(object_, "spec.group"), read.name,
                      TextAt(object_, "spec.names.kind"));
    }
  }
  bool skip = false;
  std::vector<Cause> faults;
  auto schema = std::make_shared<StructuralSchema>();
  const std::string path = FieldOfVersion(index, "schema", "validation", &skip);
  if (const Json* given = ValueAt(version, "schema.openAPIV3Schema")) {
    if (IsTrueAt(*given, "nullable")) {
      faults.push_back(ForbiddenValue(path + ".openAPIV3Schema.nullable",
                                      "nullable cannot be true at the root"));
    }
    schema->Compile(*given, path + ".openAPIV3Schema", &faults);
  }
  if (!skip) causes_.insert(causes_.end(), faults.begin(), faults.end());
  read.schema = std::move(schema);

  const Json* columns = ValueAt(version, "additionalPrinterColumns");
  const std::string columns_path =
      FieldOfVersion(index, "additionalPrinterColumns", "additionalPrinterColumns", &skip);
  if (columns != nullptr && !skip) CheckColumns(*columns, columns_path);
  read.columns = Columns::OfCustomResource(columns == nullptr ? Json() : *columns);

  const std::string subresources = FieldOfVersion(index, "subresources", "subresources", &skip);
  read.has_status = ValueAt(version, "subresources.status") != nullptr;
  if (const Json* scale = ValueAt(version, "subresources.scale")) {
    if (!skip) CheckScale(*scale, subresources + ".scale.");
    read.has_scale = true;
    read.spec_replicas_path = TextAt(*scale, "specReplicasPath");
    read.status_replicas_path = TextAt(*scale, "statusReplicasPath");
    read.label_selector_path = TextAt(*scale, "labelSelectorPath");
  }
  for (const Json& field : ListAt(version, "selectableFields")) {
    const std::string& json_path = TextAt(field, "jsonPath");
    if (!json_path.empty()) read.selectable_fields.push_back(json_path.substr(1));
  }
  return read;
}

std::vector<Cause> DefinitionReader::Read(CustomDefinition* definition) {
  CheckGroup();
  CheckVersions();
  CheckNames();
  *definition = {.group = TextAt(object_, "spec.group"),
                 .kind = TextAt(object_, "spec.names.kind"),
                 .list_kind = TextAt(object_, "spec.names.listKind"),
                 .plural = TextAt(object_, "spec.names.plural"),
                 .singular = TextAt(object_, "spec.names.singular"),
                 .short_names = TextsAt(object_, "spec.names.shortNames"),
                 .categories = TextsAt(object_, "spec.names.categories"),
                 .namespaced = TextAt(object_, "spec.scope") == "Namespaced"};
  const Json& versions = ListAt(object_, "spec.versions");
  for (size_t i = 0; i < versions.size(); ++i) {
    definition->versions.push_back(ReadVersion(versions[i], i));
  }
  return std::move(causes_);
}

// Replaces the condition of that type; its time changes with its status only.
void SetDefinitionCondition(const Json& condition, const std::string& now, Json* conditions) {
  Json changed = condition;
  changed["lastTransitionTime"] = now;
  for (Json& other : *conditions) {
    if (TextAt(other, "type") != TextAt(condition, "type")) continue;
    if (TextAt(other, "status") == TextAt(condition, "status")) {
      changed["lastTransitionTime"] = TextAt(other, "lastTransitionTime");
    }
    other = std::move(changed);
    return;
  }
  conditions->push_back(std::move(changed));
}

// The reason and message of the last name that is taken; both empty: none is.
std::pair<std::string, std::string> ConflictOf(const NamesTaken& taken, const Json& requested,
                                               Json* accepted) {
  std::pair<std::string, std::string> conflict;
  constexpr std::array<std::pair<const char*, const char*>, 5> kNames = {
      {{"plural", "PluralConflict"},
       {"singular", "SingularConflict"},
       {"shortNames", "ShortNamesConflict"},
       {"kind", "KindConflict"},
       {"listKind", "ListKindConflict"}}};
  for (const auto& [name, reason] : kNames) {
    const Json* wanted = ValueAt(requested, name);
    if (wanted == nullptr) continue;
    const auto& used = std::string_view(name).ends_with("ind") ? taken.kinds : taken.resources;
    bool free = true;
    for (const Json& one : wanted->is_array() ? *wanted : Json::array({*wanted})) {
      if (std::find(used.begin(), used.end(), TextAt(one, "")) == used.end()) continue;
      conflict = {reason, fmt::format("{} is already in use", one.dump())};
      free = false;
    }
    if (free) (*accepted)[name] = *wanted;
  }
  return conflict;
}

}  // namespace

std::optional<Failure> CustomDefinition::Read(const Json& object, CustomDefinition* definition) {
  std::vector<Cause> causes = DefinitionReader(object).Read(definition);
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid(
      {"apiextensions.k8s.io", "CustomResourceDefinition", TextAt(object, "metadata.name")},
      std::move(causes));
}

const CustomVersion* CustomDefinition::FindServed(std::string_view version) const {
  for (const CustomVersion& known : versions) {
    if (known.served && known.name == version) return &known;
  }
  return nullptr;
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
  const Json* requested = ValueAt(*object, "spec.names");
  Json& status = (*object)["status"];
  Json& accepted = status["acceptedNames"];
  if (!accepted.is_object()) accepted = {{"plural", ""}, {"kind", ""}};
  if (!status["conditions"].is_array()) status["conditions"] = Json::array();
  Json& conditions = status["conditions"];
  if (requested == nullptr) return false;

  const auto [reason, message] = ConflictOf(taken, *requested, &accepted);
  const Json* categories = ValueAt(*requested, "categories");
  if (categories != nullptr) accepted["categories"] = *categories;
  const bool free = reason.empty();
  SetDefinitionCondition({{"type", "NamesAccepted"},
                          {"status", free ? "True" : "False"},
                          {"reason", free ? "NoConflicts" : reason},
                          {"message", free ? "no conflicts found" : message}},
                         now, &conditions);
  // What was once established stays so.
  const bool established =
      free || std::any_of(conditions.begin(), conditions.end(), [](Json& c) {
        return TextAt(c, "type") == "Established" && TextAt(c, "status") == "True";
      });
  SetDefinitionCondition({{"type", "Established"},
                          {"status", established ? "True" : "False"},
                          {"reason", established ? "InitialNamesAccepted" : "NotAccepted"},
                          {"message", established ? "the initial names have been accepted"
                                                  : "not all names are accepted"}},
                         now, &conditions);
  return established;
}

}  // namespace outrigger::apiserver
