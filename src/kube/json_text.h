#pragma once

#include <string>

#include "nlohmann/json.hpp"

namespace outrigger::kube {

/// The text at a place of an object, such as "/metadata/uid"; empty where there is none. Of JSON
/// that comes from the API server: nothing of it is believed.
template <typename Json>
std::string TextAt(const Json& object, const char* pointer) {
  const typename Json::json_pointer at(pointer);
  if (!object.is_object() || !object.contains(at)) return "";
  const Json& found = object.at(at);
  return found.is_string() ? found.template get<std::string>() : "";
}

}  // namespace outrigger::kube
