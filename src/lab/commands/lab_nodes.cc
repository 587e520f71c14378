#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "console/format/files.h"
#include "console/format/yaml.h"
#include "console/process/follow_log.h"
#include "console/process/log.h"
#include "console/process/signals.h"
#include "console/reading/live_client.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "lab/commands/lab.h"
#include "lab/nodes/node_objects.h"
#include "lab/nodes/shape.h"
#include "lab/nodes/simulator.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

absl::Status OfNodesFlag(const absl::Status& status) {
  return absl::InvalidArgumentError(fmt::format("--nodes: {}", kube::MessageOf(status)));
}

bool IsNodesFile(const std::string& text) {
  return absl::EndsWith(text, ".yaml") || absl::EndsWith(text, ".yml") ||
         absl::EndsWith(text, ".json");
}

absl::Status AddFileNodes(const std::string& path, std::vector<lab::SimulatedNode>* nodes) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ForEachYamlDocument(path, *text, [&](std::string* json) {
    absl::Status status = lab::AddNodes(*json, nodes);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(fmt::format("{}: {}", path, std::string(status.message())));
  });
}

void WarnOfPod(const kube::ObjectProblem& problem) {
  if (problem.value != nullptr) return;
  spdlog::warn("{} {}/{} cannot be read: {}", problem.resource, problem.namespace_, problem.name,
               problem.error);
}

// The simulator has few calls under way at once, so it needs no limit of calls.
absl::StatusOr<LiveClient> OpenForNodes(const LabNodesFlags& flags, const World& world) {
  kube::ClientOptions options;
  options.qps = 0;
  options.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  return OpenLiveClient({flags.kubeconfig, flags.context}, world.environment, "--kubeconfig FILE",
                        std::move(options));
}

// Shapes, and files of Nodes.
absl::StatusOr<std::vector<lab::SimulatedNode>> LabNodesOf(const std::vector<std::string>& flag) {
  std::vector<lab::NodeShape> shapes;
  std::vector<lab::SimulatedNode> nodes;
  for (const std::string& text : flag) {
    absl::Status status;
    if (IsNodesFile(text)) {
      status = AddFileNodes(text, &nodes);
    } else if (auto shape = lab::ParseNodeShape(text); shape.ok()) {
      shapes.push_back(*std::move(shape));
    } else {
      status = shape.status();
    }
    if (!status.ok()) return OfNodesFlag(status);
  }
  auto all = lab::NodesOf(shapes, std::move(nodes));
  return all.ok() ? std::move(all) : OfNodesFlag(all.status());
}

}  // namespace

absl::Status RunLabNodes(const LabNodesFlags& flags, const World& world) {
  const auto nodes = LabNodesOf(flags.nodes);
  if (!nodes.ok()) return nodes.status();
  const absl::StatusOr<LiveClient> client = OpenForNodes(flags, world);
  if (!client.ok()) return client.status();
  HoldSignals();
  StartLogging({});
  spdlog::info("lab nodes: connecting to {}", client->server);
  lab::NodeSimulatorOptions options;
  options.warn = [](const std::string& line) { spdlog::warn("{}", line); };
  options.report = WarnOfPod;
  const auto simulator =
      lab::NodeSimulator::Start(client->client.get(), *nodes, std::move(options));
  FollowLog log([&simulator] { return simulator->States(); }, /*counts=*/false);
  log.Start();
  std::jthread ready([&simulator](const std::stop_token& stop) {
    if (!simulator->AwaitReady(stop)) return;
    const size_t count = simulator->stats().nodes_ready;
    spdlog::info("lab nodes: {} node{} ready", count, count == 1 ? " is" : "s are");
  });
  WaitForStop();
  spdlog::info("lab nodes: stopping");
  ready = {};
  log.Stop();
  simulator->Stop();
  return absl::OkStatus();
}

}  // namespace outrigger::cli
