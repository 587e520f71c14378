#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/json.h"

// Objects of files into an API server, and out of it.

namespace outrigger::apiserver {

/// An API server's answer. `body` is null where it was no JSON.
struct Sent {
  int code = 0;
  Json body;
};

/// Sends one request with a JSON body (empty: none) and returns its answer; an error if there is
/// none.
using Sender =
    std::function<absl::StatusOr<Sent>(std::string_view method, const std::string& path,
                                       std::string_view content_type, const std::string& body)>;

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
  /// (service kubernetes, kube-root-ca.crt, events), are left out, the kinds with a note; the first
  /// object that the server refuses is an error that names it and says why.
  absl::StatusOr<Loaded> Send();

 private:
  struct Kind {
    std::string path;  // "/apis/apps/v1"
    std::string plural;
    bool namespaced = false;
  };
  absl::StatusOr<Kind> Find(const Json& object);
  absl::Status SendOne(Json object, Loaded* loaded);
  void FollowOwners(Json* metadata, Loaded* loaded) const;

  const Sender send_;
  std::vector<Json> objects_;
  std::map<std::string, std::string> uids_;                    // of the file -> of the server
  std::map<std::pair<std::string, std::string>, Kind> kinds_;  // by apiVersion and kind
};

/// What SaveObjects() found.
struct Saved {
  std::vector<Json> objects = {};
  std::vector<std::string> notes = {};  // of each kind that cannot be read

  void LeaveOut(const absl::Status& why) {
    notes.push_back(std::string(why.message()) + ": left out");
  }
};

/// All objects of the server, as YAML or JSON documents can hold them: in the order in which they
/// are loaded, without what the server writes. Left out are events, leases, reviews, and objects
/// that every server has.
absl::StatusOr<Saved> SaveObjects(const Sender& send);

}  // namespace outrigger::apiserver
