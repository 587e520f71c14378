#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/object_list.h"
#include "devices/allocation/device_class.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"

// The objects by which devices are given out, from files or a cluster.

namespace outrigger::cli {

/// A pod, as far as its claims go.
struct DevicePod {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string node;  ///< where it is bound; empty: nowhere
  std::vector<devices::PodClaim> claims;
  std::string fault;     ///< why its claims cannot be read; empty: they can
  bool in_gang = false;  ///< it has claims, and is a member of a gang
};

/// "namespace/name".
std::string NameOf(const DevicePod& pod);

/// Each in the order in which it was taken.
struct DeviceObjects {
  std::deque<devices::PoolObject> pools;
  std::deque<devices::ClaimObject> claims;  ///< of both kinds
  std::deque<devices::ClassObject> classes;
  std::deque<devices::Driver> drivers;
  std::deque<DevicePod> pods;
  std::deque<devices::NamespaceObject> namespaces;
  std::vector<std::string> nodes;  ///< names of Node objects
  /// So many of the first pods and claims are from files of the user, the others of the cluster.
  size_t file_pods = 0;
  size_t file_claims = 0;
};

/// Takes objects of any kind from several sources, one after the other. Not thread-safe.
class DeviceTaker {
 public:
  /// Objects without a namespace are in `default_namespace`.
  explicit DeviceTaker(std::string default_namespace)
      : default_namespace_(std::move(default_namespace)) {}

  /// What comes now is from `source` ("pools.yaml"), a file of the user.
  void Begin(std::string source) { source_ = std::move(source); }
  /// What comes now is what the cluster has, after all files. `gives_way`: an object that a file
  /// has is left out, and a note says so; else it is an error to have one twice.
  void BeginCluster(std::string source, bool gives_way);
  /// InvalidArgument: an object cannot be read, or is there twice; the text names both sources.
  absl::Status Take(const json::ListedObject& object);
  /// To be called once. `notes` gets what was left out, and kinds that are not read.
  DeviceObjects Finish(std::vector<std::string>* notes);

 private:
  /// Adds `object` if it is new. `kind` and `name` say which it is.
  template <typename Object>
  absl::Status Add(std::string_view kind, std::string_view name, Object object,
                   std::deque<Object>* to);
  absl::Status TakeNode(const json::ListedObject& object);
  absl::Status TakePod(const json::ListedObject& object);
  absl::Status TakeNamespace(std::string_view json);
  absl::Status TakeClaim(std::string_view json);
  /// Of a kind of devmgmtproto.k8s.io.
  absl::Status TakeOwn(std::string_view kind, std::string_view json);

  const std::string default_namespace_;
  std::string source_;
  bool gives_way_ = false;
  bool is_cluster_ = false;
  DeviceObjects objects_;
  std::map<std::string, std::string> sources_;              // of each object, by kind and name
  std::map<std::string, std::map<std::string, int>> left_;  // counts of kinds, by source
  std::vector<std::string> notes_;
};

}  // namespace outrigger::cli
