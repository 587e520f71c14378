#include "apiserver/select/field_path.h"

#include <algorithm>
#include <charconv>

namespace outrigger::apiserver {

const Json* ValueAt(const Json& object, std::string_view path) {
  const Json* value = &object;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (value->is_array()) {
      size_t index = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
      if (error != std::errc() || index >= value->size()) return nullptr;
      value = &(*value)[index];
      continue;
    }
    if (!value->is_object()) return nullptr;
    const auto member = value->find(name);
    if (member == value->end()) return nullptr;
    value = &*member;
  }
  return value->is_null() ? nullptr : value;
}

const std::string& TextAt(const Json& object, std::string_view path) {
  static const std::string* const none = new std::string;
  const Json* value = ValueAt(object, path);
  return value == nullptr || !value->is_string() ? *none : value->get_ref<const std::string&>();
}

int64_t NumberAt(const Json& object, std::string_view path) {
  const Json* value = ValueAt(object, path);
  return value == nullptr || !value->is_number_integer() ? 0 : value->get<int64_t>();
}

bool IsTrueAt(const Json& object, std::string_view path) {
  const Json* value = ValueAt(object, path);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json& ListAt(const Json& object, std::string_view path) {
  static const Json* const none = new Json(Json::array());
  const Json* value = ValueAt(object, path);
  return value == nullptr || !value->is_array() ? *none : *value;
}

}  // namespace outrigger::apiserver
