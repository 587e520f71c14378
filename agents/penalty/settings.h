#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"

namespace outrigger::penalty {

struct Settings {
  std::string class_selector;
  std::string name_space = "kube-system";
  std::string lease = "outrigger-penalty";
  int64_t lease_seconds = 15;
  std::string start = "multiplicative 0.1";
  std::string completion = "flat 0";
  std::string recovery = "half-life";
  double half_life = 3600;
  double step = 50;
  double step_interval = 60;
  double grace = 300;
  double coalesce = 1;
  std::string quantum;
  std::string floor;
  std::string ceiling;
  bool allow_crossing = false;
  bool dry_run = false;

  static constexpr auto kFields = std::tuple{
      Setting{
          "class-selector", &Settings::class_selector,
          "label selector of the PriorityClasses that are penalised (fairness=on); empty: none. "
          "system-*, globalDefault and classes annotated outrigger.dev/penalty: ignore never "
          "are"},
      Setting{"namespace", &Settings::name_space, "where the journal and the Lease are"},
      Setting{"lease", &Settings::lease,
              "Lease of the one process that writes; all others wait for it"},
      Setting{"lease-seconds", &Settings::lease_seconds, Range{3, 600},
              "seconds after which another process takes a Lease that is not renewed"},
      Setting{"start", &Settings::start,
              "what a start adds to the penalty of its class: \"flat N\", points of its value, or "
              "\"multiplicative N\", that share (0 to 1) of what is left above the floor"},
      Setting{"completion", &Settings::completion, "the same of a completion"},
      Setting{"recovery", &Settings::recovery, "half-life|steps",
              "how a penalty falls once nothing was counted for the time of grace"},
      Setting{"half-life", &Settings::half_life, Range{0.0, 315'360'000.0},
              "seconds in which half of a penalty is gone; more than 0"},
      Setting{"step", &Settings::step, Range{0.001, 1e9}, "points of one step of recovery"},
      Setting{"step-interval", &Settings::step_interval, Range{0.0, 315'360'000.0},
              "seconds between two steps; more than 0"},
      Setting{"grace", &Settings::grace, Range{0.0, 315'360'000.0},
              "seconds after a count in which nothing recovers"},
      Setting{"coalesce", &Settings::coalesce, Range{0.0, 315'360'000.0},
              "seconds in which counts are collected before a class gets a lower value"},
      Setting{"quantum", &Settings::quantum,
              "points by which a value has to rise before it is written; empty: a twentieth of the "
              "class's base"},
      Setting{"floor", &Settings::floor,
              "lowest value; empty: 1 above the next lower class, and never below a value at which "
              "other programs change what they do (-10, 100, 5000, 6000, 9000, 10000)"},
      Setting{"ceiling", &Settings::ceiling, "highest value; empty: the class's own"},
      Setting{"allow-crossing", &Settings::allow_crossing,
              "accept a floor below other classes and such values"},
      Setting{"dry-run", &Settings::dry_run,
              "show what would be done, and write nothing to classes, PodGroups and the journal"},
  };
};

}  // namespace outrigger::penalty
