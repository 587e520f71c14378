#include "simulation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "builders.h"
#include "fmt/format.h"

namespace outrigger::sim {
namespace {

using std::chrono::seconds;

constexpr milliseconds kLookEvery{500};
// Pods are bound long before, unless they sleep.
constexpr seconds kEnd{400};
constexpr seconds kQuiet{3};

}  // namespace

Conditions Conditions::Random(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const auto one_in = [&](int64_t n) { return pick(1, n) == 1; };
  Conditions made;
  made.seed = seed;
  made.nodes.resize(static_cast<size_t>(pick(1, 5)));
  for (int64_t& slots : made.nodes) slots = pick(1, 4);
  made.pods = static_cast<size_t>(pick(6, 24));
  made.sizes_differ = one_in(4);
  made.zones_differ = one_in(3) && made.nodes.size() > 1;
  made.has_critical = one_in(3);
  made.has_giant = one_in(4);
  made.arrivals = milliseconds(std::array{0, 2'000, 10'000}[static_cast<size_t>(pick(0, 2))]);
  made.longest_run = milliseconds(pick(200, 6'000));
  made.watch_delay = milliseconds(std::array{0, 20, 500}[static_cast<size_t>(pick(0, 2))]);
  // A pod that is not known yet cannot be put first.
  if (made.watch_delay >= Judge::kKnown) made.arrivals = milliseconds(0);
  made.lost_answers = one_in(3) ? 0.1 : 0;
  made.deaths = one_in(3) ? 0.15 : 0;
  made.restarts = one_in(3) ? static_cast<int>(pick(1, 2)) : 0;
  made.scheduler.bind = milliseconds(std::array{1, 30, 300}[static_cast<size_t>(pick(0, 2))]);
  made.scheduler.queue.pops_early = !one_in(3);
  made.scheduler.sample = one_in(6) ? 1 + made.nodes.size() / 2 : 0;
  return made;
}

/// Loses some answers on their way to the scheduler.
class Simulation::LossyCalls final : public Extender {
 public:
  explicit LossyCalls(Simulation* of) : of_(of) {}
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) override {
    return Lossy(of_->agent_.Filter(request, verdicts));
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) override {
    return Lossy(of_->agent_.Score(request, scores));
  }
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) override {
    return Lossy(of_->agent_.Preempt(request, chosen));
  }

 private:
  absl::Status Lossy(absl::Status answer) {
    if (!of_->Chance(of_->conditions_.lost_answers)) return answer;
    return absl::DeadlineExceededError("no answer in time");
  }
  Simulation* const of_;
};

Simulation::Simulation(const Conditions& conditions, const Sabotage& sabotage)
    : conditions_(conditions),
      random_(conditions.seed),
      view_((AddNodes(), std::make_unique<LateView>(&scene_, &timeline_, conditions.watch_delay,
                                                    sabotage.seen_by_agent))),
      agent_(view_.get(), &timeline_),
      calls_(std::make_unique<LossyCalls>(this)),
      broken_(sabotage.extender ? sabotage.extender(calls_.get()) : nullptr) {
  scene_.Listen([this](const Pod* before, const Pod* after) { OnPod(before, after); });
  PlanArrivals();
}

Simulation::~Simulation() = default;

void Simulation::AddNodes() {
  for (size_t i = 0; i < conditions_.nodes.size(); ++i) {
    scene_.AddNode(fmt::format("n{}", i), conditions_.nodes[i], i % 2 == 0 ? "a" : "b");
  }
}

milliseconds Simulation::Within(milliseconds longest) {
  return milliseconds(Pick(0, longest.count()));
}

ScenePod Simulation::RandomPod(size_t index) {
  ScenePod made;
  made.pod = testing::MakePod(fmt::format("p{:02}", index))
                 .Label("groupPriority", std::to_string(Pick(0, 2)));
  made.pod.priority = static_cast<int32_t>(Pick(0, 2) * 100);
  made.pod.qos_class =
      std::array{"Guaranteed", "Burstable", "BestEffort"}.at(static_cast<size_t>(Pick(0, 2)));
  if (conditions_.has_critical && Chance(0.1)) made.pod.priority = 2'000'000'000;
  if (conditions_.sizes_differ) made.slots = Pick(1, 2);
  if (conditions_.zones_differ && Chance(0.5)) made.zone = Chance(0.5) ? "a" : "b";
  if (conditions_.has_giant && index == 0) made.slots = 99;
  return made;
}

void Simulation::PlanArrivals() {
  for (size_t i = 0; i < conditions_.pods; ++i) {
    ScenePod pod = RandomPod(i);
    const std::string name = pod.pod.name;
    const milliseconds at = Within(conditions_.arrivals);
    ++to_come_;
    timeline_.After(at, [this, pod = std::move(pod)] {
      --to_come_;
      scene_.Create(pod);
    });
    if (!Chance(conditions_.deaths)) continue;
    timeline_.After(at + Within(milliseconds(5'000)), [this, name] {
      const ScenePod* const pod = scene_.Find(name);
      if (pod != nullptr && pod->IsPending()) scene_.Delete(name);
    });
  }
}

void Simulation::PlanRestarts() {
  for (int i = 0; i < conditions_.restarts; ++i) {
    const milliseconds at = Within(conditions_.arrivals + milliseconds(5'000));
    timeline_.After(at, [this] { agent_.Stop(); });
    timeline_.After(at + Within(milliseconds(500)), [this] {
      agent_.Stop();
      agent_.Start();
    });
  }
}

// A pod that is bound runs for a while.
void Simulation::OnPod(const Pod* before, const Pod* after) {
  last_change_ = timeline_.now();
  if (after == nullptr || after->node_name.empty() || !before->node_name.empty()) return;
  ++bound_;
  timeline_.After(milliseconds(50) + Within(conditions_.longest_run),
                  [this, name = after->name] { scene_.Delete(name); });
}

void Simulation::Look() {
  judge_.Look();
  const bool is_idle = to_come_ == 0 && Waiting().empty() &&
                       timeline_.now() - last_change_ > conditions_.watch_delay + kQuiet;
  is_over_ = is_idle || timeline_.now() - Time() > std::chrono::hours(1) + kEnd;
  if (!is_over_) timeline_.After(kLookEvery, [this] { Look(); });
}

// The scheduler starts once the agent has seen what is there.
void Simulation::Run() {
  agent_.Start();
  PlanRestarts();
  scheduler_ = std::make_unique<SchedulerStandIn>(
      &scene_, &timeline_, broken_ != nullptr ? broken_.get() : calls_.get(), conditions_.scheduler,
      SchedulerStandIn::Hooks{
          .let_through = [this](const auto& pod,
                                const auto& node) { judge_.OnLetThrough(pod, node); },
          .evicts = [this](const auto& pod, const auto& node,
                           const auto& victims) { judge_.OnEviction(pod, node, victims); }},
      conditions_.seed);
  scheduler_->Pause(conditions_.watch_delay + Judge::kKnown);
  Look();
  while (!is_over_ && !timeline_.empty()) {
    const auto step = agent_.NextStep();
    if (!step || *step > timeline_.next()) {
      timeline_.RunNext();
      continue;
    }
    timeline_.Pass(*step);
    agent_.Step();
  }
}

std::vector<std::string> Simulation::Waiting() const {
  std::vector<std::string> names;
  for (const auto& entry : scene_.pods()) {
    const ScenePod& pod = entry.second;
    const bool could_run = std::any_of(
        scene_.nodes().begin(), scene_.nodes().end(),
        [&](const SceneNode& node) { return Scene::MayUse(pod, node) && node.slots >= pod.slots; });
    if (pod.pod.node_name.empty() && could_run) names.push_back(entry.first);
  }
  return names;
}

std::vector<std::string> Simulation::Nominated() const {
  std::vector<std::string> names;
  for (const auto& [name, pod] : scene_.pods()) {
    if (pod.pod.node_name.empty() && !pod.pod.nominated_node_name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace outrigger::sim
