#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "pigeon.h"

// A call of the agent pigeon for 5000 nodes by name, whose pods come from the cluster.

namespace outrigger::pigeon {
namespace {

constexpr size_t kNodes = 5000;

Node NodeAt(size_t i) {
  Node node = testing::MakeNode(fmt::format("node-{:04}", i))
                  .Allocatable("cpu", i % 3 == 0 ? "64" : "32")
                  .Allocatable("memory", "128Gi")
                  .Allocatable("nvidia.com/gpu", "4");
  node.revision = i + 1;
  return node;
}

Pod PodAt(size_t i, std::string_view cpu) {
  Pod pod = testing::MakePod(fmt::format("pod-{}", i))
                .Requests({{"cpu", cpu}, {"memory", "1Gi"}, {"nvidia.com/gpu", "1"}});
  pod.node_name = fmt::format("node-{:04}", i % kNodes);
  return pod;
}

class Cluster {
 public:
  Cluster(const char* resources, const char* objective) {
    std::vector<Node> nodes;
    for (size_t i = 0; i < kNodes; ++i) {
      nodes.push_back(NodeAt(i));
      cluster_.Put(nodes.back());
      cluster_.Put(PodAt(i, fmt::format("{}m", 100 * (1 + i % 200))));
    }
    const Pod pod = testing::MakePod("new").Requests({{"cpu", "500m"}, {"memory", "512Mi"}});
    request_ = std::make_unique<testing::OwnedRequest>(pod, std::move(nodes), false);
    Settings settings;
    settings.config = "";
    settings.resources = resources;
    settings.objective = objective;
    AgentDeps deps;
    deps.name = "pigeon";
    deps.cluster = &cluster_;
    deps.given = {"objective"};
    auto agent = Pigeon::Make(deps, settings);
    if (!agent.ok()) std::abort();
    agent_ = *std::move(agent);
    verdicts_.resize(kNodes);
    scores_.resize(kNodes);
  }

  /// A pod comes to a node or leaves it, as one does between two pods that are scheduled.
  void ChangeOne() {
    const size_t i = next_++ % kNodes;
    cluster_.Put(PodAt(i, next_ / kNodes % 2 == 0 ? "3" : "5"));
  }
  void Filter() {
    const auto* filterer = dynamic_cast<const Filterer*>(agent_.get());
    if (!filterer->Filter(**request_, verdicts_).ok()) std::abort();
  }
  void Score() {
    const auto* scorer = dynamic_cast<const Scorer*>(agent_.get());
    if (!scorer->Score(**request_, scores_).ok()) std::abort();
  }

 private:
  testing::FakeCluster cluster_;
  std::unique_ptr<testing::OwnedRequest> request_;
  std::unique_ptr<Agent> agent_;
  std::vector<Verdict> verdicts_;
  std::vector<NodeScore> scores_;
  size_t next_ = 0;
};

constexpr const char* kTwo = "cpu,memory";
constexpr const char* kFive = "cpu,memory,pods,nvidia.com/gpu,ephemeral-storage";

void Run(benchmark::State& state, const char* resources, const char* objective, bool filter) {
  Cluster cluster(resources, objective);
  for (auto _ : state) {
    state.PauseTiming();
    cluster.ChangeOne();
    state.ResumeTiming();
    if (filter) {
      cluster.Filter();
    } else {
      cluster.Score();
    }
  }
}

void BM_PigeonFilter5000(benchmark::State& state) {
  Run(state, kTwo, "A_BINPACK", true);
}
void BM_PigeonScore5000(benchmark::State& state) {
  Run(state, kTwo, "A_BINPACK", false);
}
void BM_PigeonScore5000Of5Resources(benchmark::State& state) {
  Run(state, kFive, "A_BINPACK", false);
}
void BM_PigeonLoadBalance5000(benchmark::State& state) {
  Run(state, kTwo, "LOAD_BALANCE", false);
}
void BM_PigeonConsolidate5000(benchmark::State& state) {
  Run(state, kTwo, "CONSOLIDATE", false);
}
BENCHMARK(BM_PigeonFilter5000)->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(BM_PigeonScore5000)->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(BM_PigeonScore5000Of5Resources)->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(BM_PigeonLoadBalance5000)->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(BM_PigeonConsolidate5000)->Unit(benchmark::kMillisecond)->Iterations(300);

}  // namespace
}  // namespace outrigger::pigeon
