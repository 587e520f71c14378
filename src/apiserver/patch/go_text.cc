#include "apiserver/patch/go_text.h"

#include "fmt/format.h"

namespace outrigger::apiserver {

std::string GoText(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  if (!value.is_structured()) return value.dump();
  std::string text = value.is_object() ? "map[" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += ' ';
    if (value.is_object()) text += item.key() + ":";
    text += GoText(*item);
  }
  return text + "]";
}

const char* JsonTypeName(const Json& value) {
  if (value.is_boolean()) return "bool";
  return value.is_number() ? "number" : value.type_name();
}

}  // namespace outrigger::apiserver
