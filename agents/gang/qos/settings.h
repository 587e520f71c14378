#pragma once

#include <array>
#include <tuple>

#include "gang/desk/settings.h"
#include "outrigger/agent/settings.h"

namespace outrigger::qos {

struct Settings : desk::CommonSettings {
  bool pod_priority = true;

  static constexpr auto kFields = std::tuple_cat(
      desk::CommonFields<Settings>(), std::tuple{
                                          Setting{"pod-priority", &Settings::pod_priority,
                                                  "order by pod priority between groupPriority and "
                                                  "QoS class; false: ignore pod priority"},
                                      });

  static constexpr auto kFormer = desk::CommonFormer<Settings>();

  static constexpr std::array kRetired{
      Retired{"lease-seconds", "15", "fixed at 15"},
      Retired{"window", "1000", "fixed at 1000"},
      Retired{"weight", "1", "fixed at 1"},
  };
};

}  // namespace outrigger::qos
