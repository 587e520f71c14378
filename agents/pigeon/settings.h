#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "demand/resources.h"
#include "objective.h"
#include "outrigger/agent/leader_settings.h"
#include "outrigger/agent/settings.h"

namespace outrigger::pigeon {

struct Settings {
  std::string objective = "A_BINPACK";
  std::string resources;
  int64_t num_resources = 2;
  std::string prime_resource;
  std::string gpu_resource = "nvidia.com/gpu";
  std::string usage = "auto";
  std::string config = "pigeon.cfg";
  std::string state;
  std::string name_space = "kube-system";
  double save_interval = 10;
  bool original_arithmetic = false;

  static constexpr auto kFields = std::tuple{
      Setting{"objective", &Settings::objective, "A_BINPACK|LOAD_BALANCE|CONSOLIDATE",
              "goal of a placement: nodes vary in use as pods vary in requests, nodes equally "
              "used, or nodes either full or empty"}
          .LegacyEnv("POLICY_OBJECTIVE"),
      Setting{"resources", &Settings::resources,
              "resources that count, with weights (default 1), such as "
              "\"cpu,memory=0.5,nvidia.com/gpu=2\"; empty: see num-resources"},
      Setting{
          "num-resources", &Settings::num_resources, Range{1, 5},
          "number of resources that count, from the list cpu, memory, pods, gpu, ephemeral-storage"}
          .LegacyEnv("NUM_RESOURCES"),
      Setting{"prime-resource", &Settings::prime_resource,
              "resource for LOAD_BALANCE and CONSOLIDATE; empty: the one of the config file, or "
              "the first"},
      Setting{"gpu-resource", &Settings::gpu_resource,
              "extended resource that \"gpu\" means in num-resources and requested-gpu"},
      Setting{"usage", &Settings::usage, "auto|cluster|annotations",
              "source of the requests on nodes: the cluster's pods or the annotations requested-*; "
              "auto: the cluster if it is watched"},
      Setting{"config", &Settings::config,
              "config file of the original, with policyObjective and policyResourceIndex; may be "
              "missing unless this is set"},
      Setting{"state", &Settings::state, "file for the agent's state, instead of a ConfigMap"}
          .SharedBy(kAgentsWithState),
      Setting{"namespace", &Settings::name_space,
              "namespace of the agent's Lease and of the ConfigMaps with its state"}
          .SharedBy(kAgentsWithState),
      Setting{"original-arithmetic", &Settings::original_arithmetic,
              "compute as the original program did, including its faults"}
          .SharedBy(kAgentsWithState),
  };

  static constexpr auto kFormer = std::tuple{
      Setting{"save-interval", &Settings::save_interval, Range{1, 3600}, "fixed at 10"},
  };
};

/// What pigeon.cfg says: lines "key = value"; a line is a comment if '#' is its first character. A
/// plain value.
struct ConfigFile {
  std::optional<std::string> objective;  ///< policyObjective, as it is written
  std::optional<std::string> index;      ///< policyResourceIndex
  std::vector<std::string> notes;        ///< lines that say nothing, for the log
};

/// Reads the text of the file. The original keeps blanks and the CR at the end of a value, so that
/// "LOAD_BALANCE " is none of its objectives; with `keep_blanks` so does this. Of a key that is
/// there twice the last counts.
ConfigFile ParseConfig(std::string_view text, bool keep_blanks);

/// Reads a file of at most 64 KiB. NotFound: there is none; InvalidArgument: it is larger.
absl::StatusOr<std::string> ReadConfigText(const std::string& path);

/// What the settings and the file of the original say together. A plain value.
struct Options {
  Objective objective = Objective::kBinPack;
  Resources resources{{}};
  size_t prime = 0;                ///< its place in `resources`
  bool original = false;           ///< original-arithmetic
  bool original_counts = true;     ///< fault of the original: only then it knows the demand
  std::vector<std::string> notes;  ///< what a person should hear
};

/// `given` are the names of the settings that were set: those win over the file. InvalidArgument
/// for settings that are wrong together, and for a file that was named and cannot be read.
absl::StatusOr<Options> OptionsFrom(const Settings& settings,
                                    const std::set<std::string, std::less<>>& given);

}  // namespace outrigger::pigeon
