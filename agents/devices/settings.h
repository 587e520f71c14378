#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "devices/allocation/allocator.h"
#include "devices/writer/custodian.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/leader_settings.h"
#include "outrigger/agent/settings.h"

namespace outrigger::devices::agent {

struct Settings : LeaderSettings {
  Settings() : LeaderSettings("outrigger-devices") {}

  double packing = 0.5;
  double intact = 0.3;
  double choice = 0.2;
  std::string topology_attributes;
  bool network_pools = false;
  bool dra = false;
  int64_t intent_deadline = 60;

  static constexpr auto kFields = std::tuple_cat(
      std::tuple{
          Setting{"packing", &Settings::packing, Range{0.0, 1000.0},
                  "score weight: prefer nodes whose device pools are fuller afterwards"},
          Setting{"intact", &Settings::intact, Range{0.0, 1000.0},
                  "score weight: prefer nodes where fewer groups of free devices with an equal "
                  "attribute are broken"},
          Setting{"choice", &Settings::choice, Range{0.0, 1000.0},
                  "score weight: prefer nodes that satisfy earlier alternatives of claims (oneOf)"},
          Setting{"topology-attributes", &Settings::topology_attributes,
                  "comma-separated attributes whose groups of equal value should stay whole, "
                  "besides those that claims match, such as numa"},
          Setting{"network-pools", &Settings::network_pools,
                  "devices of pools without a node are available to every node"},
          Setting{"dra", &Settings::dra,
                  "also score nodes for pods with ResourceClaims, by the devices that "
                  "kube-scheduler would choose"},
          Setting{"intent-deadline", &Settings::intent_deadline,
                  Range<int64_t>{5, kLongestIntent.count()},
                  "seconds after which an unfinished allocation is undone"},
      },
      LeaderFields<Settings>());

  static constexpr auto kFormer = LeaderFormer<Settings>();

  static constexpr std::array kRetired{
      Retired{"search-steps", "100000", "fixed at 100000"},
      Retired{"binding-time", "15", "fixed at 15, and at most half of intent-deadline"},
  };
};

/// The settings, read.
struct Options {
  AllocatorOptions allocator;
  bool dra = false;
  std::chrono::seconds intent_deadline{60};
  std::chrono::milliseconds binding_time{15'000};
  LeaseClaim lease;
};

/// Names this process among those that write allocations: host and a random part.
std::string NewIdentity();

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::devices::agent
