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
  std::string type_label;
  std::string pod_namespaces;
  std::string pod_selector;
  std::string state;
  bool original_arithmetic = false;

  static constexpr auto kFields = std::tuple_cat(
      std::tuple{
          Setting{"half-life", &Settings::half_life, Range{60.0, 315'360'000.0},
                  "seconds in which half of what was counted is forgotten"},
          Setting{"mttf", &Settings::mttf, Range{1.0, 31'536'000.0},
                  "seconds of running without a failure that count as one success"},
          Setting{
              "prior", &Settings::prior, Range{0.0, 1000.0},
              "weight, in successes, of what is assumed of a node before anything is known; 0: the "
              "first failure counts in full"},
          Setting{"thompson", &Settings::thompson,
                  "draw each node's value by chance, as far as it is uncertain, so that nodes with "
                  "failures are tried now and then"},
          Setting{"type-label", &Settings::type_label,
                  "label whose value is the name of a pod's type, where the pod has it; empty: "
                  "podtype, app.kubernetes.io/name, app or name"},
          Setting{"pod-namespaces", &Settings::pod_namespaces,
                  "namespaces of the pods that are counted, separated by commas; empty: all"},
          Setting{"pod-selector", &Settings::pod_selector,
                  "label selector of the pods that are counted (tier=batch); empty: all"},
          Setting{"state", &Settings::state,
                  "file that keeps what was counted, in place of a ConfigMap"}
              .SharedBy(kAgentsWithState),
          Setting{"original-arithmetic", &Settings::original_arithmetic,
                  "count and decide as the original program did, faults included"}
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
  std::string type_label;
  PodFilter filter;
  StateStoreOptions store;
  LeaseClaim claim;
};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::reward
