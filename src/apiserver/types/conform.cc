#include "apiserver/types/conform.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "apiserver/types/scalars.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMaxErrors = 100;  // as many as upstream keeps

// Where a value stands. Lives on the stack.
struct Place {
  const Place* parent = nullptr;
  std::string_view name = {};  // of a field, or the key of a map; empty: the object itself
  int64_t index = -1;          // of a list
};

// "spec.containers[0].name"
std::string PathOf(const Place& place) {
  std::string path = place.parent == nullptr ? "" : PathOf(*place.parent);
  if (place.index >= 0) return fmt::format("{}[{}]", path, place.index);
  if (!path.empty() && !place.name.empty()) path += '.';
  return path.append(place.name);
}

bool IsIntegerOf(FieldKind kind, const Json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return false;
  const auto number = value.get<int64_t>();
  return kind == FieldKind::kInt64 || (number >= std::numeric_limits<int32_t>::min() &&
                                       number <= std::numeric_limits<int32_t>::max());
}

class Conformer {
 public:
  explicit Conformer(std::vector<std::string>* unknown) : unknown_(unknown) {}

  bool Element(const Field& field, const Place& at, Json* value) {
    if (value->is_null()) {
      *value = field.kind == FieldKind::kBytes ? Json("") : ZeroElement(field);
      return true;
    }
    switch (field.kind) {
      case FieldKind::kRaw:
      case FieldKind::kFieldsV1:
      case FieldKind::kJson:
        return true;
      case FieldKind::kSchemaOrBool:
      case FieldKind::kSchemaOrArray:
      case FieldKind::kSchemaOrStrings:
        return Schema(field, at, value);
      case FieldKind::kMessage:
        if (value->is_object()) return Object(*field.type, at, value);
        return Mismatch(FactsOf(field.kind).word, at, *value);
      default:
        return Scalar(field, value) || Mismatch(FactsOf(field.kind).word, at, *value);
    }
  }

  const std::string& problem() const { return problem_; }

 private:
  bool Object(const Type& type, const Place& at, Json* object) {
    for (auto it = object->begin(); it != object->end();) {
      const Field* field = type.Find(it.key());
      const Place place{.parent = &at, .name = it.key()};
      if (field == nullptr) AddUnknown(place);
      if (field == nullptr || it->is_null()) {
        it = object->erase(it);
        continue;
      }
      if (!Whole(*field, place, &*it)) return false;
      it = IsLeftOut(*field, *it) ? object->erase(it) : std::next(it);
    }
    for (const Field* field : type.flat()) {
      if (!field->omit_empty && !object->contains(field->name)) {
        (*object)[std::string(field->name)] = Zero(*field);
      }
    }
    return true;
  }

  static bool IsLeftOut(const Field& field, const Json& value) {
    // A list or map that is empty is absent when it comes back from storage.
    const bool is_gone = (field.list || field.map) && value.empty();
    return is_gone || value.is_null() || (field.omit_empty && IsEmptyValue(field, value));
  }

  // What Go prints of a field that was never set.
  Json Zero(const Field& field) {
    if (field.pointer || field.list || field.map) return nullptr;
    return ZeroElement(field);
  }

  Json ZeroElement(const Field& field) {
    if (field.kind == FieldKind::kQuantity) return "0";
    Json zero(FactsOf(field.kind).zero);
    if (field.kind == FieldKind::kMessage) Object(*field.type, {}, &zero);
    return zero;
  }

  bool Whole(const Field& field, const Place& at, Json* value) {
    if (field.map) return Map(field, at, value);
    return field.list ? List(field, at, value) : Element(field, at, value);
  }

  bool Map(const Field& field, const Place& at, Json* value) {
    if (!value->is_object()) return Mismatch("object", at, *value);
    for (auto& [key, element] : value->items()) {
      const Place place{.parent = &at, .name = key};
      if (!(field.list ? List(field, place, &element) : Element(field, place, &element))) {
        return false;
      }
    }
    return true;
  }

  bool List(const Field& field, const Place& at, Json* value) {
    if (value->is_null()) *value = Json::array();  // of a map
    if (!value->is_array()) return Mismatch("list", at, *value);
    int64_t index = 0;
    for (Json& element : *value) {
      if (!Element(field, {.parent = &at, .index = index++}, &element)) return false;
    }
    return true;
  }

  bool Scalar(const Field& field, Json* value) {
    if (field.kind == FieldKind::kDouble) return value->is_number();
    if (field.kind == FieldKind::kQuantity && !value->is_string()) *value = value->dump();
    switch (FactsOf(field.kind).zero) {
      case Json::value_t::boolean:
        return value->is_boolean();
      case Json::value_t::number_integer:
        return IsIntegerOf(field.kind, *value) ||
               (field.kind == FieldKind::kIntOrString && value->is_string());
      default:
        return value->is_string() && Text(field, value);
    }
  }

  bool Text(const Field& field, Json* value) {
    auto& text = value->get_ref<std::string&>();
    std::optional<std::string> problem;
    if (field.kind == FieldKind::kQuantity) {
      problem = ConformQuantity(&text);
    } else if (field.kind == FieldKind::kBytes) {
      problem = ConformBase64(&text);
    } else if (field.kind == FieldKind::kTime || field.kind == FieldKind::kMicroTime) {
      problem = ConformTime(field.kind == FieldKind::kMicroTime, &text);
      if (text.empty()) *value = nullptr;
    }
    if (!problem) return true;
    problem_ = *std::move(problem);
    return false;
  }

  // Of unknown fields in there upstream says nothing.
  bool Schema(const Field& field, const Place& at, Json* value) {
    std::vector<std::string>* const unknown = std::exchange(unknown_, nullptr);
    bool good = true;
    if (value->is_object()) {
      good = Object(*field.type, at, value);
    } else if (field.kind == FieldKind::kSchemaOrBool) {
      good = value->is_boolean() || Mismatch(FactsOf(field.kind).word, at, *value);
    } else if (!value->is_array() || value->empty()) {
      *value = nullptr;
    } else {
      const bool texts = field.kind == FieldKind::kSchemaOrStrings;
      Field element = field;
      element.kind = texts ? FieldKind::kString : FieldKind::kMessage;
      good = List(element, at, value);
    }
    unknown_ = unknown;
    return good;
  }

  // Unless another problem is known, which is deeper.
  bool Mismatch(std::string_view wanted, const Place& at, const Json& value) {
    const std::string path = PathOf(at);
    if (problem_.empty()) {
      problem_ = fmt::format("{} must be {}, not {}", path.empty() ? "the whole" : path, wanted,
                             value.type_name());
    }
    return false;
  }

  void AddUnknown(const Place& at) {
    if (unknown_ == nullptr || unknown_->size() >= kMaxErrors) return;
    unknown_->push_back(fmt::format("unknown field {}", Json(PathOf(at)).dump()));
  }

  std::vector<std::string>* unknown_;
  std::string problem_;
};

}  // namespace

bool IsEmptyValue(const Field& field, const Json& value) {
  if (field.pointer) return false;
  if (field.list || field.map) return value.empty();
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return !value.get<bool>();
  return value.is_number() && value == 0;
}

std::optional<Failure> Conform(const Type& type, Json* object,
                               std::vector<std::string>* unknown_fields) {
  Conformer conformer(unknown_fields);
  Field whole;
  whole.kind = FieldKind::kMessage;
  whole.type = &type;
  if (conformer.Element(whole, {}, object)) return std::nullopt;
  return Failure::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                         type.kind(), type.version(), type.kind(),
                                         conformer.problem()));
}

}  // namespace outrigger::apiserver
