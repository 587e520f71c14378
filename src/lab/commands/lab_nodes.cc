#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "console/process/follow_log.h"
#include "console/process/log.h"
#include "console/process/signals.h"
#include "console/reading/live_client.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "lab/commands/lab.h"
#include "lab/nodes/shape.h"
#include "lab/nodes/simulator.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

absl::Status OfNodesFlag(const absl::Status& status) {
  return absl::InvalidArgumentError(fmt::format("--nodes: {}", kube::MessageOf(status)));
}

absl::StatusOr<std::vector<lab::NodeShape>> ShapesOf(const LabNodesFlags& flags) {
  std::vector<lab::NodeShape> shapes;
  for (const std::string& text : flags.nodes) {
    auto shape = lab::ParseNodeShape(text);
    if (!shape.ok()) return OfNodesFlag(shape.status());
    shapes.push_back(*std::move(shape));
  }
  const auto nodes = lab::NodesOf(shapes);
  if (!nodes.ok()) return OfNodesFlag(nodes.status());
  return shapes;
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

}  // namespace

absl::Status RunLabNodes(const LabNodesFlags& flags, const World& world) {
  auto shapes = ShapesOf(flags);
  if (!shapes.ok()) return shapes.status();
  const absl::StatusOr<LiveClient> client = OpenForNodes(flags, world);
  if (!client.ok()) return client.status();
  HoldSignals();
  StartLogging({});
  spdlog::info("lab nodes: connecting to {}", client->server);
  lab::NodeSimulatorOptions options;
  options.shapes = *std::move(shapes);
  options.warn = [](const std::string& line) { spdlog::warn("{}", line); };
  options.report = WarnOfPod;
  auto simulator = lab::NodeSimulator::Start(client->client.get(), std::move(options));
  if (!simulator.ok()) return OfNodesFlag(simulator.status());
  FollowLog log([&simulator] { return (*simulator)->States(); }, /*counts=*/false);
  log.Start();
  std::jthread ready([&simulator](const std::stop_token& stop) {
    if (!(*simulator)->AwaitReady(stop)) return;
    const size_t count = (*simulator)->stats().nodes_ready;
    spdlog::info("lab nodes: {} node{} ready", count, count == 1 ? " is" : "s are");
  });
  WaitForStop();
  spdlog::info("lab nodes: stopping");
  ready = {};
  log.Stop();
  (*simulator)->Stop();
  return absl::OkStatus();
}

}  // namespace outrigger::cli
