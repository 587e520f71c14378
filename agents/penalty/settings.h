#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/leader_settings.h"
#include "outrigger/agent/settings.h"
#include "outrigger/k8s/selector.h"
#include "penalty/classes/policy.h"

namespace outrigger::penalty {

struct Settings : LeaderSettings {
  Settings() : LeaderSettings("outrigger-penalty") {}

  std::string class_selector = "outrigger.dev/penalise=true";
  std::string start = "multiplicative 0.1";
  std::string completion = "multiplicative 0.05";
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
  std::string replacement = "recreate";
  bool dry_run = false;

  static constexpr auto kFields = std::tuple_cat(
      std::tuple{
          Setting{"class-selector", &Settings::class_selector,
                  "label selector of the PriorityClasses to penalise; empty: none. system-*, "
                  "globalDefault and classes annotated outrigger.dev/penalty: ignore are never "
                  "penalised"},
          Setting{"start", &Settings::start,
                  "penalty that a start adds to its class: \"flat N\", in points, or "
                  "\"multiplicative N\", a share (0 to 1) of the value left above the floor"},
          Setting{"completion", &Settings::completion, "the same for a completion"},
          Setting{"recovery", &Settings::recovery, "half-life|steps",
                  "how a penalty falls after the grace time without a count"},
          Setting{"half-life", &Settings::half_life, Range{0.0, 315'360'000.0},
                  "seconds in which a penalty halves; more than 0"},
          Setting{"step", &Settings::step, Range{0.001, 1e9},
                  "points that one recovery step takes off the penalty"},
          Setting{"step-interval", &Settings::step_interval, Range{0.0, 315'360'000.0},
                  "seconds between recovery steps; more than 0"},
          Setting{"grace", &Settings::grace, Range{0.0, 315'360'000.0},
                  "seconds after a count before recovery begins"},
          Setting{"coalesce", &Settings::coalesce, Range{0.0, 315'360'000.0},
                  "seconds in which counts are collected before a class is lowered"},
          Setting{"quantum", &Settings::quantum,
                  "points by which a value must rise before it is written; empty: a twentieth of "
                  "the class's base"},
          Setting{"floor", &Settings::floor,
                  "lowest value; empty: 1 above the next lower class, but not below a threshold at "
                  "which a cluster component treats pods differently (docs/penalty.md)"},
          Setting{"ceiling", &Settings::ceiling, "highest value; empty: the class's own"},
          Setting{"allow-crossing", &Settings::allow_crossing,
                  "accept a floor below other classes and such thresholds"},
          Setting{"replacement", &Settings::replacement, "recreate|mapped",
                  "how a class changes its value. recreate: it is deleted and created again. "
                  "mapped: an admission policy gives new pods another class with that value, and "
                  "no pod is refused (Kubernetes 1.36 or later, with deploy/penalty-mapped.yaml)"},
          Setting{"dry-run", &Settings::dry_run,
                  "show what would be done; write no classes, PodGroups or journal"},
      },
      LeaderFields<Settings>());

  static constexpr auto kFormer = LeaderFormer<Settings>();
};

/// The settings, read.
struct Options {
  Policy policy;  // of classes that say nothing else
  /// Nothing: no class is penalised.
  std::optional<LabelSelector> selector;
  LeaseClaim claim;     // its namespace is the journal's, too
  bool mapped = false;  // classes are never touched, and their new pods get stand-ins
  bool dry_run = false;
};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::penalty
