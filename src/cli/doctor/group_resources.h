#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/doctor/findings.h"
#include "json/object_list.h"

// Members of groups that do not ask for the calls of an agent that is called about no other pods.

namespace outrigger::cli {

/// Counts such pods by what they do not ask for. Not thread-safe.
class GroupResources {
 public:
  /// Pods of other schedulers than `scheduler_names` are left out.
  explicit GroupResources(std::vector<std::string> scheduler_names);

  /// Takes a Pod. Errors are those of json::DecodePod().
  absl::Status Take(const json::ListedObject& object);
  /// Adds one finding for each kind.
  void AddTo(Findings* findings) const;

 private:
  struct Kind {
    size_t waiting = 0;
    size_t bound = 0;
    std::string example;  // "namespace/name" of the first pod
  };

  const std::vector<std::string> scheduler_names_;
  std::map<std::string_view, Kind> kinds_;  // by what is missing
};

}  // namespace outrigger::cli
