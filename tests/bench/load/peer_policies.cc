// The peers in a cluster: what they know of each node, and when.
#include <cmath>
#include <optional>
#include <vector>

#include "peers.h"
#include "policy.h"

namespace outrigger::load_bench {
namespace {

/// Knows the requests of the pods on each node, as every scheduler does.
class Peer : public Policy {
 public:
  explicit Peer(const Scene& scene) : scene_(scene) {}

  void Advance(double time) override { now_ = time; }
  std::vector<bool> Fits(size_t /*pod*/, std::span<const size_t> nodes) override {
    return std::vector<bool>(nodes.size(), true);
  }
  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    std::vector<int> scores;
    for (const size_t node : nodes) scores.push_back(ScoreOf(scene_.trace.pods[pod], node));
    return scores;
  }
  std::vector<Amounts> Seen(std::span<const size_t> nodes) override {
    std::vector<Amounts> seen;
    for (const size_t node : nodes) seen.push_back(ShareOf(UsedOn(node), AllocatableOf(node)));
    return seen;
  }

 protected:
  virtual int ScoreOf(const PodTrace& pod, size_t node) = 0;
  /// What it takes the node to use.
  virtual Amounts UsedOn(size_t node) = 0;

  const Amounts& AllocatableOf(size_t node) const { return scene_.trace.nodes[node].allocatable; }
  const Amounts& CapacityOf(size_t node) const { return scene_.trace.nodes[node].capacity; }

  const Scene scene_;
  double now_ = 0;
};

class RequestsAlone final : public Peer {
 public:
  using Peer::Peer;

 private:
  int ScoreOf(const PodTrace& pod, size_t node) override {
    return LeastAllocatedScore(UsedOn(node), pod.requests, AllocatableOf(node));
  }
  Amounts UsedOn(size_t node) override { return scene_.truth.Requested(node); }
};

/// Refuses what has no room, and prefers the node whose peak is lowest.
class Clairvoyant final : public Peer {
 public:
  using Peer::Peer;

  std::vector<bool> Fits(size_t pod, std::span<const size_t> nodes) override {
    std::vector<bool> fits;
    for (const size_t node : nodes) fits.push_back(scene_.truth.HasRoom(node, pod, now_));
    return fits;
  }
  std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) override {
    std::vector<int> scores;
    for (const size_t node : nodes) {
      scores.push_back(static_cast<int>(1000 * (1 - scene_.truth.PeakWith(node, pod, now_))));
    }
    return scores;
  }

 private:
  int ScoreOf(const PodTrace& /*pod*/, size_t /*node*/) override { return 0; }
  Amounts UsedOn(size_t node) override {
    const Amounts share = scene_.truth.LoadAMinuteAfter(node, now_);
    return {share.cpu * AllocatableOf(node).cpu, share.memory * AllocatableOf(node).memory};
  }
};

/// Has metrics of the nodes, read at times that are multiples of `refresh`.
class MeasuringPeer : public Peer {
 public:
  MeasuringPeer(const Scene& scene, double window, double refresh)
      : Peer(scene), window_(window), refresh_(refresh), metrics_(scene.trace.nodes.size()) {}

  void Advance(double time) override {
    Peer::Advance(time);
    const double at = std::floor(time / refresh_) * refresh_;
    if (at <= read_at_) return;
    read_at_ = at;
    for (size_t node = 0; node < metrics_.size(); ++node) {
      metrics_[node] = scene_.exporter.Over(node, at, window_);
    }
  }

 protected:
  /// Nothing: the node has no metrics.
  const std::optional<Usage>& MetricsOf(size_t node) const { return metrics_[node]; }
  /// The sum of `of(stay)` over the pods that came to the node after `age` seconds before the
  /// metrics were read.
  template <typename Of>
  Amounts SumOfYoung(size_t node, double age, const Of& of) const {
    Amounts sum;
    for (const Truth::Stay& stay : scene_.truth.StaysOn(node)) {
      if (stay.begin > read_at_ - age) sum += of(stay);
    }
    return sum;
  }

  const double window_;
  double read_at_ = -1;

 private:
  const double refresh_;
  std::vector<std::optional<Usage>> metrics_;
};

class TargetLoadPacking final : public MeasuringPeer {
 public:
  explicit TargetLoadPacking(const Scene& scene)
      : MeasuringPeer(scene, kTrimaranWindow, kTrimaranRefresh) {}

 private:
  int ScoreOf(const PodTrace& pod, size_t node) override {
    if (!MetricsOf(node)) return 0;
    const double ask = TargetLoadPackingUse(pod.requests, pod.limits);
    return TargetLoadPackingScore(UsedOn(node).cpu, ask, 0, CapacityOf(node).cpu);
  }
  // With what is missing in the metrics. It looks at cpu alone; memory is as it is measured.
  Amounts UsedOn(size_t node) override {
    if (!MetricsOf(node)) return {};
    return MetricsOf(node)->mean + SumOfYoung(node, kMissingAge, [&](const Truth::Stay& stay) {
             const PodTrace& pod = scene_.trace.pods[stay.pod];
             return Amounts{TargetLoadPackingUse(pod.requests, pod.limits), 0};
           });
  }
};

class LowRiskOverCommitment final : public MeasuringPeer {
 public:
  explicit LowRiskOverCommitment(const Scene& scene)
      : MeasuringPeer(scene, kTrimaranWindow, kTrimaranRefresh) {}

 private:
  static Amounts LimitsOf(const PodTrace& pod) {
    return {std::max(pod.limits.cpu, pod.requests.cpu),
            std::max(pod.limits.memory, pod.requests.memory)};
  }
  int ScoreOf(const PodTrace& pod, size_t node) override {
    if (!MetricsOf(node)) return 0;
    const Amounts requests = scene_.truth.Requested(node);
    Amounts limits;
    for (const Truth::Stay& stay : scene_.truth.StaysOn(node)) {
      limits += LimitsOf(scene_.trace.pods[stay.pod]);
    }
    const auto risk = [&](double Amounts::*of) {
      const double capacity = AllocatableOf(node).*of;
      return OverCommitmentRisk(
          {.request = std::min(requests.*of + pod.requests.*of, capacity),
           .limit = limits.*of + LimitsOf(pod).*of,
           .request_without_pod = std::min(requests.*of, capacity),
           .limit_without_pod = limits.*of,
           .capacity = capacity,
           .mean = std::min(MetricsOf(node)->mean.*of / CapacityOf(node).*of, 1.0),
           .deviation = std::min(MetricsOf(node)->deviation.*of / CapacityOf(node).*of, 1.0)});
    };
    return LowRiskOverCommitmentScore(risk(&Amounts::cpu), risk(&Amounts::memory));
  }
  // Percent of the machine, which it takes for percent of what is allocatable.
  Amounts UsedOn(size_t node) override {
    if (!MetricsOf(node)) return {};
    const Amounts share = ShareOf(MetricsOf(node)->mean, CapacityOf(node));
    return {share.cpu * AllocatableOf(node).cpu, share.memory * AllocatableOf(node).memory};
  }
};

class Koordinator final : public MeasuringPeer {
 public:
  explicit Koordinator(const Scene& scene)
      : MeasuringPeer(scene, kKoordinatorWindow, kKoordinatorReport) {}

  std::vector<bool> Fits(size_t pod, std::span<const size_t> nodes) override {
    const PodTrace& asks = scene_.trace.pods[pod];
    std::vector<bool> fits;
    for (const size_t node : nodes) {
      const Amounts used = UsedOn(node) + KoordinatorEstimate(asks.requests, asks.limits);
      fits.push_back(!MetricsOf(node) || KoordinatorFits(used, AllocatableOf(node)));
    }
    return fits;
  }

 private:
  int ScoreOf(const PodTrace& pod, size_t node) override {
    if (!MetricsOf(node)) return 0;
    return KoordinatorScore(UsedOn(node) + KoordinatorEstimate(pod.requests, pod.limits),
                            AllocatableOf(node));
  }
  // Pods that have no metrics yet, or came within the report's interval, by their estimate; what
  // the mean already holds of them is taken off, by the same estimate.
  Amounts UsedOn(size_t node) override {
    if (!MetricsOf(node)) return {};
    return MetricsOf(node)->mean +
           SumOfYoung(node, kKoordinatorReport, [&](const Truth::Stay& stay) {
             const PodTrace& pod = scene_.trace.pods[stay.pod];
             const double held = std::max(read_at_ - stay.begin, 0.0) / window_;
             return KoordinatorEstimate(pod.requests, pod.limits) * (1 - held);
           });
  }
};

}  // namespace

std::unique_ptr<Policy> MakeClairvoyant(const Scene& scene) {
  return std::make_unique<Clairvoyant>(scene);
}
std::unique_ptr<Policy> MakeRequestsAlone(const Scene& scene) {
  return std::make_unique<RequestsAlone>(scene);
}
std::unique_ptr<Policy> MakeTargetLoadPacking(const Scene& scene) {
  return std::make_unique<TargetLoadPacking>(scene);
}
std::unique_ptr<Policy> MakeLowRiskOverCommitment(const Scene& scene) {
  return std::make_unique<LowRiskOverCommitment>(scene);
}
std::unique_ptr<Policy> MakeKoordinator(const Scene& scene) {
  return std::make_unique<Koordinator>(scene);
}

}  // namespace outrigger::load_bench
