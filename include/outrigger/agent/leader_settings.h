#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "outrigger/agent/settings.h"

namespace outrigger {

/// The settings of an agent in which one process at a time writes. The agent's struct derives from
/// this, and has LeaderFields() in its kFields and LeaderFormer() in its kFormer.
struct LeaderSettings {
  /// `lease_name`: the default of `lease`.
  explicit LeaderSettings(std::string lease_name) : lease(std::move(lease_name)) {}

  std::string name_space = "kube-system";
  std::string lease;
  int64_t lease_seconds = 15;  // a former one
};

/// The title of the section with these and similar settings.
inline constexpr std::string_view kAgentsWithState = "agents that keep state";

/// Their part of kFields of `Settings`, which derives from LeaderSettings.
template <typename Settings>
constexpr auto LeaderFields() {
  using Text = Setting<Settings, std::string>;
  return std::tuple{Text{"namespace", &Settings::name_space,
                         "namespace of the agent's Lease and of the ConfigMaps with its state"}
                        .SharedBy(kAgentsWithState),
                    Text{"lease", &Settings::lease,
                         "Lease whose holder writes; other replicas of the agent wait for it"}
                        .SharedBy(kAgentsWithState)};
}

/// Their part of kFormer.
template <typename Settings>
constexpr auto LeaderFormer() {
  return std::tuple{Setting<Settings, int64_t>{"lease-seconds", &Settings::lease_seconds,
                                               Range{3, 600}, "fixed at 15"}};
}

}  // namespace outrigger
