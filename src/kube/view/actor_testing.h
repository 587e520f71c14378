#pragma once

#include <deque>
#include <string>
#include <utility>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/scripted_testing.h"
#include "kube/view/cluster_actor.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {

inline const CallLimits kLimits{};

inline absl::Status Answered(int code, const std::string& reason) {
  return ErrorOfAnswer(code, nlohmann::json{{"kind", "Status"}, {"reason", reason}}.dump(), "");
}

using Answers = std::deque<absl::StatusOr<std::string>>;

/// An agent's way to a scripted API server.
struct ActorScene {
  explicit ActorScene(Answers answers) : api(std::move(answers)) {}

  FakeTime time;
  ScriptedApi api;
  cluster::ChangeListeners changes;
  cluster::Cluster cluster{cluster::ClusterOptions()};
  ClusterWatch watch{&api, &cluster, {}};
  CustomWatch custom{&api, {}};
  ClusterActor actor{&api,    &cluster, &watch,
                     &custom, &changes, {.events = {.controller = "c"}, .clock = time.clock()}};
};

}  // namespace outrigger::kube
