#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/crd/structural_schema.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kForeignWords[] = {"id",          "additionalItems", "patternProperties",
                                         "definitions", "dependencies",    "$ref",
                                         "uniqueItems"};
// Of what is kept, which an alternative does not say.
constexpr const char* kStructuralWords[] = {"default", "additionalProperties",
                                            "x-kubernetes-embedded-resource",
                                            "x-kubernetes-preserve-unknown-fields"};

const Json& PropertiesOf(const Json& schema) {
  static const Json* const none = new Json(Json::object());
  const Json* properties = ValueAt(schema, "properties");
  return properties == nullptr || !properties->is_object() ? *none : *properties;
}

class SchemaCheck {
 public:
  SchemaCheck(SchemaPatterns* patterns, std::vector<Cause>* causes)
      : patterns_(*patterns), causes_(*causes) {}

  // `where` it stands; nullptr: below `allOf`, `anyOf`, `oneOf` or `not`, where it only validates.
  void Check(const Json& schema, const char* where, const std::string& path) {
    if (where != nullptr) CheckType(schema, where, path);
    CheckWords(schema, where == nullptr, path);
    CheckPattern(TextAt(schema, "pattern"), path + ".pattern");
    CheckParts(schema, where == nullptr ? nullptr : "below the root", path);
    CheckAlternatives(schema, path);
  }

 private:
  void Add(Cause cause) { causes_.push_back(std::move(cause)); }

  void CheckType(const Json& schema, const char* where, const std::string& path) {
    static const auto* const known =
        new std::vector<std::string>{"array", "boolean", "integer", "number", "object", "string"};
    const std::string& type = TextAt(schema, "type");
    const bool open = IsTrueAt(schema, "x-kubernetes-int-or-string") ||
                      IsTrueAt(schema, "x-kubernetes-preserve-unknown-fields");
    if (type.empty() && !open) {
      Add(RequiredValue(path + ".type", fmt::format("must not be empty {}", where)));
    } else if (!type.empty() && std::find(known->begin(), known->end(), type) == known->end()) {
      Add(NotSupportedValue(path + ".type", type, *known));
    } else if (type == "array" && ValueAt(schema, "items") == nullptr) {
      Add(RequiredValue(path + ".items", "must be specified"));
    }
  }

  void Forbid(const Json& schema, const char* word, const std::string& path, const char* why) {
    if (ValueAt(schema, word) != nullptr) {
      causes_.push_back(ForbiddenValue(fmt::format("{}.{}", path, word), why));
    }
  }

  void CheckWords(const Json& schema, bool alternative, const std::string& path) {
    for (const char* word : kForeignWords) Forbid(schema, word, path, "is not supported");
    if (alternative) {
      for (const char* word : kStructuralWords) {
        Forbid(schema, word, path, "must be undefined to be structural");
      }
    }
    if (!PropertiesOf(schema).empty() && !IsTrueAt(schema, "additionalProperties")) {
      Forbid(schema, "additionalProperties", path,
             "additionalProperties and properties are mutual exclusive");
    }
  }

  void CheckPattern(const std::string& pattern, const std::string& path) {
    if (pattern.empty()) return;
    auto compiled = std::make_shared<const RE2>(pattern, RE2::Quiet);
    if (!compiled->ok()) {
      Add(InvalidValue(path, pattern,
                       "must be a valid regular expression, but isn't: " + compiled->error()));
    }
    patterns_[pattern] = std::move(compiled);
  }

  void CheckParts(const Json& schema, const char* where, const std::string& path) {
    if (const Json* items = ValueAt(schema, "items")) Check(*items, where, path + ".items");
    for (const auto& [key, member] : PropertiesOf(schema).items()) {
      Check(member, where, fmt::format("{}.properties[{}]", path, key));
    }
    const Json* others = ValueAt(schema, "additionalProperties");
    if (others == nullptr || others->is_boolean()) return;
    Check(*others, where, path + ".additionalProperties");
  }

  void CheckAlternatives(const Json& schema, const std::string& path) {
    for (const char* word : {"allOf", "anyOf", "oneOf"}) {
      const Json& schemas = ListAt(schema, word);
      for (size_t i = 0; i < schemas.size(); ++i) {
        Check(schemas[i], nullptr, fmt::format("{}.{}[{}]", path, word, i));
      }
    }
    if (const Json* denied = ValueAt(schema, "not")) Check(*denied, nullptr, path + ".not");
  }

  SchemaPatterns& patterns_;
  std::vector<Cause>& causes_;
};

}  // namespace

std::vector<Cause> CheckSchema(const Json& schema, const std::string& path,
                               SchemaPatterns* patterns) {
  std::vector<Cause> causes;
  const std::string& type = TextAt(schema, "type");
  if (!type.empty() && type != "object") {
    causes.push_back(InvalidValue(path + ".type", type, "must be object at the root"));
  }
  SchemaCheck(patterns, &causes).Check(schema, "at the root", path);
  return causes;
}

}  // namespace outrigger::apiserver
