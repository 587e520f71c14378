#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/doctor/findings.h"
#include "json/object_list.h"
#include "outrigger/k8s/pod.h"

// Pods that name a group in a way that no agent reads: they start one by one.

namespace outrigger::cli {

/// Counts such pods by the kind of their marker. Not thread-safe.
class UnreadMarkers {
 public:
  /// Pods of other schedulers than `scheduler_names` are left out.
  explicit UnreadMarkers(std::vector<std::string> scheduler_names);

  /// Takes a Pod. Errors are those of json::DecodePod().
  absl::Status Take(const json::ListedObject& object);
  /// How many pods were taken, those of other schedulers included.
  size_t taken() const { return taken_; }
  /// Adds one finding for each kind of marker.
  void AddTo(Findings* findings) const;

 private:
  struct Kind {
    size_t pods = 0;
    std::string example;  // "namespace/name" of the first pod
  };
  void Count(const Pod& pod);

  const std::vector<std::string> scheduler_names_;
  size_t taken_ = 0;
  std::map<std::string, Kind, std::less<>> kinds_;  // by the text of the note
};

}  // namespace outrigger::cli
