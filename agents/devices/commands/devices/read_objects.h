#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "devices/commands/claims/device_objects.h"
#include "devices/commands/dra/dra_objects.h"

namespace outrigger::cli {

/// Where `schedule` and `devices` read objects.
struct DeviceSources {
  static constexpr const char* kLive = "live";
  std::vector<std::string> files;  // paths; "-" is standard input
  std::string cluster;             // path of a dump, "-", or kLive; empty: the files alone
  std::string name_space;          // of objects without one; empty: the context's, or default
  std::string kubeconfig;
  std::string context;
};

/// The flags that say so. `otherwise`: what is read without --cluster.
std::vector<Flag> DeviceSourceFlags(const std::string& otherwise);
/// Reads them. InvalidArgument for flags that exclude each other.
absl::Status ReadDeviceSources(const Given& given, DeviceSources* sources);

/// All that is in the files and in the cluster of `sources`. `pod` ("", NAME or NAMESPACE/NAME) is
/// the one pod that a live cluster is asked for; of a file all are read. `notes` gets what was left
/// out. `dra`, if it is not null, takes the same objects, and those of resource.k8s.io.
///
/// Errors as those of files and of the API server; InvalidArgument for what they hold.
absl::StatusOr<DeviceObjects> ReadDeviceObjects(const DeviceSources& sources,
                                                const std::string& pod, const World& world,
                                                std::vector<std::string>* notes,
                                                DraTaker* dra = nullptr);

}  // namespace outrigger::cli
