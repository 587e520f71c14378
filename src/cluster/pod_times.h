#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "outrigger/k8s/pod.h"

namespace outrigger::cluster {

/// The times of a pod, in seconds since 1970; 0: not known. Packed they take some six bytes, since
/// each is counted from the one before; without any they take nothing.
struct PodTimes {
  int64_t creation = 0;
  int64_t scheduled = 0;
  int64_t start = 0;
  int64_t end = 0;

  static PodTimes Of(const Pod& pod);
  void SetIn(Pod* pod) const;

  void Pack(std::string* out) const;
  /// `packed` is all that Pack() has appended.
  static PodTimes Unpack(std::string_view packed);
};

}  // namespace outrigger::cluster
