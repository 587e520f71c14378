#include "apiserver/crd/structural_schema.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/select/field_path.h"
#include "apiserver/types/scalars.h"
#include "cel/values/time.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Nothing: the format is not checked.
std::optional<bool> HasFormat(const std::string& format, std::string text) {
  if (format == "byte") return !ConformBase64(&text);
  if (format == "duration") return cel::ParseDuration(text).has_value();
  if (format == "date") text += "T00:00:00Z";
  if (format == "date" || format == "date-time") return !ConformTime(/*micro=*/false, &text);
  return std::nullopt;
}

// Upstream calls the object as a whole "<nil>".
std::string FieldAt(const std::string& path) {
  return path.empty() ? "<nil>" : path;
}

std::string ChildPath(const std::string& path, const std::string& key) {
  return path.empty() ? key : fmt::format("{}.{}", path, key);
}

bool IsWhole(double number) {
  return std::abs(number - std::round(number)) < 1e-9;
}

bool IsOfType(const std::string& type, const Json& value) {
  if (type == "integer,string") return value.is_string() || IsOfType("integer", value);
  if (type == "integer") return value.is_number() && IsWhole(value.get<double>());
  return type == value.type_name();
}

int64_t LimitAt(const Json& schema, const std::string& name, int64_t otherwise) {
  const Json* limit = ValueAt(schema, name);
  return limit == nullptr || !limit->is_number_integer() ? otherwise : limit->get<int64_t>();
}

// What tells an item of a list-type "map" apart.
Json KeysOf(const Json& item, const Json& names) {
  Json keys = Json::object();
  for (const Json& name : names) {
    const Json* key = ValueAt(item, TextAt(name, ""));
    if (key != nullptr) keys[TextAt(name, "")] = *key;
  }
  return keys;
}

class SchemaWalk {
 public:
  SchemaWalk(const SchemaPatterns& patterns, const ValidationRules* rules, SchemaFindings* findings)
      : patterns_(patterns), rules_(rules), findings_(*findings) {}

  void Check(const Json& schema, const Json& value, const std::string& path) {
    CheckType(schema, value, path);
    if (!value.is_null()) CheckAlternatives(schema, value, path);
    if (value.is_string()) CheckText(schema, value.get_ref<const std::string&>(), path);
    if (value.is_number()) CheckNumber(schema, value, path);
    if (value.is_array()) CheckList(schema, value, path);
    if (value.is_object()) CheckObject(schema, value, path);
    CheckEnum(schema, value, path);
    MeetRules(schema, path);
  }

 private:
  void Add(Cause cause) { findings_.causes.push_back(std::move(cause)); }

  void AddInvalid(const std::string& path, const Json& value, const std::string& why) {
    Add(InvalidValue(FieldAt(path), value, fmt::format("{} in body {}", path, why)));
  }

  void AddWrongType(const std::string& path, const Json& shown, const std::string& wanted) {
    AddInvalid(path, shown, fmt::format("must be of type {}: {}", wanted, shown.dump()));
    findings_.causes.back().reason = "FieldValueTypeInvalid";
  }

  // Of what has no place of its own.
  void AddWhole(const std::string& why) { Add(InvalidValue("<nil>", "", why)); }

  // Of the items of a list the first one names it.
  void AddUnchecked(const Json& source, std::string what) {
    if (named_.insert(&source).second) findings_.unchecked.push_back(std::move(what));
  }

  // Of the rules of CEL that hold for the value at `path` those that do not compile.
  void MeetRules(const Json& schema, const std::string& path) {
    for (const Json& rule : ListAt(schema, "x-kubernetes-validations")) {
      const std::string& text = TextAt(rule, "rule");
      if (rules_ != nullptr && rules_->Find(text) != nullptr) continue;
      AddUnchecked(rule, fmt::format("the rule {} of {}", text, FieldAt(path)));
    }
  }

  void CheckType(const Json& schema, const Json& value, const std::string& path) {
    const bool either = IsTrueAt(schema, "x-kubernetes-int-or-string");
    const std::string type = either ? "integer,string" : TextAt(schema, "type");
    if (type.empty() || IsOfType(type, value)) return;
    if (value.is_null() && IsTrueAt(schema, "nullable")) return;
    AddWrongType(path, value.is_number_integer() ? "integer" : value.type_name(), type);
  }

  void CheckText(const Json& schema, const std::string& text, const std::string& path) {
    const int64_t length = std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    const int64_t most = LimitAt(schema, "maxLength", INT64_MAX);
    const int64_t least = LimitAt(schema, "minLength", 0);
    const auto pattern = patterns_.find(TextAt(schema, "pattern"));
    if (length > most) {
      const char* const end = most == 1 ? "" : "s";
      Add({"FieldValueTooLong", fmt::format("Too long: may not be more than {} byte{}", most, end),
           FieldAt(path)});
    } else if (length < least) {
      AddInvalid(path, text, fmt::format("should be at least {} chars long", least));
    } else if (pattern != patterns_.end() && !RE2::PartialMatch(text, *pattern->second)) {
      AddInvalid(path, text, fmt::format("should match '{}'", pattern->first));
    }
    CheckFormat(schema, text, path);
  }

  void CheckFormat(const Json& schema, const std::string& text, const std::string& path) {
    const std::string& format = TextAt(schema, "format");
    if (format.empty()) return;
    const std::optional<bool> holds = HasFormat(format, text);
    if (!holds) {
      AddUnchecked(schema, fmt::format("the format {} of {}", format, FieldAt(path)));
    } else if (!*holds) {
      AddWrongType(path, text, format);
    }
  }

  void CheckNumber(const Json& schema, const Json& value, const std::string& path) {
    const auto number = value.get<double>();
    if (TextAt(schema, "format") == "int32" &&
        std::abs(number + 0.5) > std::numeric_limits<int32_t>::max() + 0.5) {
      AddWhole("Checked value must be of type integer with format int32 in " + path);
    }
    const Json* factor = ValueAt(schema, "multipleOf");
    if (factor != nullptr && factor->is_number() && !IsWhole(number / factor->get<double>())) {
      AddInvalid(path, value, "should be a multiple of " + factor->dump());
    }
    const auto check_bound = [&](const char* name, const char* exclusive, int sign,
                                 const char* than) {
      const Json* limit = ValueAt(schema, name);
      if (limit == nullptr || !limit->is_number()) return;
      const double beyond = (number - limit->get<double>()) * sign;
      const char* const equal = IsTrueAt(schema, exclusive) ? "" : "or equal to ";
      if (beyond < 0 || (beyond == 0 && *equal != '\0')) return;
      AddInvalid(path, value, fmt::format("should be {} {}{}", than, equal, limit->get<double>()));
    };
    check_bound("maximum", "exclusiveMaximum", 1, "less than");
    check_bound("minimum", "exclusiveMinimum", -1, "greater than");
  }

  // Of items or properties.
  void CheckCount(int64_t count, int64_t least, int64_t most, const char* things,
                  const std::string& path) {
    if (count < least) {
      AddInvalid(path, count, fmt::format("should have at least {} {}", least, things));
    }
    if (count <= most) return;
    const char* const end = most == 1 ? "" : "s";
    Add({"FieldValueTooMany",
         fmt::format("Too many: {}: must have at most {} item{}", count, most, end),
         FieldAt(path)});
  }

  void CheckList(const Json& schema, const Json& list, const std::string& path) {
    CheckCount(static_cast<int64_t>(list.size()), LimitAt(schema, "minItems", 0),
               LimitAt(schema, "maxItems", INT64_MAX), "items", path);
    const Json* items = ValueAt(schema, "items");
    const std::string& type = TextAt(schema, "x-kubernetes-list-type");
    const Json& names = ListAt(schema, "x-kubernetes-list-map-keys");
    std::map<Json, int> seen;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string child = fmt::format("{}[{}]", path, i);
      if (items != nullptr) Check(*items, list[i], child);
      const bool keyed = type == "map" && list[i].is_object();
      if (type != "set" && !keyed) continue;
      const Json identity = keyed ? KeysOf(list[i], names) : list[i];
      if (++seen[identity] == 2) Add(DuplicateValue(child, identity));
    }
  }

  void CheckObject(const Json& schema, const Json& object, const std::string& path) {
    CheckCount(static_cast<int64_t>(object.size()), LimitAt(schema, "minProperties", 0),
               LimitAt(schema, "maxProperties", INT64_MAX), "properties", path);
    const Json* properties = ValueAt(schema, "properties");
    const Json* others = ValueAt(schema, "additionalProperties");
    for (const auto& [key, value] : object.items()) {
      if (properties != nullptr && properties->contains(key)) {
        Check(properties->at(key), value, ChildPath(path, key));
      } else if (others != nullptr && others->is_object()) {
        Check(*others, value, ChildPath(path, key));
      }
    }
    for (const Json& name : ListAt(schema, "required")) {
      const std::string& key = TextAt(name, "");
      if (!object.contains(key)) Add(RequiredValue(ChildPath(path, key)));
    }
  }

  void CheckEnum(const Json& schema, const Json& value, const std::string& path) {
    const Json& allowed = ListAt(schema, "enum");
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
      return;
    }
    std::vector<std::string> texts;
    for (const Json& one : allowed) {
      texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
    }
    Add(NotSupportedValue(FieldAt(path), value, texts));
  }

  void CheckAlternatives(const Json& schema, const Json& value, const std::string& path) {
    const auto fits = [&](const Json& one) {
      return ValidateBySchema(one, patterns_, value).causes.empty();
    };
    const Json& any = ListAt(schema, "anyOf");
    if (!any.empty() && std::none_of(any.begin(), any.end(), fits)) {
      AddWhole(fmt::format("\"{}\" must validate at least one schema (anyOf)", path));
    }
    const Json& one = ListAt(schema, "oneOf");
    const auto valid = std::count_if(one.begin(), one.end(), fits);
    if (!one.empty() && valid != 1) {
      const std::string found =
          valid == 0 ? "none valid" : fmt::format("{} valid alternatives", valid);
      AddWhole(fmt::format("\"{}\" must validate one and only one schema (oneOf). Found {}", path,
                           found));
    }
    for (const Json& each : ListAt(schema, "allOf")) Check(each, value, path);
    const Json* denied = ValueAt(schema, "not");
    if (denied != nullptr && fits(*denied)) {
      AddWhole(fmt::format("\"{}\" must not validate the schema (not)", path));
    }
  }

  const SchemaPatterns& patterns_;
  const ValidationRules* rules_;
  SchemaFindings& findings_;
  std::set<const Json*> named_;  // schemas and rules
};

}  // namespace

SchemaFindings ValidateBySchema(const Json& schema, const SchemaPatterns& patterns,
                                const Json& value, const ValidationRules* rules) {
  SchemaFindings findings;
  SchemaWalk(patterns, rules, &findings).Check(schema, value, "");
  return findings;
}

}  // namespace outrigger::apiserver
