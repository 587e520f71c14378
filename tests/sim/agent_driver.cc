#include "agent_driver.h"

#include <cstdlib>
#include <utility>

#include "agent_under_test.h"

namespace outrigger::qos {
AgentFactory MakeFactory();
}  // namespace outrigger::qos

namespace outrigger::sim {
namespace {

// From a change to the plan that has it: the rest of a burst is waited for.
constexpr milliseconds kSettle{5};

absl::Status Gone() {
  return absl::UnavailableError("connection refused");
}

}  // namespace

AgentDriver::AgentDriver(ClusterAccess* cluster, const Timeline* timeline)
    : cluster_(cluster), timeline_(timeline) {}

void AgentDriver::Stop() {
  if (agent_ != nullptr) dynamic_cast<Controller&>(*agent_).Stop();
  agent_.reset();
  desk_.reset();
  due_.reset();
}

void AgentDriver::Start() {
  static const AgentFactory factory = qos::MakeFactory();
  desk_ = shared_.GetOrMake<desk::Desk>([this] {
    const auto quiet = [](std::string_view) {};
    return std::make_shared<desk::Desk>(
        cluster_, quiet,
        desk::DeskDrive{.now = [this] { return timeline_->now(); }, .by_hand = true});
  });
  AgentDeps deps;
  deps.name = "qos";
  deps.log = deps.warn = [](std::string_view) {};
  deps.cluster = cluster_;
  deps.shared = &shared_;
  deps.given.insert("scheduler-lease");
  auto made = factory.make(deps, testing::SettingsFrom(factory, {{"scheduler-lease", "none"}}));
  if (!made.ok()) std::abort();
  agent_ = *std::move(made);
  if (!dynamic_cast<Controller&>(*agent_).Start().ok()) std::abort();
}

std::optional<Time> AgentDriver::NextStep() {
  if (agent_ == nullptr) return std::nullopt;
  if (due_) return due_;
  const auto next = desk_->NextStep();
  if (!next) return std::nullopt;
  const Time now = timeline_->now();
  if (*next > now) return next;
  return due_ = now + kSettle;
}

void AgentDriver::Step() {
  due_.reset();
  ++steps_;
  desk_->Step();
}

absl::Status AgentDriver::Filter(const Request& request, std::span<Verdict> verdicts) {
  if (agent_ == nullptr) return Gone();
  return dynamic_cast<Filterer&>(*agent_).Filter(request, verdicts);
}

absl::Status AgentDriver::Score(const Request& request, std::span<NodeScore> scores) {
  if (agent_ == nullptr) return Gone();
  auto* const scorer = dynamic_cast<Scorer*>(agent_.get());
  return scorer == nullptr ? absl::OkStatus() : scorer->Score(request, scores);
}

absl::Status AgentDriver::Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) {
  if (agent_ == nullptr) return Gone();
  return dynamic_cast<Preempter&>(*agent_).Preempt(request, chosen);
}

}  // namespace outrigger::sim
