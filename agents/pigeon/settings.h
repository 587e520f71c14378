#pragma once

#include <array>
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
  std::string config = "pigeon.cfg";
  std::string state;
  std::string name_space = "kube-system";
  double save_interval = 10;
  bool original_arithmetic = false;

  static constexpr auto kFields = std::tuple{
      Setting{"objective", &Settings::objective, "A_BINPACK|LOAD_BALANCE|CONSOLIDATE",
              "what a placement is judged by: nodes as uneven as what pods ask for, nodes alike, "
              "nodes full or empty"}
          .LegacyEnv("POLICY_OBJECTIVE"),
      Setting{"resources", &Settings::resources,
              "resources that count, with weights (1 where none is given): "
              "\"cpu,memory=0.5,nvidia.com/gpu=2\"; LOAD_BALANCE and CONSOLIDATE look at the first "
              "one; empty: as num-resources says"},
      Setting{"num-resources", &Settings::num_resources, Range{1, 5},
              "how many of cpu, memory, pods, nvidia.com/gpu and ephemeral-storage count, in this "
              "order"}
          .LegacyEnv("NUM_RESOURCES"),
      Setting{"config", &Settings::config,
              "file of the original, with policyObjective and policyResourceIndex; it need not "
              "exist unless this is set"},
      Setting{"state", &Settings::state,
              "file that keeps what was counted, in place of a ConfigMap"}
          .SharedBy(kAgentsWithState),
      Setting{"namespace", &Settings::name_space,
              "where the agent's Lease is, and the ConfigMaps in which it keeps its state"}
          .SharedBy(kAgentsWithState),
      Setting{"original-arithmetic", &Settings::original_arithmetic,
              "count and decide as the original program did, faults included"}
          .SharedBy(kAgentsWithState),
  };

  static constexpr auto kFormer = std::tuple{
      Setting{"save-interval", &Settings::save_interval, Range{1, 3600}, "it is 10"},
      Setting{"prime-resource", &Settings::prime_resource,
              "it is the first of resources, unless the config file names another one"},
      Setting{"gpu-resource", &Settings::gpu_resource,
              "it is nvidia.com/gpu; resources names others"},
  };
  static constexpr std::array kRetired{
      Retired{"usage", "auto",
              "it is the pods of the cluster where it is followed, else the annotations"},
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
