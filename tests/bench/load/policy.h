#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "amounts.h"
#include "exporter.h"
#include "trace.h"
#include "truth.h"

namespace outrigger::load_bench {

/// What a policy may know: what a scheduler is told, and what is measured. Of Truth the placements
/// and requests alone, but for MakeClairvoyant().
struct Scene {
  const Trace& trace;
  const Truth& truth;
  const Exporter& exporter;
};

/// A way to choose among nodes where a pod's requests fit. Not thread-safe.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Time goes on. Called each Curve::kGrid seconds, before anything else of that time, and before
  /// each pod with the time of its arrival.
  virtual void Advance(double time) = 0;
  virtual void Join(size_t /*node*/) {}
  virtual void Placed(size_t /*pod*/, size_t /*node*/) {}
  virtual void Ended(size_t /*pod*/, size_t /*node*/) {}
  /// A container of the pod was killed for want of memory, and runs again.
  virtual void Killed(size_t /*pod*/) {}

  /// Whether each of `nodes` is taken for the pod.
  virtual std::vector<bool> Fits(size_t pod, std::span<const size_t> nodes) = 0;
  /// The score of each; the highest wins.
  virtual std::vector<int> Scores(size_t pod, std::span<const size_t> nodes) = 0;
  /// The loads that it takes the nodes to have, as shares of what is allocatable; of which nothing
  /// is known: 0.
  virtual std::vector<Amounts> Seen(std::span<const size_t> nodes) = 0;
};

/// What a row of the table is about.
struct Contender {
  std::string_view name;
  bool is_peer = false;  // measures load, too
  std::unique_ptr<Policy> (*make)(const Scene& scene);
};

/// All rows of a family, in their order. "safe" is one of them.
std::span<const Contender> Contenders();

/// Knows the truth of the next ten minutes: what no scheduler can do better by much.
std::unique_ptr<Policy> MakeClairvoyant(const Scene& scene);
std::unique_ptr<Policy> MakeRequestsAlone(const Scene& scene);
std::unique_ptr<Policy> MakeTargetLoadPacking(const Scene& scene);
std::unique_ptr<Policy> MakeLowRiskOverCommitment(const Scene& scene);
std::unique_ptr<Policy> MakeKoordinator(const Scene& scene);
std::unique_ptr<Policy> MakeSafe(const Scene& scene);
std::unique_ptr<Policy> MakeSafeByMetrics(const Scene& scene);
std::unique_ptr<Policy> MakeCongestion(const Scene& scene);
std::unique_ptr<Policy> MakePigeon(const Scene& scene);
std::unique_ptr<Policy> MakeReward(const Scene& scene);

}  // namespace outrigger::load_bench
