#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/status/statusor.h"
#include "common/method.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/leader_settings.h"
#include "outrigger/agent/settings.h"
#include "outrigger/agent/state_store.h"
#include "rule/rule.h"

namespace outrigger::reward {

struct Settings : LeaderSettings {
  Settings() : LeaderSettings("outrigger-reward") {}

  double half_life = 86'400;
  double mttf = 600;
  double prior = 2;
  bool thompson = false;
  std::string pod_namespaces;
  std::string pod_selector;
  std::string state;
  bool original_arithmetic = false;

  static constexpr auto kFields = std::tuple_cat(
      std::tuple{
          Setting{"half-life", &Settings::half_life, Range{60.0, 315'360'000.0},
                  "seconds in which counted successes and failures lose half their weight"},
          Setting{"mttf", &Settings::mttf, Range{1.0, 31'536'000.0},
                  "seconds of running without a failure that count as one success"},
          Setting{"prior", &Settings::prior, Range{0.0, 1000.0},
                  "weight, in successes, of the initial assumption about a node; 0: the first "
                  "failure counts in full"},
          Setting{"thompson", &Settings::thompson,
                  "draw each node's value at random within its uncertainty, so that nodes with "
                  "failures are tried now and then"},
          Setting{"pod-namespaces", &Settings::pod_namespaces,
                  "comma-separated namespaces of the pods to count; empty: all"},
          Setting{"pod-selector", &Settings::pod_selector,
                  "label selector of the pods to count, such as tier=batch; empty: all"},
          Setting{"state", &Settings::state, "file for the agent's state, instead of a ConfigMap"}
              .SharedBy(kAgentsWithState),
          Setting{"original-arithmetic", &Settings::original_arithmetic,
                  "compute as the original program did, including its faults"}
              .SharedBy(kAgentsWithState),
      },
      LeaderFields<Settings>());

  static constexpr auto kFormer = LeaderFormer<Settings>();
};

inline constexpr std::string_view kConfigMap = "outrigger-reward";

/// The settings, read.
struct Options {
  Rule rule;
  bool draws = false;
  bool is_original = false;
  PodFilter filter;
  StateStoreOptions store;
  LeaseClaim claim;
};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::reward
