#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/framework/plugins.h"
#include "lab/framework/pod_queue.h"

namespace outrigger::lab {

/// What a scheduler is made of. A plugin is in the list of each stage at which it takes part.
struct Profile {
  std::unique_ptr<PodQueue> queue;  // never null
  std::vector<std::shared_ptr<PreFilterPlugin>> pre_filter = {};
  std::vector<std::shared_ptr<FilterPlugin>> filter = {};
  std::vector<std::shared_ptr<PreScorePlugin>> pre_score = {};
  std::vector<std::shared_ptr<ScorePlugin>> score = {};
  std::vector<std::shared_ptr<ReservePlugin>> reserve = {};
  std::vector<std::shared_ptr<PermitPlugin>> permit = {};
  std::vector<std::shared_ptr<PreBindPlugin>> pre_bind = {};
  std::vector<std::shared_ptr<BindPlugin>> bind = {};
  /// Binding cycles run in the background, while the next pod is scheduled. False: one after the
  /// other.
  bool binds_in_background = false;
  /// Changes of nodes and pods are events for the queue.
  bool has_event_handlers = false;
};

/// What each plugin of the profile registered for, by its name.
std::map<std::string, std::vector<ClusterEvent>, std::less<>> RegisteredEvents(
    const Profile& profile);

}  // namespace outrigger::lab
