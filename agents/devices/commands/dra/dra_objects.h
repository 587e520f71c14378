#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/object_list.h"
#include "devices/dra/allocator.h"
#include "devices/dra/decode.h"
#include "outrigger/k8s/node.h"

// What DRA gives devices out by, from files or a cluster.

namespace outrigger::cli {

struct DraObjects {
  dra::Cluster cluster;                         ///< with all claims, allocated or not
  std::map<std::string, dra::Claim> templates;  ///< by "namespace/name"
  std::vector<dra::PodClaims> pods;
  std::vector<Node> nodes;  ///< by name
  size_t file_claims = 0;   ///< so many of the first claims are from files of the user
  absl::Status missing;     ///< why something of the cluster is not here; ok: all is
};

/// Takes objects of any kind from several sources, one after the other. Not thread-safe.
class DraTaker {
 public:
  /// Objects without a namespace are in `name_space`. To be called first.
  void BeginIn(std::string name_space) { default_namespace_ = std::move(name_space); }

  /// What comes now is from `source` ("claims.yaml").
  void Begin(std::string source) { source_ = std::move(source); }
  /// What comes now is what the cluster has, after all files: an object that a file has stands in
  /// for that of the cluster.
  void BeginCluster(std::string source);
  /// Other kinds are left alone. InvalidArgument: an object cannot be read, or one source has it
  /// twice.
  absl::Status Take(const json::ListedObject& object);
  /// Something of the cluster could not be read.
  void Miss(absl::Status why) { objects_.missing = std::move(why); }
  /// What Finish() adds to its notes.
  std::vector<std::string>* Notes() { return &notes_; }
  /// To be called once. `notes` gets values that could not be used.
  DraObjects Finish(std::vector<std::string>* notes);

 private:
  template <typename Object>
  absl::Status Add(std::string_view kind, const std::string& name, Object object,
                   std::vector<Object>* to);
  absl::Status TakeOfDra(const json::ListedObject& object);
  absl::Status TakeClaim(const json::ListedObject& object);
  absl::Status TakeTemplate(const json::ListedObject& object);
  absl::Status TakeNode(const json::ListedObject& object);
  absl::Status TakePod(const json::ListedObject& object);
  void Note(std::string_view kind, const std::string& name);

  std::string default_namespace_ = "default";
  std::string source_;
  bool is_cluster_ = false;
  DraObjects objects_;
  std::map<std::string, std::string> sources_;  // of each object, by kind and name
  std::vector<json::MalformedValue> malformed_;
  std::vector<std::string> notes_;
};

}  // namespace outrigger::cli
