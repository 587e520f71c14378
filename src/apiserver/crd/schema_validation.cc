#include "apiserver/crd/schema_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/select/field_path.h"
#include "fmt/format.h"
#include "re2/re2.h"

namespace outrigger::apiserver {
namespace {

// What a schema says of a value. `matches` counts the checks, to tell which alternative fits best.
struct Findings {
  std::vector<Cause> causes = {};
  int matches = 0;

  void Add(Cause cause) {
    for (const Cause& other : causes) {
      if (other.field == cause.field && other.message == cause.message) return;
    }
    causes.push_back(std::move(cause));
  }
  void Merge(const Findings& other) {
    for (const Cause& cause : other.causes) Add(cause);
    matches += other.matches;
  }
};

// Upstream calls the object as a whole "<nil>".
std::string FieldAt(const std::string& path) {
  if (path.empty()) return "<nil>";
  return path.starts_with('.') ? path.substr(1) : path;
}

Cause Invalid(const std::string& path, const Json& value, std::string_view why) {
  return InvalidValue(FieldAt(path), value, fmt::format("{} in body {}", path, why));
}

Cause TooMany(const std::string& path, size_t count, int64_t most) {
  return {
      "FieldValueTooMany",
      fmt::format("Too many: {}: must have at most {} item{}", count, most, most == 1 ? "" : "s"),
      FieldAt(path)};
}

Cause WholeFault(const std::string& why) {
  return InvalidValue("<nil>", "", why);
}

bool IsWhole(double number) {
  return std::abs(number - std::round(number)) < 1e-9;
}

std::string TypeOf(const Json& value) {
  if (value.is_number()) return value.is_number_float() ? "number" : "integer";
  return value.type_name();
}

// The schema or schemas there; nullptr: nothing.
const Json* Get(const Json& schema, const char* name) {
  const auto member = schema.find(name);
  return member == schema.end() || member->is_null() ? nullptr : &*member;
}

std::optional<int64_t> CountOf(const Json& schema, const char* name) {
  const Json* count = Get(schema, name);
  if (count == nullptr || !count->is_number_integer()) return std::nullopt;
  return count->get<int64_t>();
}

// Whether upstream looks at the format of such a type.
bool IsFormatOf(const std::string& type, const std::string& format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  return type == "string" && IsKnownFormat(format);
}

// What upstream takes for the format of a value.
const char* FormatOf(const Json& value) {
  if (!value.is_number()) return "";
  return value.is_number_float() ? "float64" : "int64";
}

class SchemaWalk {
 public:
  explicit SchemaWalk(const SchemaPatterns& patterns) : patterns_(patterns) {}

  Findings Validate(const Json& schema, const Json& value, const std::string& path) const;

 private:
  void CheckType(const Json& schema, const Json& value, const std::string& path, Findings* f) const;
  void CheckText(const Json& schema, const std::string& text, const std::string& path,
                 Findings* f) const;
  void CheckNumber(const Json& schema, const Json& value, const std::string& path,
                   Findings* f) const;
  void CheckList(const Json& schema, const Json& list, const std::string& path, Findings* f) const;
  void CheckObject(const Json& schema, const Json& object, const std::string& path,
                   Findings* f) const;
  void CheckEnum(const Json& schema, const Json& value, const std::string& path, Findings* f) const;
  void CheckAlternatives(const Json& schema, const Json& value, const std::string& path,
                         Findings* f) const;
  int CountValid(const Json& schemas, const Json& value, const std::string& path, bool first_only,
                 Findings* best) const;

  const SchemaPatterns& patterns_;
};

void SchemaWalk::CheckType(const Json& schema, const Json& value, const std::string& path,
                           Findings* f) const {
  const bool either = IsTrueAt(schema, "x-kubernetes-int-or-string");
  const std::string wanted = either ? "integer,string" : TextAt(schema, "type");
  if (wanted.empty()) return;
  ++f->matches;
  const std::string& format = TextAt(schema, "format");
  const std::string type = TypeOf(value);
  bool formatted = false;
  if (value.is_null()) {
    if (IsTrueAt(schema, "nullable")) return;
  } else {
    const bool numeric = either || wanted == "integer" || wanted == "number";
    const bool as_text = value.is_string() || value.is_array();
    formatted = !as_text && wanted != type && IsFormatOf(wanted, format);
    if (!numeric && as_text && IsFormatOf(wanted, format)) return;
    if (wanted == type || (either && type == "string")) return;
    if (numeric && type == "integer") return;
    if (numeric && type == "number" && IsWhole(value.get<double>())) return;
  }
  --f->matches;
  const std::string& expected = formatted ? format : wanted;
  const std::string actual = formatted ? FormatOf(value) : type;
  Cause cause = Invalid(path, actual, fmt::format("must be of type {}: \"{}\"", expected, actual));
  cause.reason = "FieldValueTypeInvalid";
  f->Add(std::move(cause));
}

void SchemaWalk::CheckText(const Json& schema, const std::string& text, const std::string& path,
                           Findings* f) const {
  const auto length = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  });
  const std::optional<int64_t> most = CountOf(schema, "maxLength");
  const std::optional<int64_t> least = CountOf(schema, "minLength");
  const std::string& pattern = TextAt(schema, "pattern");
  if (most && length > *most) {
    f->Add({"FieldValueTooLong",
            fmt::format("Too long: may not be more than {} byte{}", *most, *most == 1 ? "" : "s"),
            FieldAt(path)});
  } else if (least && length < *least) {
    f->Add(Invalid(path, text, fmt::format("should be at least {} chars long", *least)));
  } else if (!patterns_.Matches(pattern, text)) {
    f->Add(Invalid(path, text, fmt::format("should match '{}'", pattern)));
  }
  const std::string& format = TextAt(schema, "format");
  if (!HasFormat(format, text)) {
    Cause cause =
        Invalid(path, text, fmt::format("must be of type {}: {}", format, Json(text).dump()));
    cause.reason = "FieldValueTypeInvalid";
    f->Add(std::move(cause));
  }
}

void SchemaWalk::CheckNumber(const Json& schema, const Json& value, const std::string& path,
                             Findings* f) const {
  const auto number = value.get<double>();
  const bool integer = !value.is_number_float();
  const std::string& format = TextAt(schema, "format");
  const bool narrow =
      format == "int32" && std::abs(number + 0.5) > std::numeric_limits<int32_t>::max() + 0.5;
  if (TextAt(schema, "type") == "integer" && (narrow || !IsWhole(number))) {
    f->Add(WholeFault(fmt::format("Checked value must be of type integer {} in {}",
                                  format.empty() ? "(default format)" : "with format " + format,
                                  path)));
  }
  const auto limit_of = [&](const char* name) -> std::optional<double> {
    const Json* limit = Get(schema, name);
    if (limit == nullptr || !limit->is_number()) return std::nullopt;
    return integer ? std::trunc(limit->get<double>()) : limit->get<double>();
  };
  if (const auto factor = limit_of("multipleOf"); factor && *factor <= 0) {
    f->Add(InvalidValue(
        FieldAt(path), static_cast<int64_t>(*factor),
        fmt::format("factor MultipleOf declared for {} must be positive: {}", path, *factor)));
  } else if (factor) {
    const double times = *factor < 1 ? 1 / *factor * number : number / *factor;
    if (!IsWhole(times)) {
      f->Add(Invalid(path, value, fmt::format("should be a multiple of {}", *factor)));
    }
  }
  if (const auto most = limit_of("maximum")) {
    const bool exclusive = IsTrueAt(schema, "exclusiveMaximum");
    if (number > *most || (exclusive && number == *most)) {
      f->Add(
          Invalid(path, value,
                  fmt::format("should be less than {}{}", exclusive ? "" : "or equal to ", *most)));
    }
  }
  if (const auto least = limit_of("minimum")) {
    const bool exclusive = IsTrueAt(schema, "exclusiveMinimum");
    if (number < *least || (exclusive && number == *least)) {
      f->Add(Invalid(
          path, value,
          fmt::format("should be greater than {}{}", exclusive ? "" : "or equal to ", *least)));
    }
  }
}

void SchemaWalk::CheckList(const Json& schema, const Json& list, const std::string& path,
                           Findings* f) const {
  if (const Json* items = Get(schema, "items")) {
    for (size_t i = 0; i < list.size(); ++i) {
      f->Merge(Validate(*items, list[i], fmt::format("{}[{}]", path, i)));
    }
  }
  const std::optional<int64_t> least = CountOf(schema, "minItems");
  const std::optional<int64_t> most = CountOf(schema, "maxItems");
  const auto size = static_cast<int64_t>(list.size());
  if (least && size < *least) {
    f->Add(Invalid(path, size, fmt::format("should have at least {} items", *least)));
  }
  if (most && size > *most) {
    f->Add(TooMany(path, list.size(), *most));
  }
  ++f->matches;
}

void SchemaWalk::CheckObject(const Json& schema, const Json& object, const std::string& path,
                             Findings* f) const {
  const std::optional<int64_t> least = CountOf(schema, "minProperties");
  const std::optional<int64_t> most = CountOf(schema, "maxProperties");
  const auto size = static_cast<int64_t>(object.size());
  if (least && size < *least) {
    f->Add(Invalid(path, size, fmt::format("should have at least {} properties", *least)));
  }
  if (most && size > *most) {
    f->Add(TooMany(path, object.size(), *most));
  }
  const Json* properties = Get(schema, "properties");
  const Json* others = Get(schema, "additionalProperties");
  for (const auto& [key, value] : object.items()) {
    const bool known = properties != nullptr && properties->contains(key);
    const std::string child = path.empty() && known ? key : fmt::format("{}.{}", path, key);
    if (known) {
      f->Merge(Validate(properties->at(key), value, child));
    } else if (others != nullptr && others->is_object()) {
      f->Merge(Validate(*others, value, child));
    } else if (others != nullptr && *others == false) {
      f->Add(InvalidValue(FieldAt(path), key,
                          fmt::format("{}.{} in body is a forbidden property", path, key)));
    }
  }
  for (const Json& name : ListAt(schema, "required")) {
    if (object.contains(TextAt(name, ""))) continue;
    f->Add(RequiredValue(FieldAt(path + "." + TextAt(name, ""))));
  }
}

void SchemaWalk::CheckEnum(const Json& schema, const Json& value, const std::string& path,
                           Findings* f) const {
  const Json& allowed = ListAt(schema, "enum");
  if (allowed.empty()) return;
  if (!value.is_null() && std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  std::vector<std::string> texts;
  for (const Json& one : allowed) {
    texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  }
  f->Add(NotSupportedValue(FieldAt(path), value, texts));
}

int SchemaWalk::CountValid(const Json& schemas, const Json& value, const std::string& path,
                           bool first_only, Findings* best) const {
  int valid = 0;
  bool chosen = false;
  for (const Json& schema : schemas) {
    Findings findings = Validate(schema, value, path);
    if (findings.causes.empty()) {
      if (valid++ == 0) *best = std::move(findings);
      if (first_only) break;
    } else if (valid == 0 && (!chosen || findings.matches > best->matches)) {
      *best = std::move(findings);
      chosen = true;
    }
  }
  return valid;
}

void SchemaWalk::CheckAlternatives(const Json& schema, const Json& value, const std::string& path,
                                   Findings* f) const {
  if (const Json& any = ListAt(schema, "anyOf"); !any.empty()) {
    Findings best;
    if (CountValid(any, value, path, true, &best) == 0) {
      f->Add(WholeFault(fmt::format("\"{}\" must validate at least one schema (anyOf)", path)));
    }
    f->Merge(best);
  }
  if (const Json& one = ListAt(schema, "oneOf"); !one.empty()) {
    Findings best;
    const int valid = CountValid(one, value, path, false, &best);
    if (valid != 1) {
      f->Add(WholeFault(fmt::format(
          "\"{}\" must validate one and only one schema (oneOf). {}", path,
          valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid))));
    }
    if (valid < 2) f->Merge(best);
  }
  if (const Json& all = ListAt(schema, "allOf"); !all.empty()) {
    size_t valid = 0;
    for (const Json& one : all) {
      const Findings findings = Validate(one, value, path);
      valid += findings.causes.empty();
      f->Merge(findings);
    }
    if (valid != all.size()) {
      f->Add(WholeFault(fmt::format("\"{}\" must validate all the schemas (allOf){}", path,
                                    valid == 0 ? ". None validated" : "")));
    }
  }
  const Json* denied = Get(schema, "not");
  if (denied != nullptr && Validate(*denied, value, path).causes.empty()) {
    f->Add(WholeFault(fmt::format("\"{}\" must not validate the schema (not)", path)));
  }
}

Findings SchemaWalk::Validate(const Json& schema, const Json& value,
                              const std::string& path) const {
  Findings findings = {.matches = 4};
  CheckType(schema, value, path, &findings);
  if (value.is_null()) {
    CheckEnum(schema, value, path, &findings);
    return findings;
  }
  CheckAlternatives(schema, value, path, &findings);
  if (value.is_string()) CheckText(schema, value.get_ref<const std::string&>(), path, &findings);
  if (value.is_number()) CheckNumber(schema, value, path, &findings);
  if (value.is_array()) CheckList(schema, value, path, &findings);
  CheckEnum(schema, value, path, &findings);
  if (value.is_object()) CheckObject(schema, value, path, &findings);
  return findings;
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

void FindDuplicateItems(const Json& schema, const Json& list, const std::string& path,
                        std::vector<Cause>* causes) {
  const std::string& type = TextAt(schema, "x-kubernetes-list-type");
  if (type != "set" && type != "map") return;
  std::map<Json, int> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string field = fmt::format("{}[{}]", path, i);
    if (type == "map" && !list[i].is_object() && !list[i].is_null()) {
      causes->push_back(
          InvalidValue(field, list[i], "must be an object for an array of list-type map"));
      return;
    }
    const Json identity =
        type == "set" ? list[i] : KeysOf(list[i], ListAt(schema, "x-kubernetes-list-map-keys"));
    if (++seen[identity] == 2) causes->push_back(DuplicateValue(field, identity));
  }
}

}  // namespace

SchemaPatterns::SchemaPatterns() = default;
SchemaPatterns::~SchemaPatterns() = default;
SchemaPatterns::SchemaPatterns(SchemaPatterns&&) noexcept = default;
SchemaPatterns& SchemaPatterns::operator=(SchemaPatterns&&) noexcept = default;

std::string SchemaPatterns::Add(const std::string& pattern) {
  std::unique_ptr<RE2>& compiled = compiled_[pattern];
  if (!compiled) compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  return compiled->error();
}

bool SchemaPatterns::Matches(const std::string& pattern, const std::string& text) const {
  const auto found = compiled_.find(pattern);
  return found == compiled_.end() || RE2::PartialMatch(text, *found->second);
}

std::vector<Cause> ValidateBySchema(const Json& schema, const SchemaPatterns& patterns,
                                    const Json& value) {
  return SchemaWalk(patterns).Validate(schema, value, "").causes;
}

void FindDuplicates(const Json& schema, const Json& value, const std::string& path,
                    std::vector<Cause>* causes) {
  if (value.is_array()) {
    FindDuplicateItems(schema, value, path, causes);
    const Json* items = Get(schema, "items");
    for (size_t i = 0; items != nullptr && i < value.size(); ++i) {
      FindDuplicates(*items, value[i], fmt::format("{}[{}]", path, i), causes);
    }
  }
  if (!value.is_object()) return;
  const Json* properties = Get(schema, "properties");
  const Json* others = Get(schema, "additionalProperties");
  for (const auto& [key, member] : value.items()) {
    if (properties != nullptr && properties->contains(key)) {
      FindDuplicates(properties->at(key), member,
                     path.empty() ? key : fmt::format("{}.{}", path, key), causes);
    } else if (others != nullptr && others->is_object()) {
      FindDuplicates(*others, member, fmt::format("{}[{}]", path, key), causes);
    }
  }
}

}  // namespace outrigger::apiserver
