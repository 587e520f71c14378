#pragma once

#include <chrono>
#include <string>

#include "absl/time/time.h"
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

/// metav1.MicroTime: "2026-11-21T23:30:58.000042Z", in UTC.
inline std::string MicroTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

/// metav1.Time, which has whole seconds: "2026-11-21T23:30:58Z", in UTC.
inline std::string WholeTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace outrigger::kube
