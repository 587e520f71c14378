#include "apiserver/types/conform.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "apiserver/types/scalars.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMaxErrors = 100;  // as many as upstream keeps

// Where a value stands; of `type` if that is an object of it. Lives on the stack.
struct Place {
  const Place* parent = nullptr;
  const Type* type = nullptr;    // the parent's type, where the parent is a message
  const Field* field = nullptr;  // nullptr: the object itself, or an element
  std::string_view key = {};     // of a map
  int64_t index = -1;            // of a list
};

// "spec.containers[0].name"
void AppendStrictPath(const Place& place, std::string* path) {
  if (place.parent != nullptr) AppendStrictPath(*place.parent, path);
  if (place.index >= 0) {
    *path += fmt::format("[{}]", place.index);
    return;
  }
  const std::string_view name = place.field != nullptr ? place.field->name : place.key;
  if (name.empty()) return;
  if (!path->empty()) *path += '.';
  *path += name;
}

// Names of Go's embedded structs that lead to a field. False: it is not in there.
bool FindEmbedded(const Type& type, const Field* field, std::vector<std::string_view>* names) {
  for (const Field& one : type.fields) {
    if (&one == field) return true;
    if (!one.inlined) continue;
    names->push_back(one.name);
    if (FindEmbedded(*one.type, field, names)) return true;
    names->pop_back();
  }
  return false;
}

// "spec.containers.livenessProbe.ProbeHandler.httpGet", as Go's errors have it.
void CollectGoPath(const Place& place, std::vector<std::string_view>* names) {
  if (place.parent != nullptr) CollectGoPath(*place.parent, names);
  if (place.field == nullptr) return;
  FindEmbedded(*place.type, place.field, names);
  names->push_back(place.field->name);
}

const char* ScalarTypeOfGo(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return "bool";
    case FieldKind::kInt32:
    case FieldKind::kIntOrString:
      return "int32";
    case FieldKind::kInt64:
      return "int64";
    case FieldKind::kDouble:
      return "float64";
    case FieldKind::kBytes:
      return "[]uint8";
    case FieldKind::kQuantity:
      return "resource.Quantity";
    default:
      return "string";
  }
}

// Of a whole field ("[]v1.Container"), or of its elements.
std::string TypeOfGo(const Field& field, bool whole) {
  if (whole && field.map && field.kind == FieldKind::kQuantity) return "v1.ResourceList";
  std::string type = whole && field.map ? "map[string]" : "";
  if (whole && field.list) type += "[]";
  type += field.type != nullptr ? field.type->go_name() : ScalarTypeOfGo(field.kind);
  return type;
}

std::string ValueNameOfGo(const Json& value, bool with_number) {
  if (value.is_number()) return with_number ? fmt::format("number {}", value.dump()) : "number";
  if (value.is_boolean()) return "bool";
  return value.type_name();
}

bool IsInteger(FieldKind kind) {
  return kind == FieldKind::kInt32 || kind == FieldKind::kInt64 || kind == FieldKind::kIntOrString;
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

  bool Object(const Type& type, const Place& at, Json* object) {
    for (auto it = object->begin(); it != object->end();) {
      const Field* field = type.Find(it.key());
      if (field == nullptr) AddUnknown({.parent = &at, .key = it.key()});
      if (field == nullptr || it->is_null()) {
        it = object->erase(it);
        continue;
      }
      const Place place{.parent = &at, .type = &type, .field = field};
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

  const std::string& problem() const { return problem_; }

 private:
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
    switch (field.kind) {
      case FieldKind::kString:
        return "";
      case FieldKind::kBool:
        return false;
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kDouble:
      case FieldKind::kIntOrString:
        return 0;
      case FieldKind::kQuantity:
        return "0";
      case FieldKind::kMessage: {
        Json object = Json::object();
        Object(*field.type, {}, &object);
        return object;
      }
      default:
        return nullptr;
    }
  }

  bool Whole(const Field& field, const Place& at, Json* value) {
    if (field.map) return Map(field, at, value);
    return field.list ? List(field, at, value) : Element(field, at, value);
  }

  bool Map(const Field& field, const Place& at, Json* value) {
    if (!value->is_object()) return Mismatch(field, true, at, *value);
    for (auto& [key, element] : value->items()) {
      const Place place{.parent = &at, .key = key};
      if (!(field.list ? List(field, place, &element) : Element(field, place, &element))) {
        return false;
      }
    }
    return true;
  }

  bool List(const Field& field, const Place& at, Json* value) {
    if (value->is_null()) *value = Json::array();  // of a map
    if (!value->is_array()) return Mismatch(field, true, at, *value);
    int64_t index = 0;
    for (Json& element : *value) {
      if (!Element(field, {.parent = &at, .index = index++}, &element)) return false;
    }
    return true;
  }

  bool Element(const Field& field, const Place& at, Json* value) {
    if (value->is_null()) {
      *value = field.kind == FieldKind::kBytes ? Json("") : ZeroElement(field);
      return true;
    }
    switch (field.kind) {
      case FieldKind::kMessage:
        return value->is_object() ? Object(*field.type, at, value)
                                  : Mismatch(field, false, at, *value);
      case FieldKind::kRaw:
      case FieldKind::kFieldsV1:
      case FieldKind::kJson:
        return true;
      case FieldKind::kSchemaOrBool:
      case FieldKind::kSchemaOrArray:
      case FieldKind::kSchemaOrStrings:
        return Schema(field, value);
      default:
        return Scalar(field, at, value);
    }
  }

  bool Scalar(const Field& field, const Place& at, Json* value) {
    switch (field.kind) {
      case FieldKind::kBool:
        return value->is_boolean() || Mismatch(field, false, at, *value);
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        return IsIntegerOf(field.kind, *value) || Mismatch(field, false, at, *value);
      case FieldKind::kIntOrString:
        return value->is_string() || IsIntegerOf(field.kind, *value) ||
               Mismatch(field, false, at, *value);
      case FieldKind::kDouble:
        if (!value->is_number()) return Mismatch(field, false, at, *value);
        return true;
      case FieldKind::kQuantity:
        if (!value->is_string()) *value = value->dump();
        return Text(field, value);
      default:
        return value->is_string() ? Text(field, value) : Mismatch(field, false, at, *value);
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
    return problem ? Fail(*std::move(problem)) : true;
  }

  // Upstream decodes these by themselves: without places, and without a word of unknown fields.
  bool Schema(const Field& field, Json* value) {
    if (value->is_object()) return Conformer(nullptr).ObjectOf(*field.type, value, &problem_);
    if (field.kind == FieldKind::kSchemaOrBool) {
      return value->is_boolean() || Fail("boolean or JSON schema expected");
    }
    if (!value->is_array() || value->empty()) {
      *value = nullptr;
      return true;
    }
    const Field element{
        .name = field.name,
        .kind = field.kind == FieldKind::kSchemaOrArray ? FieldKind::kMessage : FieldKind::kString,
        .list = true,
        .type = field.kind == FieldKind::kSchemaOrArray ? field.type : nullptr};
    Conformer alone(nullptr);
    return alone.List(element, {}, value) || Fail(alone.problem_);
  }

  bool ObjectOf(const Type& type, Json* value, std::string* problem) {
    if (Object(type, {}, value)) return true;
    *problem = problem_;
    return false;
  }

  bool Mismatch(const Field& field, bool whole, const Place& at, const Json& value) {
    std::vector<std::string_view> names;
    CollectGoPath(at, &names);
    const bool with_number = !whole && IsInteger(field.kind);
    const Place* place = &at;
    while (place != nullptr && place->type == nullptr) place = place->parent;
    const std::string what =
        fmt::format("json: cannot unmarshal {} into Go", ValueNameOfGo(value, with_number));
    const std::string type = TypeOfGo(field, whole);
    if (place == nullptr) return Fail(fmt::format("{} value of type {}", what, type));
    return Fail(fmt::format("{} struct field {}.{} of type {}", what, place->type->kind(),
                            fmt::join(names, "."), type));
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  void AddUnknown(const Place& at) {
    if (unknown_ == nullptr || unknown_->size() >= kMaxErrors) return;
    std::string path;
    AppendStrictPath(at, &path);
    unknown_->push_back(fmt::format("unknown field {}", Json(path).dump()));
  }

  std::vector<std::string>* unknown_;
  std::string problem_;
};

Failure CannotBeHandled(const Type& type, std::string_view problem) {
  return Failure::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                         type.kind(), type.version(), type.kind(), problem));
}

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
  if (!object->is_object()) {
    return CannotBeHandled(type, fmt::format("json: cannot unmarshal {} into Go value of type {}",
                                             ValueNameOfGo(*object, false), type.go_name()));
  }
  Conformer conformer(unknown_fields);
  if (conformer.Object(type, {}, object)) return std::nullopt;
  return CannotBeHandled(type, conformer.problem());
}

}  // namespace outrigger::apiserver
