#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/files/sender.h"

// Objects of files into an API server, and out of it.

namespace outrigger::apiserver {

/// What came of a load.
struct Loaded {
  size_t created = 0;
  size_t changed = 0;              // were there, and are now as the file has them
  std::vector<std::string> notes;  // what was left out, and why
};

/// Creates objects as `kubectl get -o yaml` prints them, each kind that others need before these:
/// definitions, namespaces, classes, nodes, and owners before what they own. UIDs are the server's:
/// references to owners follow. A status is written as it is. Not thread-safe.
class Loader {
 public:
  explicit Loader(Sender send) : send_(std::move(send)) {}

  /// An object, or a list of them. InvalidArgument: it is none.
  absl::Status Add(const Json& object);
  /// Sends what was added. Kinds that the server does not have, and objects of the server itself
  /// (service kubernetes, kube-root-ca.crt, events), are left out with a note; the first object
  /// that the server refuses is an error that names it and says why.
  absl::StatusOr<Loaded> Send();

 private:
  struct Kind {
    std::string path;  // "/apis/apps/v1"
    std::string plural;
    bool namespaced = false;
    bool has_status = false;
  };
  absl::StatusOr<std::optional<Kind>> Find(const std::string& group_version,
                                           const std::string& kind);
  absl::Status SendOne(Json object, Loaded* loaded);
  absl::Status SendStatus(const Kind& kind, const std::string& path, const Json& object);
  void FollowOwners(Json* metadata, Loaded* loaded) const;

  const Sender send_;
  std::vector<Json> objects_;
  std::map<std::string, std::string> uids_;  // of the file -> of the server
  std::map<std::pair<std::string, std::string>, std::optional<Kind>> kinds_;
};

/// All objects of the server, as YAML or JSON documents can hold them: in the order in which they
/// are loaded, without what the server writes. Left out are events, leases, reviews, and objects
/// that every server has.
absl::StatusOr<std::vector<Json>> SaveObjects(const Sender& send);

}  // namespace outrigger::apiserver
