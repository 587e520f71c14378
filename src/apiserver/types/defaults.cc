#include "apiserver/types/defaults.h"

#include <string>
#include <string_view>

#include "apiserver/types/conform.h"

namespace outrigger::apiserver {
namespace {

// Of one object of the kind.
class DefaultSetter {
 public:
  explicit DefaultSetter(std::string_view kind) : kind_(kind) {}

  void Fill(const Type& type, Json* object) const {
    SetThose(type, object, /*conditional=*/false);
    SetThose(type, object, /*conditional=*/true);
    for (auto& [name, value] : object->items()) {
      const Field* field = type.Find(name);
      if (field != nullptr && field->kind == FieldKind::kMessage) FillBelow(*field, &value);
    }
  }

 private:
  void SetThose(const Type& type, Json* object, bool conditional) const {
    for (const Field* field : type.flat()) {
      if (!field->default_value || field->default_when.empty() == conditional) continue;
      if (!Applies(*field, *object)) continue;
      Json& value = (*object)[std::string(field->name)];
      if (value.is_null() || IsEmptyValue(*field, value)) value = *field->default_value;
    }
  }

  bool Applies(const Field& field, const Json& object) const {
    if (!field.default_only.empty() && field.default_only != kind_) return false;
    if (field.default_when.empty()) return true;
    const auto other = object.find(field.default_when);
    return other != object.end() && *other == field.default_when_value;
  }

  void FillBelow(const Field& field, Json* value) const {
    if (value->is_null()) return;
    if (!field.list && !field.map) return Fill(*field.type, value);
    for (Json& element : *value) Fill(*field.type, &element);
  }

  std::string_view kind_;
};

}  // namespace

void SetDefaults(const Type& type, Json* object) {
  DefaultSetter(type.kind()).Fill(type, object);
}

}  // namespace outrigger::apiserver
