#pragma once

#include <memory>
#include <string>

#include "cluster/change_listeners.h"
#include "cluster/cluster.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"

namespace outrigger::kube_actor {

/// What an agent does through its ClusterAccess, one command at a time.
///
///     {"verb":"nominate","namespace":"d","name":"p","uid":"u","node":"n","version":"17"}
///     {"verb":"bind",...,"node":"n"}  {"verb":"evict",...}  {"verb":"read",...}
///     {"verb":"holder","namespace":"d","name":"lease"}
///     {"verb":"status","dialect":2,...,"status":{"phase":"Scheduling","running":1,...}}
///     {"verb":"follow"}  {"verb":"view"}
///
/// Each is answered with {"code":"ABORTED","text":"...","value":...}; "value" is what was read.
class Deeds {
 public:
  /// `api` outlives this.
  explicit Deeds(kube::Api* api);
  ~Deeds();

  std::string Do(const std::string& command);

 private:
  cluster::ChangeListeners changes_;
  cluster::Cluster cluster_;
  kube::ClusterWatch watch_;
  kube::ClusterActor actor_;
};

}  // namespace outrigger::kube_actor
