#include "apiserver/crd/schema_rules.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apiserver/crd/structural_schema.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

enum class Level { kRoot, kItem, kField };

struct ForbiddenWord {
  const char* name;
  const char* why;
};

// In a schema that only validates (below allOf, anyOf, oneOf and not).
constexpr std::array kNotInNested = {
    ForbiddenWord{"type", "must be empty to be structural"},
    ForbiddenWord{"additionalProperties", "must be undefined to be structural"},
    ForbiddenWord{"default", "must be undefined to be structural"},
    ForbiddenWord{"title", "must be empty to be structural"},
    ForbiddenWord{"description", "must be empty to be structural"},
    ForbiddenWord{"nullable", "must be false to be structural"},
    ForbiddenWord{"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    ForbiddenWord{"x-kubernetes-embedded-resource", "must be false to be structural"},
    ForbiddenWord{"x-kubernetes-int-or-string", "must be false to be structural"},
    ForbiddenWord{"x-kubernetes-list-map-keys", "must be empty to be structural"},
    ForbiddenWord{"x-kubernetes-list-type", "must be undefined to be structural"},
    ForbiddenWord{"x-kubernetes-map-type", "must be undefined to be structural"},
};

// Nowhere. With one of these a schema is not looked at as a structural one.
constexpr std::array kNowhere = {"id",          "additionalItems", "patternProperties",
                                 "definitions", "dependencies",    "$ref"};

bool Has(const Json& schema, std::string_view name) {
  const auto member = schema.is_object() ? schema.find(name) : schema.end();
  return member != schema.end() && !member->is_null() && *member != false &&
         !(member->is_string() && member->get_ref<const std::string&>().empty());
}

const Json& MembersOf(const Json& schema, std::string_view name) {
  static const Json* const none = new Json(Json::object());
  const auto member = schema.is_object() ? schema.find(name) : schema.end();
  return member == schema.end() || !member->is_object() ? *none : *member;
}

std::string Key(const std::string& path, const std::string& key) {
  return fmt::format("{}.properties[{}]", path, key);
}

// Calls `visit(part, its path)` for each schema that stands directly in `schema`.
template <typename Visit>
void ForEachPart(const Json& schema, const std::string& path, const Visit& visit) {
  for (const char* word : {"items", "not", "additionalProperties"}) {
    if (Has(schema, word)) visit(schema.at(word), path + "." + word);
  }
  for (const auto& [key, member] : MembersOf(schema, "properties").items()) {
    visit(member, Key(path, key));
  }
  for (const char* word : {"allOf", "oneOf", "anyOf"}) {
    const Json& schemas = ListAt(schema, word);
    for (size_t i = 0; i < schemas.size(); ++i) {
      visit(schemas[i], fmt::format("{}.{}[{}]", path, word, i));
    }
  }
}

// The one use of `type` in anyOf that is allowed: that of int-or-string.
bool IsIntOrStringPattern(const Json& any) {
  static const Json* const pattern = new Json({{{"type", "integer"}}, {{"type", "string"}}});
  return any == *pattern;
}

class SchemaCheck {
 public:
  SchemaCheck(SchemaPatterns* patterns, std::vector<Cause>* causes)
      : patterns_(patterns), causes_(causes) {}

  void CheckStructure(const Json& schema, Level level, const std::string& path);
  void CheckWords(const Json& schema, bool root, bool meta, const std::string& path);
  void CheckDefaults(const Json& schema, const std::string& path);

  static bool HasForeignWord(const Json& schema);

 private:
  void Add(Cause cause) { causes_->push_back(std::move(cause)); }
  void CheckTypeOf(const Json& schema, Level level, const std::string& path);
  void CheckMetadata(const Json& schema, Level level, const std::string& path);
  void CheckAlternatives(const Json& schema, const Json& whole, const std::string& whole_path,
                         bool skip_any, const std::string& path);
  void CheckNested(const Json& schema, const Json& whole, const std::string& whole_path,
                   bool skip_any, const std::string& path);
  void CheckListType(const Json& schema, const std::string& path);
  void CheckListKeys(const Json& schema, const std::string& path);

  SchemaPatterns* patterns_;
  std::vector<Cause>* causes_;
};

void SchemaCheck::CheckTypeOf(const Json& schema, Level level, const std::string& path) {
  const std::string& type = TextAt(schema, "type");
  const bool embedded = IsTrueAt(schema, "x-kubernetes-embedded-resource");
  const bool preserves = IsTrueAt(schema, "x-kubernetes-preserve-unknown-fields");
  const bool either = IsTrueAt(schema, "x-kubernetes-int-or-string");
  constexpr const char* kEmbedded = "must be object if x-kubernetes-embedded-resource is true";
  if (embedded && type != "object") {
    Add(type.empty() ? RequiredValue(path + ".type", kEmbedded)
                     : InvalidValue(path + ".type", type, kEmbedded));
  } else if (type.empty() && !either && !preserves) {
    Add(RequiredValue(path + ".type", level == Level::kRoot ? "must not be empty at the root"
                                      : level == Level::kItem
                                          ? "must not be empty for specified array items"
                                          : "must not be empty for specified object fields"));
  }
  if (level == Level::kRoot && !type.empty() && type != "object") {
    Add(InvalidValue(path + ".type", type, "must be object at the root"));
  }
  constexpr const char* kNotEither = "must be false if x-kubernetes-int-or-string is true";
  if (either && preserves) {
    Add(InvalidValue(path + ".x-kubernetes-preserve-unknown-fields", true, kNotEither));
  }
  if (either && embedded) {
    Add(InvalidValue(path + ".x-kubernetes-embedded-resource", true, kNotEither));
  }
  if (embedded && !preserves && MembersOf(schema, "properties").empty()) {
    Add(RequiredValue(path + ".properties",
                      "must not be empty if x-kubernetes-embedded-resource is true without "
                      "x-kubernetes-preserve-unknown-fields"));
  }
}

void SchemaCheck::CheckMetadata(const Json& schema, Level level, const std::string& path) {
  const Json& properties = MembersOf(schema, "properties");
  const bool whole = level == Level::kRoot || IsTrueAt(schema, "x-kubernetes-embedded-resource");
  for (const char* name : {"kind", "apiVersion"}) {
    if (!whole || !properties.contains(name)) continue;
    const std::string& type = TextAt(properties.at(name), "type");
    if (type != "string") {
      Add(InvalidValue(Key(path, name) + ".type", type, "must be string"));
    }
  }
  if (!properties.contains("metadata")) return;
  Json metadata = properties.at("metadata");
  if (whole && TextAt(metadata, "type") != "object") {
    Add(InvalidValue(Key(path, "metadata") + ".type", TextAt(metadata, "type"), "must be object"));
  }
  if (level != Level::kRoot || !metadata.is_object()) return;
  for (const char* name : {"type", "description", "title", "default"}) metadata.erase(name);
  const Json& names = MembersOf(metadata, "properties");
  const size_t known = names.contains("name") + names.contains("generateName");
  if (known == names.size()) metadata.erase("properties");
  if (!metadata.empty()) {
    Add(ForbiddenValue(Key(path, "metadata"),
                       "must not specify anything other than name and generateName, but metadata "
                       "is implicitly specified"));
  }
}

void SchemaCheck::CheckAlternatives(const Json& schema, const Json& whole,
                                    const std::string& whole_path, bool skip_any,
                                    const std::string& path) {
  for (const char* word : {"anyOf", "allOf", "oneOf"}) {
    const Json& schemas = ListAt(schema, word);
    if (skip_any && std::string_view(word) == "anyOf") continue;
    for (size_t i = 0; i < schemas.size(); ++i) {
      const bool skip = std::string_view(word) == "allOf" && i == 0 &&
                        IsTrueAt(schema, "x-kubernetes-int-or-string") &&
                        IsIntOrStringPattern(ListAt(schemas[i], "anyOf"));
      CheckNested(schemas[i], whole, whole_path, skip, fmt::format("{}.{}[{}]", path, word, i));
    }
  }
  if (Has(schema, "not")) CheckNested(schema.at("not"), whole, whole_path, false, path + ".not");
  const std::string& pattern = TextAt(schema, "pattern");
  if (pattern.empty()) return;
  const std::string fault = patterns_->Add(pattern);
  if (!fault.empty()) {
    Add(InvalidValue(path + ".pattern", pattern,
                     "must be a valid regular expression, but isn't: " + fault));
  }
}

// `whole` is the structural schema of the same value; null where there is none. It is not asked for
// where `whole_path` is empty.
void SchemaCheck::CheckNested(const Json& schema, const Json& whole, const std::string& whole_path,
                              bool skip_any, const std::string& path) {
  const bool asks = !whole_path.empty() && !whole.is_null();
  if (!whole_path.empty() && !asks) {
    Add(RequiredValue(whole_path, "because it is defined in " + path));
  }
  CheckAlternatives(schema, whole, asks ? whole_path : "", skip_any, path);
  if (Has(schema, "items")) {
    const Json* items = ValueAt(whole, "items");
    CheckNested(schema.at("items"), items == nullptr ? Json() : *items,
                asks ? whole_path + ".items" : "", false, path + ".items");
  }
  const Json& properties = MembersOf(whole, "properties");
  for (const auto& [key, member] : MembersOf(schema, "properties").items()) {
    const auto found = properties.find(key);
    CheckNested(member, found == properties.end() ? Json() : *found,
                asks && key != "metadata" ? Key(whole_path, key) : "", false, Key(path, key));
  }
  for (const ForbiddenWord& word : kNotInNested) {
    if (Has(schema, word.name))
      Add(ForbiddenValue(fmt::format("{}.{}", path, word.name), word.why));
  }
  if (Has(MembersOf(schema, "properties"), "metadata")) {
    Add(ForbiddenValue(Key(path, "metadata"), "must not be specified in a nested context"));
  }
}

void SchemaCheck::CheckStructure(const Json& schema, Level level, const std::string& path) {
  if (TextAt(schema, "type") == "array" && !Has(schema, "items")) {
    Add(RequiredValue(path + ".items", "must be specified"));
  }
  if (Has(schema, "items")) CheckStructure(schema.at("items"), Level::kItem, path + ".items");
  for (const auto& [key, member] : MembersOf(schema, "properties").items()) {
    CheckStructure(member, Level::kField, Key(path, key));
  }
  if (schema.is_object() && schema.contains("additionalProperties")) {
    const Json& others = schema.at("additionalProperties");
    if (level == Level::kRoot) {
      Add(ForbiddenValue(path + ".additionalProperties", "must not be used at the root"));
    }
    if (IsTrueAt(schema, "x-kubernetes-embedded-resource")) {
      Add(ForbiddenValue(path + ".additionalProperties",
                         "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (others.is_object()) {
      CheckStructure(others, Level::kField, path + ".additionalProperties");
    }
  }
  const bool skip_any = IsTrueAt(schema, "x-kubernetes-int-or-string") &&
                        IsIntOrStringPattern(ListAt(schema, "anyOf"));
  // Upstream wants a structural counterpart of what is below the root's alternatives only.
  CheckAlternatives(schema, schema, level == Level::kRoot ? path : "", skip_any, path);
  CheckTypeOf(schema, level, path);
  CheckMetadata(schema, level, path);
}

void SchemaCheck::CheckListKeys(const Json& schema, const std::string& path) {
  const Json* items = ValueAt(schema, "items");
  const Json& keys = ListAt(schema, "x-kubernetes-list-map-keys");
  const std::string keys_path = path + ".x-kubernetes-list-map-keys";
  if (keys.empty()) {
    Add(RequiredValue(keys_path, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items == nullptr) {
    Add(RequiredValue(path + ".items", "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (TextAt(*items, "type") != "object") {
    Add(InvalidValue(path + ".items.type", TextAt(*items, "type"),
                     "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  const Json& required = ListAt(*items, "required");
  for (const Json& key : keys) {
    const Json& properties = MembersOf(*items, "properties");
    const std::string& name = TextAt(key, "");
    if (!properties.contains(name)) {
      Add(InvalidValue(keys_path, keys, "entries must all be names of item properties"));
      continue;
    }
    const Json& member = properties.at(name);
    if (TextAt(member, "type") == "array" || TextAt(member, "type") == "object") {
      Add(InvalidValue(Key(path + ".items", name) + ".type", TextAt(*items, "type"),
                       "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    const bool listed = std::find(required.begin(), required.end(), key) != required.end();
    if (!listed && ValueAt(member, "default") == nullptr) {
      Add(RequiredValue(Key(path + ".items", name) + ".default",
                        "this property is in x-kubernetes-list-map-keys, so it must have a default "
                        "or be a required property"));
    }
  }
}

void SchemaCheck::CheckListType(const Json& schema, const std::string& path) {
  const std::string& type = TextAt(schema, "type");
  const std::string& list = TextAt(schema, "x-kubernetes-list-type");
  const std::string& map = TextAt(schema, "x-kubernetes-map-type");
  const auto check_type = [&](const char* wanted, const char* why) {
    if (type == wanted) return;
    Add(type.empty() ? RequiredValue(path + ".type", why)
                     : InvalidValue(path + ".type", type, why));
  };
  if (!map.empty()) check_type("object", "must be object if x-kubernetes-map-type is specified");
  if (!map.empty() && map != "atomic" && map != "granular") {
    Add(NotSupportedValue(path + ".x-kubernetes-map-type", map, {"atomic", "granular"}));
  }
  if (!list.empty()) check_type("array", "must be array if x-kubernetes-list-type is specified");
  if (!list.empty() && list != "atomic" && list != "set" && list != "map") {
    Add(NotSupportedValue(path + ".x-kubernetes-list-type", list, {"atomic", "set", "map"}));
  }
  if (list == "map") {
    CheckListKeys(schema, path);
  } else if (Has(schema, "x-kubernetes-list-map-keys")) {
    constexpr const char* kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    const std::string field = path + ".x-kubernetes-list-type";
    Add(list.empty() ? RequiredValue(field, kMap) : InvalidValue(field, list, kMap));
  }
  if (list != "set" || type != "array") return;
  constexpr const char* kAtomic =
      "must be atomic as item of a list with x-kubernetes-list-type=set";
  const std::string& item_list = TextAt(schema, "items.x-kubernetes-list-type");
  if (TextAt(schema, "items.type") == "array" && !item_list.empty() && item_list != "atomic") {
    Add(InvalidValue(path + ".items.x-kubernetes-list-type", item_list, kAtomic));
  }
  if (TextAt(schema, "items.type") == "object" &&
      TextAt(schema, "items.x-kubernetes-map-type") != "atomic") {
    Add(InvalidValue(path + ".items.x-kubernetes-map-type", nullptr, kAtomic));
  }
}

void SchemaCheck::CheckWords(const Json& schema, bool root, bool meta, const std::string& path) {
  const std::string& type = TextAt(schema, "type");
  const std::vector<std::string> types = {"array",  "boolean", "integer",
                                          "number", "object",  "string"};
  if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end()) {
    Add(NotSupportedValue(path + ".type", type, types));
  }
  if (meta && ValueAt(schema, "default") != nullptr) {
    Add(ForbiddenValue(path + ".default", "must not be set in top-level " +
                                              path.substr(path.rfind('[') + 1,
                                                          path.rfind(']') - path.rfind('[') - 1)));
  }
  if (type == "null") {
    Add(ForbiddenValue(path + ".type",
                       "type cannot be set to null, use nullable as an alternative"));
  }
  const Json* preserves = ValueAt(schema, "x-kubernetes-preserve-unknown-fields");
  if (preserves != nullptr && *preserves == false) {
    Add(InvalidValue(path + ".x-kubernetes-preserve-unknown-fields", false,
                     "must be true or undefined"));
  }
  for (const char* word : kNowhere) {
    if (Has(schema, word)) {
      Add(ForbiddenValue(fmt::format("{}.{}", path, word),
                         fmt::format("{} is not supported", word)));
    }
  }
  if (IsTrueAt(schema, "uniqueItems")) {
    Add(ForbiddenValue(path + ".uniqueItems",
                       "uniqueItems cannot be set to true since the runtime complexity becomes "
                       "quadratic"));
  }
  const Json& properties = MembersOf(schema, "properties");
  if (!properties.empty() && schema.contains("additionalProperties") &&
      schema.at("additionalProperties") != true) {
    Add(ForbiddenValue(path + ".additionalProperties",
                       "additionalProperties and properties are mutual exclusive"));
  }
  CheckListType(schema, path);
  ForEachPart(schema, path, [&](const Json& part, const std::string& part_path) {
    const bool in_meta =
        root && (part_path == Key(path, "metadata") || part_path == Key(path, "kind") ||
                 part_path == Key(path, "apiVersion"));
    CheckWords(part, false, in_meta, part_path);
  });
}

void SchemaCheck::CheckDefaults(const Json& schema, const std::string& path) {
  if (const Json* value = ValueAt(schema, "default")) {
    Json pruned = *value;
    PruneBySchema(schema, false, &pruned, nullptr);
    if (pruned != *value) {
      Add(InvalidValue(path + ".default", *value, "must not have unknown fields"));
    }
    for (Cause cause : ValidateBySchema(schema, *patterns_, *value)) {
      cause.field = cause.field == "<nil>" ? path + ".default" : path + ".default." + cause.field;
      Add(std::move(cause));
    }
  }
  if (Has(schema, "items")) CheckDefaults(schema.at("items"), path + ".items");
  for (const auto& [key, member] : MembersOf(schema, "properties").items()) {
    CheckDefaults(member, Key(path, key));
  }
}

bool SchemaCheck::HasForeignWord(const Json& schema) {
  bool found = std::any_of(kNowhere.begin(), kNowhere.end(),
                           [&schema](const char* word) { return Has(schema, word); });
  ForEachPart(schema, "", [&found](const Json& part, const std::string&) {
    found = found || HasForeignWord(part);
  });
  return found;
}

}  // namespace

std::vector<std::string> RulesOf(const Json& schema, const std::string& path) {
  std::vector<std::string> rules;
  for (const Json& rule : ListAt(schema, "x-kubernetes-validations")) {
    rules.push_back(fmt::format("{}: {}", path, TextAt(rule, "rule")));
  }
  ForEachPart(schema, path, [&rules](const Json& part, const std::string& part_path) {
    for (std::string& rule : RulesOf(part, part_path)) rules.push_back(std::move(rule));
  });
  return rules;
}

std::vector<Cause> CheckSchema(const Json& schema, const std::string& path,
                               SchemaPatterns* patterns) {
  std::vector<Cause> causes;
  SchemaCheck check(patterns, &causes);
  if (!SchemaCheck::HasForeignWord(schema)) check.CheckStructure(schema, Level::kRoot, path);
  if (causes.empty()) check.CheckDefaults(schema, path);
  check.CheckWords(schema, true, false, path);
  return causes;
}

}  // namespace outrigger::apiserver
