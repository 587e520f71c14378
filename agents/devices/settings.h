#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"

namespace outrigger::devices::agent {

struct Settings {
  double packing = 0.5;
  double intact = 0.3;
  double choice = 0.2;
  std::string topology_attributes;
  bool network_pools = false;
  int64_t search_steps = 100'000;
  int64_t intent_deadline = 60;
  int64_t binding_time = 15;
  std::string name_space = "kube-system";
  std::string lease = "outrigger-devices";
  int64_t lease_seconds = 15;

  static constexpr auto kFields = std::tuple{
      Setting{"packing", &Settings::packing, Range{0.0, 1000.0},
              "how much a node counts whose pools are fuller afterwards"},
      Setting{"intact", &Settings::intact, Range{0.0, 1000.0},
              "how much a node counts where fewer groups of free devices with an equal attribute "
              "are broken into"},
      Setting{"choice", &Settings::choice, Range{0.0, 1000.0},
              "how much a node counts where earlier alternatives of claims (oneOf) serve"},
      Setting{"topology-attributes", &Settings::topology_attributes,
              "attributes whose groups of equal value should stay whole, in addition to those that "
              "claims match, separated by commas: numa"},
      Setting{"network-pools", &Settings::network_pools,
              "devices of pools without a node serve every node"},
      Setting{"search-steps", &Settings::search_steps, Range{1'000, 100'000'000},
              "steps that the search for devices may cost on one node"},
      Setting{"intent-deadline", &Settings::intent_deadline, Range{5, 3'600},
              "seconds after which an allocation that was begun and not ended is undone"},
      Setting{"binding-time", &Settings::binding_time, Range{1, 600},
              "seconds of intent-deadline that are left for the binding when an allocation is "
              "written, and for clocks that differ"},
      Setting{"namespace", &Settings::name_space, "where the Lease is"},
      Setting{"lease", &Settings::lease,
              "Lease of the one process that frees devices and writes statuses"},
      Setting{"lease-seconds", &Settings::lease_seconds, Range{3, 600},
              "seconds after which another process takes a Lease that is not renewed"},
  };
};

}  // namespace outrigger::devices::agent
