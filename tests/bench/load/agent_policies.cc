// The agents of the program, made as it makes them, with their defaults.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent_under_test.h"
#include "builders.h"
#include "chain.h"
#include "peers.h"
#include "policy.h"
#include "rule/rule_method.h"
#include "series.h"
#include "virtual_cluster.h"

namespace outrigger::safe {
AgentFactory MakeFactory();
}  // namespace outrigger::safe
namespace outrigger::congestion {
AgentFactory MakeFactory();
}  // namespace outrigger::congestion
namespace outrigger::pigeon {
AgentFactory MakeFactory();
}  // namespace outrigger::pigeon

namespace outrigger::load_bench {
namespace {

using testing::AgentUnderTest;
using testing::OwnedRequest;

/// 0 to 10, as the scheduler gets it.
std::vector<int> Tenths(const std::vector<NodeScore>& scores) {
  std::vector<int> tenths;
  // As the program rounds. NOLINTNEXTLINE(bugprone-incorrect-roundings)
  for (const NodeScore& score : scores) tenths.push_back(static_cast<int>(score.value * 10 + 0.5));
  return tenths;
}

/// A policy with a cluster that is followed.
class InCluster : public Policy {
 public:
  explicit InCluster(const Scene& scene) : scene_(scene), cluster_(&scene.trace) {}

  void Advance(double time) override { cluster_.Set(time); }
  void Join(size_t node) override { cluster_.Join(node); }
  void Placed(size_t pod, size_t node) override { cluster_.Place(pod, node); }
  void Ended(size_t pod, size_t /*node*/) override { cluster_.Remove(pod); }
  void Killed(size_t pod) override { cluster_.Kill(pod); }
  std::vector<bool> Fits(size_t /*pod*/, std::span<const size_t> nodes) override {
    return std::vector<bool>(nodes.size(), true);
  }
  // Requests are what it knows.
  std::vector<Amounts> Seen(std::span<const size_t> nodes) override {
    std::vector<Amounts> seen;
    for (const size_t node : nodes) {
      seen.push_back(ShareOf(scene_.truth.Requested(node), scene_.trace.nodes[node].allocatable));
    }
    return seen;
  }

 protected:
  const Scene scene_;
  VirtualCluster cluster_;
};

/// Reads what annotators write.
class Annotated : public InCluster {
 public:
  explicit Annotated(const Scene& scene, std::string_view source = "prometheus",
                     bool forecasts = false)
      : InCluster(scene), chain_(&scene.trace, &scene.exporter, &cluster_, source, forecasts) {}

  void Advance(double time) override {
    InCluster::Advance(time);
    chain_.Advance();
  }

 private:
  Chain chain_;
};

/// "cpu: use 55.0 % ..." of what safe tells a user who asks for its reasons, as a share; 0 where it
/// says that it has no statistics.
double UseIn(std::string_view why, std::string_view resource) {
  const std::string use = std::string(resource) + ": use ";
  if (const size_t at = why.find(use); at != std::string_view::npos) {
    return std::strtod(why.data() + at + use.size(), nullptr) / 100;
  }
  if (why.find(std::string(resource) + ": no statistics") == std::string_view::npos) {
    std::fprintf(stderr, "safe does not say its figures: %.*s\n", static_cast<int>(why.size()),
                 why.data());
    std::abort();
  }
  return 0;
}

class SafePolicy : public Annotated {
 public:
  SafePolicy(const Scene& scene, std::string_view source, bool forecasts = false)
      : Annotated(scene, source, forecasts),
        // Forecasts, which are off by default, are for pictures alone.
        agent_(safe::MakeFactory(), {{"forecast-weight", "0"}}, &cluster_.fake(),
               cluster_.clock()) {}

  std::vector<bool> Fits(size_t pod, std::span<const size_t> nodes) override {
    return agent_.Fits(OwnedRequest(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false));
  }
  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    return Tenths(agent_.Score(OwnedRequest(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false)));
  }
  std::vector<Amounts> Seen(std::span<const size_t> nodes) override {
    const OwnedRequest request(testing::MakePod("asks-nothing"), cluster_.NodesOf(nodes));
    std::vector<Amounts> seen;
    for (const NodeScore& score : agent_.Score(request)) {
      const std::string why(score.why.text());
      seen.push_back({UseIn(why, "cpu"), UseIn(why, "memory")});
    }
    return seen;
  }

 private:
  const AgentUnderTest agent_;
};

/// Has forecasts annotated, by which it does not go.
class RecordedSafe final : public SafePolicy {
 public:
  RecordedSafe(const Scene& scene, std::vector<LoadPoint>* points)
      : SafePolicy(scene, "prometheus", /*forecasts=*/true), points_(*points) {}

  void Advance(double time) override {
    SafePolicy::Advance(time);
    if (time < std::max(next_, scene_.trace.warm_up)) return;
    next_ = time + 60;
    constexpr std::array<size_t, 1> kNode = {0};
    points_.push_back({.time = time - scene_.trace.warm_up,
                       .truth = 100 * scene_.truth.Load(0, time).cpu,
                       .measured = Used("mean-free-cpu"),
                       .forecast = Used("forecasted-free-cpu"),
                       .safe = 100 * Seen(kNode)[0].cpu});
  }

 private:
  double Used(std::string_view annotation) {
    constexpr std::array<size_t, 1> kNode = {0};
    const double free = std::strtod(
        std::string(cluster_.NodesOf(kNode)[0].annotations.Get(annotation)).c_str(), nullptr);
    return 100 * (1 - free / scene_.trace.nodes[0].allocatable.cpu);
  }

  std::vector<LoadPoint>& points_;
  double next_ = 0;
};

class CongestionPolicy final : public Annotated {
 public:
  explicit CongestionPolicy(const Scene& scene)
      : Annotated(scene),
        agent_(congestion::MakeFactory(), {}, &cluster_.fake(), cluster_.clock()) {}

  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    return Tenths(agent_.Score(OwnedRequest(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false)));
  }
  // The factor is percent of cpu; of memory it is told nothing.
  std::vector<Amounts> Seen(std::span<const size_t> nodes) override {
    std::vector<Amounts> seen;
    for (const Node& node : cluster_.NodesOf(nodes)) {
      const std::string* const text = node.annotations.Find("congestion-factor");
      seen.push_back({text == nullptr ? 0 : std::strtod(text->c_str(), nullptr) / 100, 0});
    }
    return seen;
  }

 private:
  const AgentUnderTest agent_;
};

class PigeonPolicy final : public InCluster {
 public:
  explicit PigeonPolicy(const Scene& scene)
      : InCluster(scene),
        agent_(pigeon::MakeFactory(), {{"config", ""}}, &cluster_.fake(), cluster_.clock()) {}

  std::vector<bool> Fits(size_t pod, std::span<const size_t> nodes) override {
    return agent_.Fits(OwnedRequest(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false));
  }
  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    return Tenths(agent_.Score(OwnedRequest(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false)));
  }

 private:
  const AgentUnderTest agent_;
};

/// The agent's rule without the threads and the Lease around it. Where no pod has failed it has no
/// opinion, so its scores are added to those of the scheduler's own plugin, as
/// deploy/extender.reward.yaml has it.
class RewardPolicy final : public InCluster {
 public:
  explicit RewardPolicy(const Scene& scene)
      : InCluster(scene),
        method_(reward::Rule(), reward::PodFilter(), /*draws=*/false, "", &cluster_.fake()) {
    method_.Begin("", Now());
  }

  void Advance(double time) override {
    InCluster::Advance(time);
    if (time < next_) return;
    next_ = time + 5;
    method_.Look(cluster_.fake().Take()->snapshot, Now());
    method_.Tick(Now());
  }
  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    const OwnedRequest request(cluster_.PodOf(pod), cluster_.NodesOf(nodes), false);
    std::vector<NodeScore> scores(nodes.size());
    if (!method_.Score(*request, Now().wall, scores).ok()) std::abort();
    std::vector<int> sums = Tenths(scores);
    for (size_t i = 0; i < nodes.size(); ++i) {
      sums[i] =
          sums[i] * kWeight * 10 + LeastAllocatedScore(scene_.truth.Requested(nodes[i]),
                                                       scene_.trace.pods[pod].requests,
                                                       scene_.trace.nodes[nodes[i]].allocatable);
    }
    return sums;
  }

 private:
  static constexpr int kWeight = 10;  // of the manifest

  reward::Moment Now() const { return reward::NowOf(cluster_.clock()); }

  reward::RuleMethod method_;
  double next_ = 0;
};

}  // namespace

std::unique_ptr<Policy> MakeSafe(const Scene& scene) {
  return std::make_unique<SafePolicy>(scene, "prometheus");
}
std::unique_ptr<Policy> MakeRecordedSafe(const Scene& scene, std::vector<LoadPoint>* points) {
  return std::make_unique<RecordedSafe>(scene, points);
}
std::unique_ptr<Policy> MakeSafeByMetrics(const Scene& scene) {
  return std::make_unique<SafePolicy>(scene, "metrics");
}
std::unique_ptr<Policy> MakeCongestion(const Scene& scene) {
  return std::make_unique<CongestionPolicy>(scene);
}
std::unique_ptr<Policy> MakePigeon(const Scene& scene) {
  return std::make_unique<PigeonPolicy>(scene);
}
std::unique_ptr<Policy> MakeReward(const Scene& scene) {
  return std::make_unique<RewardPolicy>(scene);
}

}  // namespace outrigger::load_bench
