#include "apiserver/types/type_table.h"

#include <algorithm>

#include "apiserver/types/table_reader.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kTableParts[] = {
#include "kubernetes_types.inc"
};

std::string TableText() {
  std::string text;
  for (const std::string_view part : kTableParts) text += part;
  return text;
}

void CollectFields(const Type& type, std::vector<const Field*>* all) {
  for (const Field& field : type.fields) {
    if (field.inlined) {
      CollectFields(*field.type, all);
    } else {
      all->push_back(&field);
    }
  }
}

bool IsOfKind(const Resource& resource, std::string_view group, std::string_view version,
              std::string_view kind) {
  return resource.group == group && resource.version == version && resource.kind == kind;
}

// What stands behind the last dot but `dots` of a name.
std::string_view BehindDot(std::string_view name, int dots) {
  size_t at = name.size();
  for (; dots >= 0; --dots) at = name.rfind('.', at - 1);
  return name.substr(at + 1);
}

}  // namespace

const Field* Type::Find(std::string_view json_name) const {
  const auto found = std::lower_bound(
      flat_.begin(), flat_.end(), json_name,
      [](const Field* field, std::string_view wanted) { return field->name < wanted; });
  return found != flat_.end() && (*found)->name == json_name ? *found : nullptr;
}

const Field* Type::FindNumber(uint32_t number) const {
  for (const Field& field : fields) {
    if (field.number == number && number != 0) return &field;
  }
  return nullptr;
}

void Type::Flatten() {
  CollectFields(*this, &flat_);
  std::sort(flat_.begin(), flat_.end(),
            [](const Field* a, const Field* b) { return a->name < b->name; });
}

std::string_view Type::go_name() const {
  return BehindDot(name, 1);
}

std::string_view Type::kind() const {
  return BehindDot(name, 0);
}

std::string_view Type::version() const {
  return go_name().substr(0, go_name().find('.'));
}

bool Resource::HasSubresource(std::string_view wanted) const {
  return std::any_of(subresources.begin(), subresources.end(),
                     [wanted](const Subresource& one) { return one.name == wanted; });
}

const TypeTable& TypeTable::Get() {
  static const std::string text = TableText();
  static const TypeTable table(text);
  return table;
}

TypeTable::TypeTable(std::string_view text) {
  ReadTypeTable(text, &types_, &resources_, &bodies_);
  for (Type& type : types_) type.Flatten();
}

const Type* TypeTable::FindType(std::string_view name) const {
  const auto found = std::lower_bound(
      types_.begin(), types_.end(), name,
      [](const Type& type, std::string_view wanted) { return type.name < wanted; });
  return found != types_.end() && found->name == name ? &*found : nullptr;
}

const Type* TypeTable::FindTypeOfKind(std::string_view group, std::string_view version,
                                      std::string_view kind) const {
  if (const Resource* resource = FindKind(group, version, kind)) return resource->type;
  for (const Resource& body : bodies_) {
    const bool everywhere = kind == "DeleteOptions" && body.kind == kind;
    if (everywhere || IsOfKind(body, group, version, kind)) return body.type;
  }
  return nullptr;
}

const Resource* TypeTable::FindResource(std::string_view group, std::string_view version,
                                        std::string_view plural) const {
  for (const Resource& one : resources_) {
    if (one.group == group && one.version == version && one.plural == plural) return &one;
  }
  return nullptr;
}

const Resource* TypeTable::FindKind(std::string_view group, std::string_view version,
                                    std::string_view kind) const {
  for (const Resource& one : resources_) {
    if (IsOfKind(one, group, version, kind)) return &one;
  }
  return nullptr;
}

}  // namespace outrigger::apiserver
