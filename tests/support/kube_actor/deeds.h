#pragma once

#include <memory>
#include <string>

#include "cluster/change_listeners.h"
#include "cluster/cluster.h"
#include "custom_deeds.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"
#include "kube/view/custom_watch.h"
#include "nlohmann/json.hpp"
#include "stand.h"

namespace outrigger::kube_actor {

/// What an agent does through its ClusterAccess, one command at a time.
///
///     {"verb":"nominate","namespace":"d","name":"p","uid":"u","node":"n","version":"17"}
///     {"verb":"bind",...,"node":"n"}  {"verb":"evict",...}  {"verb":"read",...}
///     {"verb":"holder","namespace":"d","name":"lease"}
///     {"verb":"status","dialect":2,...,"status":{"phase":"Scheduling","running":1,...}}
///     {"verb":"annotate","dialect":4,...,"key":"outrigger.dev/x","text":"y"}
///     {"verb":"event","apiVersion":"...","kind":"PriorityClass","name":"c","uid":"u","note":"..."}
///     {"verb":"stand","namespace":"d","name":"lease"}  {"verb":"standing"}  {"verb":"resign"}
///     {"verb":"follow"}  {"verb":"view"}
///     what object_deeds.h says of PriorityClasses and ConfigMaps, and custom_deeds.h of others
///
/// Each is answered with {"code":"ABORTED","text":"...","value":...}; "value" is what was read.
class Deeds {
 public:
  /// `api` outlives this.
  explicit Deeds(kube::Api* api);
  ~Deeds();

  std::string Do(const std::string& command);

 private:
  nlohmann::json DoToPods(const std::string& verb, const nlohmann::json& command);
  nlohmann::json DoToGroups(const std::string& verb, const nlohmann::json& command);
  nlohmann::json DoRest(const std::string& verb, const nlohmann::json& command);

  cluster::ChangeListeners changes_;
  cluster::Cluster cluster_;
  kube::ClusterWatch watch_;
  kube::CustomWatch custom_;
  kube::ClusterActor actor_;
  testing::CustomDeeds custom_deeds_;
  Stand stand_;  // last: its threads use what is above
};

}  // namespace outrigger::kube_actor
