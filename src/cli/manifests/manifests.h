#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/serve/options.h"
#include "console/args/command.h"

// `outrigger manifests`: what runs agents in a cluster, as objects for `kubectl apply`.

namespace outrigger::cli::manifests {

struct ManifestsFlags {
  std::vector<std::string> names;  // agents, "gang,qos" for one container; annotators
  std::string name_space = "kube-system";
  std::string scheduler_name;  // empty: outrigger; alone: the cluster's own
  int64_t replicas = 2;
  std::string image = "kube-sched-ext-{agents}:0.0";
  std::string kubernetes = "1.37.2";
  bool alone = false;
  std::optional<SchedulerConfigInput> in;  // the scheduler's configuration to begin with
  bool scheduler_name_given = false;
};

/// One container: agents that run as one process.
struct AgentProcess {
  std::vector<const AgentInfo*> agents;
  uint16_t port = 0;   // for calls
  bool plans = false;  // reads the scheduler's configuration

  std::vector<std::string> Names() const;
  /// "gang-qos": of the container and its image.
  std::string Name() const;
  uint16_t AdminPort() const { return static_cast<uint16_t>(port + 100); }
};

/// An annotator by its name here: "annotate-usage" runs `outrigger annotate usage`.
struct Annotator {
  std::string_view name;
  std::string_view command;
  std::string_view image;  // the agent that reads what it writes
  uint16_t admin_port = 0;
  bool reads_pods = false;
  bool reads_metrics = false;
};

/// What is to be rendered. Everything in it has been checked.
struct ManifestsRequest {
  ManifestsFlags flags = {};
  std::string command = {};  // "outrigger manifests gang qos": prints the same again
  std::vector<AgentProcess> processes = {};
  std::vector<const Annotator*> annotators = {};
  bool service_account = false;
  std::string scheduler_name = {};
  std::string scheduler_yaml = {};   // as scheduler-config prints it
  std::string scheduler_lease = {};  // "namespace/name"; empty: alone
  std::string kube_scheduler_image = {};
};

/// Reads the flags. InvalidArgument, with the flag, its value and what helps, for agents that are
/// unknown or cannot run so, for containers whose ports clash or that would plan or bind twice, for
/// replicas without leader election, for the name of the cluster's own scheduler, and for a
/// Kubernetes without native sidecars. `registry` outlives the result.
absl::StatusOr<ManifestsRequest> ReadManifestsRequest(const ManifestsFlags& flags,
                                                      const std::vector<AgentInfo>& registry,
                                                      const LeftOutAgents& left_out);

/// The objects of `request` as YAML documents; equal for equal requests.
absl::StatusOr<std::string> RenderManifests(const ManifestsRequest& request,
                                            const std::vector<AgentInfo>& registry);

/// "extender.gang.qos.yaml", "controller.penalty.yaml": where -o writes them.
std::string ManifestFileName(const ManifestsRequest& request);

/// `outrigger manifests`.
Command ManifestsCommand(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli::manifests
