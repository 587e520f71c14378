#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "gang/desk/board.h"
#include "gang/desk/mode.h"
#include "gang/desk/release.h"
#include "gang/plan/groups.h"
#include "gang/plan/scheduler_checks.h"
#include "outrigger/base/clock.h"

// By what the desk plans.

namespace outrigger::desk {

struct NominationOptions {
  Patience patience;
  /// How long a scheduler that does nothing else may leave a nomination unanswered. One that is at
  /// work on other pods has a queue: it gets kBusyGraces times as long.
  std::chrono::milliseconds nomination_grace{5'000};
  static constexpr int kBusyGraces = 12;
  /// A pod that was asked about so recently is awake: the scheduler tries a rejected pod a second
  /// time at once.
  std::chrono::milliseconds awake_for{100};
  /// A nomination that comes while the scheduler is at work on that very pod wakes nothing. If it
  /// has done nothing for so long, longer than its shortest back-off, it is written once more.
  std::chrono::milliseconds repeat_after{1'500};
  /// How long the scheduler may take to try a single pod that has a place, and to bind one that has
  /// passed; then a nomination finds out whether it refuses the pod.
  std::chrono::milliseconds tried_within{1'000};
  std::chrono::milliseconds bound_within{30'000};
  /// kAlone: signs that the scheduler is at work are pods that it has bound and conditions that it
  /// has changed, and it is silent only to pods that it has tried before (the condition of a pod
  /// that it has not tried changes with its first attempt). Each place is nominated before its pod
  /// is let go.
  Mode mode = Mode::kExtender;  // as PlanningOptions::mode
  /// The scheduler offers a part of the nodes where there are more than kAllOffered.
  bool samples_nodes = false;
  /// Profiles whose default constraints judge a node by other pods.
  std::set<std::string> spreading;
  static constexpr size_t kAllOffered = 100;
  /// A nomination that no answer is due for is written again at most so often, if it is gone.
  std::chrono::milliseconds write_again_after{1'000};
  /// A nomination that the watch does not show so long after it was written was cleared by the
  /// scheduler before it could; it keeps nothing then, and is written again.
  std::chrono::milliseconds shown_within{2'000};
  /// A nomination that keeps room ahead is given up so long after the pod has a place elsewhere.
  /// For so long a refusal of a new place may be due to pods that the view does not show yet.
  std::chrono::milliseconds moves_after{500};
  /// For how long a gang that has given up its places comes after those of its priority: not for
  /// ever after all that come later.
  std::chrono::minutes behind_for{10};
};

struct PlanningOptions {
  plan::GroupOptions groups;  // without what the cluster says
  NominationOptions nominations;
  plan::SchedulerChecks checks;  // without what the cluster says
  std::optional<std::chrono::seconds> reserve_after;
  ReleaseOptions release;
  /// Whether kube-scheduler calls about each pod, or about those alone that ask for calls
  /// (plan/call_resources.h). Nothing: the calls show it.
  std::optional<bool> asks_about_all;
  Mode mode = Mode::kExtender;
  /// Single pods are held, too, until there is room for them after all before them.
  bool hold = false;
  SteadyNow now = std::chrono::steady_clock::now;
  /// Logs what a person has to do; may be empty.
  std::function<void(std::string_view line)> warn = nullptr;
};

}  // namespace outrigger::desk
