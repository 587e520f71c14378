#include "apiserver/crd/validation_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "apiserver/crd/structural_schema.h"
#include "apiserver/select/field_path.h"
#include "cel/evaluator.h"
#include "cel/syntax/parser.h"
#include "cel/values/collections.h"
#include "cel/values/time.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using cel::Value;

constexpr uint32_t kOldSelf = 1;            // its place in the environment of rules
constexpr uint64_t kMostCost = 10'000'000;  // of all rules for one object, as upstream

// A field as rules name it: "my-name" is my__dash__name.
std::string RuleField(const std::string& name) {
  if (cel::IsReserved(name)) return fmt::format("__{}__", name);
  return absl::StrReplaceAll(
      name, {{"__", "__underscores__"}, {".", "__dot__"}, {"-", "__dash__"}, {"/", "__slash__"}});
}

Value RuleText(const std::string& text, const std::string& format) {
  if (format == "duration") {
    if (const auto duration = cel::ParseDuration(text)) return Value::Duration(*duration);
  } else if (format == "date" || format == "date-time") {
    const auto time = cel::ParseTimestamp(format == "date" ? text + "T00:00:00Z" : text);
    if (time) return Value::Timestamp(time->seconds, time->nanoseconds, time->offset);
  }
  return Value::String(text);
}

// JSON as rules see it, by its schema (nullptr: any). Refers to both and the arena.
Value RuleValue(const Json* schema, const Json& value, cel::Arena* arena) {
  static const Json* const any = new Json(Json::object());
  const Json& known = schema == nullptr ? *any : *schema;
  const std::string& type = TextAt(known, "type");
  if (value.is_object()) {
    const bool has_fields = ValueAt(known, "properties") != nullptr;
    std::vector<cel::MapEntry> entries;
    for (const auto& [key, member] : value.items()) {
      if (has_fields && member.is_null()) continue;  // as if it were not there
      const std::string_view name = has_fields ? arena->StoreText(RuleField(key)) : key;
      entries.push_back(
          {Value::String(name), RuleValue(SchemaOfMember(schema, key), member, arena)});
    }
    return cel::MakeMap(*arena, entries);
  }
  if (value.is_array()) {
    cel::ListBuffer* list = cel::NewList(*arena, value.size());
    if (list == nullptr) return Value::Null();
    const std::string& order = TextAt(known, "x-kubernetes-list-type");
    list->in_any_order = order == "set" || order == "map";
    for (const Json& item : value) {
      list->items[list->used++] = RuleValue(SchemaOfItems(schema), item, arena);
    }
    return Value::List(list, list->used);
  }
  if (value.is_string()) {
    return RuleText(value.get_ref<const std::string&>(), TextAt(known, "format"));
  }
  if (value.is_boolean()) return Value::Bool(value.get<bool>());
  if (value.is_null()) return Value::Null();
  const bool is_whole =
      value.is_number_integer() && value <= uint64_t{INT64_MAX} && type != "number";
  return is_whole ? Value::Int(value.get<int64_t>()) : Value::Double(value.get<double>());
}

// What tells an item of a list-type "map" apart; null in other lists.
Json KeyOfItem(const Json& schema, const Json& item) {
  Json key;
  for (const Json& name : ListAt(schema, "x-kubernetes-list-map-keys")) {
    key.push_back(item.is_object() ? item.value(TextAt(name, ""), Json()) : Json());
  }
  return key;
}

std::string JoinedField(const std::string& path, const std::string& field) {
  return path + (path.empty() || field.empty() || field[0] == '[' ? "" : ".") + field;
}

class RuleWalk {
 public:
  RuleWalk(const ValidationRules& rules, std::vector<Cause>* causes)
      : rules_(rules), causes_(causes) {}

  void Visit(const Json* schema, const Json& self, const Json* old, const std::string& path) {
    if (schema == nullptr || self.is_null()) return;
    const Json& rules = ListAt(*schema, "x-kubernetes-validations");
    if (!rules.empty() && spent_ <= kMostCost) Apply(*schema, rules, self, old, path);
    if (self.is_array()) VisitItems(*schema, self, old, path);
    if (!self.is_object()) return;
    const bool has_fields = ValueAt(*schema, "properties") != nullptr;
    for (const auto& [key, member] : self.items()) {
      const bool was_there = old != nullptr && old->is_object() && old->contains(key);
      Visit(SchemaOfMember(schema, key), member, was_there ? &old->at(key) : nullptr,
            JoinedField(path, has_fields ? key : fmt::format("[{}]", key)));
    }
  }

 private:
  void VisitItems(const Json& schema, const Json& self, const Json* old, const std::string& path) {
    std::map<Json, const Json*> known;
    for (size_t i = 0; old != nullptr && old->is_array() && i < old->size(); ++i) {
      known.emplace(KeyOfItem(schema, (*old)[i]), &(*old)[i]);
    }
    known[Json()] = nullptr;
    for (size_t i = 0; i < self.size(); ++i) {
      Visit(SchemaOfItems(&schema), self[i], known[KeyOfItem(schema, self[i])],
            fmt::format("{}[{}]", path, i));
    }
  }

  void Apply(const Json& schema, const Json& rules, const Json& self, const Json* old,
             const std::string& path) {
    arena_.Reset();
    const Value value = RuleValue(&schema, self, &arena_);
    const Value before = old == nullptr ? Value() : RuleValue(&schema, *old, &arena_);
    spent_ += arena_.used() / 64;
    for (const Json& rule : rules) {
      const cel::Program* program = rules_.Find(TextAt(rule, "rule"));
      const bool optional = IsTrueAt(rule, "optionalOldSelf");
      if (program == nullptr) continue;
      if (program->Uses(kOldSelf) && old == nullptr && !optional) continue;
      const Value held = Value::Optional(old == nullptr ? nullptr : &before);
      const cel::Verdict verdict =
          evaluator_.Evaluate(*program, std::array{value, optional ? held : before});
      spent_ += 1 + evaluator_.cost() + evaluator_.work();
      if (verdict == cel::Verdict::kCost || spent_ > kMostCost || arena_.exhausted()) {
        spent_ = kMostCost + 1;
        return Add({}, path, TextAt(schema, "type"),
                   "validation failed due to running out of cost budget, no further validation "
                   "rules will be run");
      }
      const std::string& message = TextAt(rule, "message");
      const std::string name(
          absl::StripAsciiWhitespace(message.empty() ? TextAt(rule, "rule") : message));
      if (verdict == cel::Verdict::kFailed) {
        Add({}, path, TextAt(schema, "type"),
            fmt::format("{} evaluating rule: {}", evaluator_.Reason(), name));
      } else if (verdict != cel::Verdict::kTrue) {
        Add(rule, path, self, (message.empty() ? "failed rule: " : "") + name);
      }
    }
  }

  // By reason and fieldPath of the rule: ".labels['a']" is labels[a].
  void Add(const Json& rule, const std::string& path, const Json& value, const std::string& why) {
    std::string field = absl::StrReplaceAll(TextAt(rule, "fieldPath"), {{"['", "["}, {"']", "]"}});
    field = JoinedField(path, field.starts_with('.') ? field.substr(1) : field);
    if (field.empty()) field = "<nil>";
    const std::string& reason = TextAt(rule, "reason");
    const bool is_duplicate = reason == "FieldValueDuplicate";
    Cause cause = is_duplicate ? DuplicateValue(field, value) : InvalidValue(field, value, why);
    if (value.is_structured()) {  // which is not shown
      cause.message = is_duplicate ? "Duplicate value" : "Invalid value: " + why;
    }
    if (reason == "FieldValueForbidden") cause = ForbiddenValue(field, why);
    if (reason == "FieldValueRequired") cause = RequiredValue(field, why);
    causes_->push_back(std::move(cause));
  }

  const ValidationRules& rules_;
  std::vector<Cause>* causes_;
  cel::Arena arena_;  // of the values that are looked at
  cel::Evaluator evaluator_;
  uint64_t spent_ = 0;
};

}  // namespace

void ValidationRules::Compile(const Json& schema) {
  for (const Json& rule : ListAt(schema, "x-kubernetes-validations")) {
    auto program = cel::Program::Compile(TextAt(rule, "rule"), cel::RuleEnvironment());
    if (program.ok()) programs_.emplace(program->text(), *program);
  }
  for (const Json& part : schema) {
    if (part.is_structured()) Compile(part);
  }
}

const cel::Program* ValidationRules::Find(const std::string& rule) const {
  const auto found = programs_.find(rule);
  return found == programs_.end() ? nullptr : &found->second;
}

void ValidationRules::Check(const Json& schema, const Json& object, const Json* old,
                            std::vector<Cause>* causes) const {
  if (!programs_.empty()) RuleWalk(*this, causes).Visit(&schema, object, old, "");
}

void ValidationRules::AddSkipped(std::vector<Cause>* causes) const {
  const bool skips = std::any_of(causes->begin(), causes->end(), [](const Cause& cause) {
    return cause.reason != "FieldValueInvalid" && cause.reason != "FieldValueDuplicate";
  });
  if (programs_.empty() || !skips) return;
  causes->push_back(InvalidValue("<nil>", nullptr,
                                 "some validation rules were not checked because the object was "
                                 "invalid; correct the existing errors to complete validation"));
}

}  // namespace outrigger::apiserver
