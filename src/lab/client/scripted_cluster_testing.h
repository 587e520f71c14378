#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "kube/scripted_paths_testing.h"
#include "kube/watch/reflect_testing.h"

// What an API server says of nodes and pods, for tests of the lab's client.

namespace outrigger::lab {

inline constexpr char kNodesPath[] = "/api/v1/nodes";
inline constexpr char kPodsPath[] = "/api/v1/pods";

inline std::string NodeJson(std::string_view name, std::string_view spec = "{}",
                            std::string_view more = "") {
  return fmt::format(
      R"({{"kind":"Node","metadata":{{"name":"{}","resourceVersion":"1"{}}},"spec":{}}})", name,
      more, spec);
}

/// A pod of namespace d that waits for a node from "default-scheduler".
inline std::string PodJson(std::string_view name, std::string_view status = "{}",
                           std::string_view more = "") {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{0}","namespace":"d","uid":"u-{0}",)"
      R"("resourceVersion":"2"{2}}},"spec":{{"schedulerName":"default-scheduler"}},"status":{1}}})",
      name, status, more);
}

/// All objects that there are: the beginning of a watch that lists first.
inline std::string Listed(const std::vector<std::string>& objects) {
  std::string events;
  for (const std::string& object : objects) events += kube::EventOf("ADDED", object);
  return events + kube::InitialEnd(5);
}

}  // namespace outrigger::lab
