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

  std::string class_selector;
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
          Setting{
              "class-selector", &Settings::class_selector,
              "label selector of the PriorityClasses that are penalised (fairness=on); empty: "
              "none. "
              "system-*, globalDefault and classes annotated outrigger.dev/penalty: ignore never "
              "are"},
          Setting{
              "start", &Settings::start,
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
          Setting{
              "quantum", &Settings::quantum,
              "points by which a value has to rise before it is written; empty: a twentieth of the "
              "class's base"},
          Setting{"floor", &Settings::floor,
                  "lowest value; empty: 1 above the next lower class, and never below a value at "
                  "which a "
                  "program of the cluster treats pods differently (docs/penalty.md)"},
          Setting{"ceiling", &Settings::ceiling, "highest value; empty: the class's own"},
          Setting{"allow-crossing", &Settings::allow_crossing,
                  "accept a floor below other classes and such values"},
          Setting{
              "replacement", &Settings::replacement, "recreate|mapped",
              "how a class gets another value: deleted and created again, or its new pods get a "
              "class of that value by a policy of the API server, which refuses no pod (from "
              "Kubernetes 1.36 on, with deploy/penalty-mapped.yaml)"},
          Setting{
              "dry-run", &Settings::dry_run,
              "show what would be done, and write nothing to classes, PodGroups and the journal"},
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
