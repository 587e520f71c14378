#include "replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <set>
#include <vector>

#include "chance.h"
#include "series.h"

namespace outrigger::load_bench {
namespace {

constexpr double kStep = Curve::kGrid;
constexpr double kMinute = 60;
// kube-scheduler tries a pod again when a node's annotations change or a pod goes: about so often.
constexpr double kRetry = 30;
constexpr uint64_t kTies = 0x71e5;

class Simulation {
 public:
  Simulation(const Trace& trace, MakePolicy make)
      : trace_(trace),
        truth_(&trace),
        exporter_(&trace, &truth_),
        policy_(make({trace, truth_, exporter_})),
        ties_(trace.seed ^ kTies) {}

  Measures Run() {
    for (double time = 0; time < trace_.length; time += kStep) Step(time);
    return std::move(measures_);
  }

 private:
  void Step(double time);
  void Join(double time);
  void Schedule(double time);
  void Try(size_t pod, double time);
  /// Nodes where the pod's requests fit.
  std::vector<size_t> Feasible(size_t pod, double time) const;
  bool HasRoomOnOne(size_t pod, const std::vector<size_t>& nodes, double time) const;
  void CountRefusal(size_t pod, const std::vector<size_t>& feasible, double time);
  void Measure(double time);
  void MeasureErrors(double time);
  void KillForMemory(double time);
  bool IsMeasured(double time) const { return time >= trace_.warm_up; }

  const Trace& trace_;
  Truth truth_;
  Exporter exporter_;
  const std::unique_ptr<Policy> policy_;
  Chance ties_;
  size_t joined_ = 0;   // nodes, which begin in their order
  size_t arrived_ = 0;  // pods
  std::deque<size_t> waiting_;
  std::set<size_t> refused_in_vain_;
  Measures measures_;
};

void Simulation::Step(double time) {
  policy_->Advance(time);
  Join(time);
  for (const auto& [pod, node] : truth_.EndAt(time)) policy_->Ended(pod, node);
  if (std::fmod(time, kMinute) == 0) {
    KillForMemory(time);
    if (IsMeasured(time)) Measure(time);
  }
  Schedule(time);
  if (IsMeasured(time)) {
    for (size_t node = 0; node < joined_; ++node) {
      if (WorseOf(truth_.Load(node, time + kStep / 2)) > Truth::kOverload) {
        measures_.overloaded += kStep / kMinute;
      }
    }
  }
  exporter_.Advance(time, kStep);
}

void Simulation::Join(double time) {
  for (; joined_ < trace_.nodes.size() && truth_.IsThere(joined_, time); ++joined_) {
    policy_->Join(joined_);
  }
}

void Simulation::Schedule(double time) {
  if (std::fmod(time, kRetry) == 0) {
    std::deque<size_t> again;
    std::swap(again, waiting_);
    for (const size_t pod : again) Try(pod, time);
  }
  for (; arrived_ < trace_.pods.size() && trace_.pods[arrived_].arrives < time + kStep;
       ++arrived_) {
    const PodTrace& pod = trace_.pods[arrived_];
    if (pod.node >= 0) {
      const auto node = static_cast<size_t>(pod.node);
      truth_.Place(arrived_, node, time);
      policy_->Placed(arrived_, node);
      continue;
    }
    ++measures_.pods;
    const double arrives = std::max(pod.arrives, time);
    policy_->Advance(arrives);
    Try(arrived_, arrives);
  }
}

std::vector<size_t> Simulation::Feasible(size_t pod, double time) const {
  std::vector<size_t> nodes;
  for (size_t node = 0; node < joined_; ++node) {
    const Amounts room = trace_.nodes[node].allocatable - truth_.Requested(node);
    if (truth_.IsThere(node, time) && Fits(trace_.pods[pod].requests, room)) nodes.push_back(node);
  }
  return nodes;
}

void Simulation::Try(size_t pod, double time) {
  const std::vector<size_t> feasible = Feasible(pod, time);
  std::vector<size_t> taken;
  if (!feasible.empty()) {
    const std::vector<bool> fits = policy_->Fits(pod, feasible);
    for (size_t i = 0; i < feasible.size(); ++i) {
      if (fits[i]) taken.push_back(feasible[i]);
    }
    if (taken.empty()) CountRefusal(pod, feasible, time);
  }
  if (taken.empty()) {
    waiting_.push_back(pod);
    return;
  }
  const std::vector<int> scores = policy_->Scores(pod, taken);
  const int best = *std::max_element(scores.begin(), scores.end());
  std::vector<size_t> highest;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (scores[i] == best) highest.push_back(taken[i]);
  }
  const size_t node = highest[ties_.Below(highest.size())];
  if (!truth_.HasRoom(node, pod, time) && HasRoomOnOne(pod, feasible, time)) ++measures_.misplaced;
  truth_.Place(pod, node, time);
  policy_->Placed(pod, node);
  ++measures_.placed;
}

bool Simulation::HasRoomOnOne(size_t pod, const std::vector<size_t>& nodes, double time) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](size_t node) { return truth_.HasRoom(node, pod, time); });
}

void Simulation::CountRefusal(size_t pod, const std::vector<size_t>& feasible, double time) {
  ++measures_.refusals;
  if (!HasRoomOnOne(pod, feasible, time)) return;
  ++measures_.in_vain;
  if (refused_in_vain_.insert(pod).second) ++measures_.pods_in_vain;
}

void Simulation::Measure(double time) {
  MeasureErrors(time);
  double sum = 0;
  double squares = 0;
  size_t used = 0;
  for (size_t node = 0; node < joined_; ++node) {
    const double load = truth_.Load(node, time).cpu * 100;
    sum += load;
    squares += load * load;
    used += truth_.PodsOn(node) > 0 ? 1 : 0;
  }
  const auto count = static_cast<double>(joined_);
  const double mean = sum / count;
  measures_.imbalance += std::sqrt(std::max(squares / count - mean * mean, 0.0));
  measures_.used_nodes += static_cast<double>(used);
  ++measures_.minutes;
}

// What comes to a node in the minute is the scheduler's own doing: it does not count.
void Simulation::MeasureErrors(double time) {
  const auto difference = [](double seen, double is) {
    return 100 * (std::min(seen, 1.0) - std::min(is, 1.0));
  };
  std::vector<size_t> nodes(joined_);
  std::iota(nodes.begin(), nodes.end(), size_t{0});
  const std::vector<Amounts> seen = policy_->Seen(nodes);
  for (const size_t node : nodes) {
    const Amounts load = truth_.LoadAMinuteAfter(node, time);
    measures_.cpu_errors.push_back(std::abs(difference(seen[node].cpu, load.cpu)));
    measures_.memory_errors.push_back(std::abs(difference(seen[node].memory, load.memory)));
    measures_.cpu_bias += difference(seen[node].cpu, load.cpu);
  }
}

// The kernel takes the largest.
void Simulation::KillForMemory(double time) {
  for (size_t node = 0; node < joined_; ++node) {
    if (truth_.Use(node, time).memory <= trace_.nodes[node].capacity.memory) continue;
    const Truth::Stay* largest = nullptr;
    double most = 0;
    for (const Truth::Stay& stay : truth_.StaysOn(node)) {
      const double use = UseOf(trace_, trace_.pods[stay.pod], time, time - stay.begin).memory;
      if (use <= most) continue;
      most = use;
      largest = &stay;
    }
    if (largest != nullptr) policy_->Killed(largest->pod);
  }
}

}  // namespace

Measures Replay(const Trace& trace, MakePolicy make) {
  return Simulation(trace, make).Run();
}

std::vector<LoadPoint> SeriesOf(const Trace& trace) {
  std::vector<LoadPoint> points;
  Replay(trace, [&](const Scene& scene) { return MakeRecordedSafe(scene, &points); });
  return points;
}

}  // namespace outrigger::load_bench
