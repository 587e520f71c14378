// What calls and changes cost the agent devices itself: 5000 nodes with 8 devices each.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "devices/objects/objects.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/agent.h"

namespace outrigger::devices {

AgentFactory MakeFactory();

namespace {

using Json = nlohmann::json;

constexpr int kNodes = 5000;

/// The agent on a cluster in memory.
class World {
 public:
  World() {
    Put(kClassKind, "foozer", {{"deviceType", "gpu"}, {"driver", "foozer.example.com"}});
    for (int i = 0; i < kNodes; ++i) {
      nodes_.push_back(testing::MakeNode(fmt::format("node-{:04}", i)));
      PutPool(i, "0");
    }
    Json claim = {{"claims",
                   {{{"deviceClass", "foozer"},
                     {"constraints", "device.model == 'foozer-1000'"},
                     {"requests", {{"count", "8"}}},
                     {"matchAttributes", {"numa"}}}}}};
    Put(kClaimKind, "c", std::move(claim));
    pod_ = testing::MakePod("p").Annotation(kClaimsAnnotation, R"([{"name":"a","claimName":"c"}])");
    AgentDeps deps;
    deps.name = "devices";
    deps.cluster = &cluster_;
    const AgentFactory factory = MakeFactory();
    auto agent = factory.make(deps, factory.settings.Defaults());
    if (!agent.ok()) std::abort();
    agent_ = *std::move(agent);
    if (!dynamic_cast<Controller&>(*agent_).Start().ok()) std::abort();
    request_ = std::make_unique<testing::OwnedRequest>(pod_, nodes_, false);
    plain_ = std::make_unique<testing::OwnedRequest>(testing::MakePod("q"), nodes_, false);
  }
  ~World() { dynamic_cast<Controller&>(*agent_).Stop(); }

  void Put(const CustomKind& kind, const std::string& name, Json spec) {
    Json object = {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}};
    if (kind.namespaced) object["metadata"]["namespace"] = "default";
    cluster_.custom().Put(kind, std::move(object));
  }
  void PutPool(int node, const std::string& slot) {
    Json devices = Json::array();
    for (int i = 0; i < 8; ++i) {
      devices.push_back({{"name", fmt::format("dev-{}", i)},
                         {"attributes", {{{"name", "numa"}, {"stringValue", "0"}}}}});
    }
    Put(kPoolKind, fmt::format("node-{:04}-foozer", node),
        {{"nodeName", fmt::format("node-{:04}", node)},
         {"driver", "foozer.example.com"},
         {"attributes",
          {{{"name", "model"}, {"stringValue", "foozer-1000"}},
           {{"name", "slot"}, {"stringValue", slot}}}},
         {"devices", std::move(devices)}});
  }
  int64_t Filter(const testing::OwnedRequest& request) {
    std::vector<Verdict> verdicts(kNodes);
    if (!dynamic_cast<Filterer&>(*agent_).Filter(*request, verdicts).ok()) std::abort();
    int64_t fits = 0;
    for (const Verdict& verdict : verdicts) fits += verdict.fits() ? 1 : 0;
    return fits;
  }
  double Score() {
    std::vector<NodeScore> scores(kNodes);
    if (!dynamic_cast<Scorer&>(*agent_).Score(**request_, scores).ok()) std::abort();
    return scores[0].value;
  }
  const testing::OwnedRequest& request() const { return *request_; }
  const testing::OwnedRequest& plain() const { return *plain_; }

 private:
  testing::FakeCluster cluster_;
  std::vector<Node> nodes_;
  Pod pod_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<testing::OwnedRequest> request_;
  std::unique_ptr<testing::OwnedRequest> plain_;
};

World& TheWorld() {
  static World world;
  return world;
}

void BM_DevicesAgentFilter(benchmark::State& state) {
  World& world = TheWorld();
  for (auto _ : state) {
    if (world.Filter(world.request()) != kNodes) return state.SkipWithError("not all fit");
  }
}
BENCHMARK(BM_DevicesAgentFilter)->Unit(benchmark::kMillisecond);

void BM_DevicesAgentPrioritize(benchmark::State& state) {
  World& world = TheWorld();
  for (auto _ : state) {
    if (world.Score() <= 0) return state.SkipWithError("no score");
  }
}
BENCHMARK(BM_DevicesAgentPrioritize)->Unit(benchmark::kMillisecond);

// Counting the verdicts is most of it.
void BM_DevicesAgentPodWithoutClaims(benchmark::State& state) {
  World& world = TheWorld();
  for (auto _ : state) benchmark::DoNotOptimize(world.Filter(world.plain()));
}
BENCHMARK(BM_DevicesAgentPodWithoutClaims)->Unit(benchmark::kMicrosecond);

// With the reading of its JSON, and the writing of the JSON by the cluster in memory.
void BM_DevicesAgentPoolChanges(benchmark::State& state) {
  World& world = TheWorld();
  int turn = 0;
  for (auto _ : state) {
    ++turn;
    world.PutPool(turn % kNodes, fmt::format("{}", turn % 2));
  }
}
BENCHMARK(BM_DevicesAgentPoolChanges)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace outrigger::devices
