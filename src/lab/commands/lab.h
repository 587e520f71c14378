#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "console/args/command.h"

namespace outrigger::cli {

/// Of `lab scheduler`.
struct LabFlags {
  static constexpr int kFirstStep = 1;
  static constexpr int kLastStep = 7;
  int step = kLastStep;
  std::string kubeconfig;
  std::string context;
  std::string scheduler_name = "default-scheduler";
  std::string queue_sort = "arrival";  // arrival or riya
  std::optional<uint64_t> seed;        // nothing: any
  double qps = 50;                     // 0: no limit
  bool verbose = false;
  std::string color = "auto";  // auto, always or never
};

/// Of `lab nodes`.
struct LabNodesFlags {
  std::vector<std::string> nodes;  // as given; what they mean is the lab's business
  std::string kubeconfig;
  std::string context;
};

/// `outrigger lab` and what is below it, which a program that was built without the lab has as
/// well.
std::vector<Command> LabCommands();

/// InvalidArgument names flag, value and what is accepted.
absl::StatusOr<LabFlags> ReadLabFlags(const Given& given);

absl::StatusOr<LabNodesFlags> ReadLabNodesFlags(const Given& given);

/// Runs `outrigger lab nodes` until SIGTERM or SIGINT, otherwise as RunLabScheduler().
/// InvalidArgument names what is wrong with the nodes.
absl::Status RunLabNodes(const LabNodesFlags& flags, const World& world);

/// Runs `outrigger lab scheduler` until SIGTERM or SIGINT. A program that was built without the lab
/// says so. An API server that does not answer is waited for, and so is a right that is missing.
absl::Status RunLabScheduler(const LabFlags& flags, const World& world);

}  // namespace outrigger::cli
