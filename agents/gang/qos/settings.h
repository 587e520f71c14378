#pragma once

#include <array>
#include <tuple>

#include "gang/desk/settings.h"
#include "outrigger/agent/settings.h"

namespace outrigger::qos {

struct Settings : desk::CommonSettings {
  bool pod_priority = true;

  static constexpr auto kFields = std::tuple_cat(
      desk::CommonFields<Settings>(),
      std::tuple{
          Setting{
              "pod-priority", &Settings::pod_priority,
              "order by the pod's priority, after groupPriority and before the QoS class; false: "
              "leave it out"},
      });

  static constexpr auto kFormer = desk::CommonFormer<Settings>();

  static constexpr std::array kRetired{
      Retired{"lease-seconds", "15", "it is 15"},
      Retired{"window", "1000", "it is 1000"},
      Retired{"weight", "1", "the scores of this agent count once"},
  };
};

}  // namespace outrigger::qos
