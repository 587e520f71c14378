#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "console/args/command.h"

namespace outrigger::cli {

/// Of `lab apiserver`.
struct ApiServerFlags {
  static constexpr uint16_t kPort = 55441;
  uint16_t port = kPort;
  std::vector<std::string> files;
  std::string kubeconfig;  // where one is written; empty: nowhere
  bool gangs = false;
  std::vector<std::string> nodes;  // shapes, as `lab nodes` has them
  std::string scheduler;           // the program kube-scheduler; empty: none
  std::string agents;              // beside it, joined by commas; empty: none
};

/// Of `lab load` and `lab save`.
struct LabFileFlags {
  std::vector<std::string> files;
  std::string kubeconfig;
  std::string context;
};

std::vector<Command> ApiServerCommands();

/// InvalidArgument names flag, value and what is accepted.
absl::StatusOr<ApiServerFlags> ReadApiServerFlags(const Given& given);

/// A kubeconfig for a server on this port of loopback.
std::string LabKubeconfig(uint16_t port);

/// Runs `outrigger lab apiserver` until SIGTERM or SIGINT. A program that was built without the lab
/// says so, as the other two do.
absl::Status RunApiServer(const ApiServerFlags& flags, const World& world);
absl::StatusOr<std::string> RunLabLoad(const LabFileFlags& flags, const World& world);
absl::StatusOr<std::string> RunLabSave(const LabFileFlags& flags, const World& world);

}  // namespace outrigger::cli
