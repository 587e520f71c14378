#pragma once

#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "cli/doctor/findings.h"
#include "codec/json/object_list.h"

// Devices of a node that drivers publish twice. Each publication is given out by itself, and no
// scheduler knows what the other one gave.

namespace outrigger::cli {

/// Finds drivers with a DevicePool of a node that publish there in another way, too. Not
/// thread-safe.
///
/// A ResourceSlice of the same driver and node is certain: names of drivers are unique. An extended
/// resource of a device plugin names no driver. Where its domain is in the driver's name
/// ("example.com/gpu" and "gpu.example.com") it may be the same hardware, and the text says so.
/// Publications without a node, and without devices, do not count.
class PublishedTwice {
 public:
  /// Takes a DevicePool, a ResourceSlice or a Node; other kinds are ignored. InvalidArgument: the
  /// object cannot be read.
  absl::Status Take(const json::ListedObject& object);
  /// Adds one finding for each driver and kind of second publication.
  void AddTo(Findings* findings) const;

 private:
  using NamesByNode = std::map<std::string, std::set<std::string>>;

  absl::Status TakeNode(const json::ListedObject& object);

  NamesByNode pools_;      // drivers with a DevicePool
  NamesByNode slices_;     // drivers with a ResourceSlice
  NamesByNode resources_;  // extended resources
};

}  // namespace outrigger::cli
