// What the evictor's own thread does: it searches, asks whether all may go, and evicts.
#include <algorithm>
#include <utility>

#include "eviction/evictions.h"
#include "eviction/evictor.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

constexpr seconds kEvictTimeout{5};

int64_t SystemSeconds() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

PodId IdOf(const Pod& pod) {
  return {pod.namespace_, pod.name, pod.uid};
}

}  // namespace

void Evictor::Run(const std::stop_token& stop) {
  while (true) {
    std::optional<Job> job;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return job_.has_value(); })) return;
      job = std::exchange(job_, std::nullopt);
    }
    Work(*job, stop);
  }
}

void Evictor::Work(const Job& job, const std::stop_token& stop) {
  const Time began = options_.now();
  const plan::Unit& unit = job.units.back();
  const std::optional<plan::Preemption> found = Search(job, stop);
  if (!found) return Fail(unit.key, began);
  absl::Status may = MayEvictAll(found->victims, stop);
  if (may.ok() && options_.may_act) may = options_.may_act();
  if (!may.ok()) {
    reports_->OnProtected(unit, may);
    return Fail(unit.key, began);
  }
  if (!Settle(job, *found, stop)) return;
  EvictVictims(unit, stop);
}

std::optional<plan::Preemption> Evictor::Search(const Job& job, const std::stop_token& stop) {
  plan::PreemptionOptions options;
  options.now = options_.wall_clock ? options_.wall_clock() : SystemSeconds();
  options.min_run_time = options_.min_run_time.count();
  options.budgets = job.view.objects->budgets;
  options.most_plans = options_.most_plans;
  options.stop = stop;
  plan::Preemption found = FindPreemption(&planner_, job.view.snapshot, job.units,
                                          job.units.size() - 1, job.groups, job.options, options);
  if (found.answer != plan::Preemption::Answer::kVictims) return std::nullopt;
  const auto is_single = [](const plan::Victim& victim) {
    return victim.key.dialect == plan::Dialect::kNone;
  };
  const bool left_to_scheduler = job.units.back().key.dialect == plan::Dialect::kNone &&
                                 std::all_of(found.victims.begin(), found.victims.end(), is_single);
  if (left_to_scheduler) return std::nullopt;
  return found;
}

absl::Status Evictor::MayEvictAll(const std::vector<plan::Victim>& victims,
                                  const std::stop_token& stop) {
  for (const plan::Victim& victim : victims) {
    for (const PodPtr& pod : victim.pods) {
      absl::Status may = cluster_->MayEvict(IdOf(*pod), {.timeout = kEvictTimeout, .stop = stop});
      if (!may.ok()) return may;
    }
  }
  return absl::OkStatus();
}

// Waits for a plan that knows of it: until then a gang that is to go might get one more member.
bool Evictor::Settle(const Job& job, const plan::Preemption& found, const std::stop_token& stop) {
  const plan::Unit& unit = job.units.back();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    promise_ = plan::Promise{unit.key, {}};
    for (size_t i = 0; i < unit.members.size(); ++i) {
      if (!found.nodes[i].empty()) promise_->nodes[unit.members[i].pod->uid] = found.nodes[i];
    }
    victims_ = found.victims;
    for (const plan::Victim& victim : victims_) {
      for (const PodPtr& pod : victim.pods) {
        leaving_.insert(pod->uid);
        victim_of_[pod->uid] = victim.key;
      }
    }
    deadline_ = options_.now() + options_.patience;
    phase_ = Phase::kPromised;
  }
  if (options_.changed) options_.changed();
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait(lock, stop, [this] { return phase_ != Phase::kPromised; });
  return phase_ == Phase::kEvicting && !stop.stop_requested();
}

// Until the deadline. A gang that is cut by then goes whole, which may take as long again.
void Evictor::EvictVictims(const plan::Unit& unit, const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::vector<plan::Victim> victims = victims_;
  const Time deadline = deadline_;
  std::vector<PodPtr> left;
  for (const plan::Victim& victim : victims) {
    left.insert(left.end(), victim.pods.begin(), victim.pods.end());
  }
  bool told = false;
  while (phase_ == Phase::kEvicting) {
    const bool served = not_needed_;
    not_needed_ |= options_.now() >= deadline;
    const bool spares = not_needed_;
    const bool spared =
        spares && Spare(served ? "it needs no places of" : "the time is over for", &left);
    if (victims_.empty()) {
      End(served);
      break;
    }
    if (left.empty() || stop.stop_requested() || options_.now() >= deadline + options_.patience) {
      phase_ = Phase::kWaiting;
      break;
    }
    lock.unlock();
    if (spared && options_.changed) options_.changed();  // those who stay are going no more
    const absl::Status may = options_.may_act ? options_.may_act() : absl::OkStatus();
    if (may.ok() && !std::exchange(told, true)) reports_->OnPreempting(unit, victims);
    if (may.ok()) EvictRound(unit, &left, stop);
    lock.lock();
    if (!may.ok() && (!evicted_ || absl::IsFailedPrecondition(may))) {
      GiveUp(may);
    } else if (!left.empty()) {
      wake_.wait_for(lock, stop, options_.between_rounds, [&] { return not_needed_ != spares; });
    }
  }
  lock.unlock();
  if (options_.changed) options_.changed();
}

void Evictor::EvictRound(const plan::Unit& unit, std::vector<PodPtr>* left,
                         const std::stop_token& stop) {
  EvictionHooks hooks;
  hooks.may_write = options_.may_write;
  hooks.wanted = [this](const Pod& pod) { return IsWanted(pod); };
  hooks.answered = [&](const Pod& pod, const absl::Status& status) {
    if (status.ok()) reports_->OnPreempted(unit, pod);
    if (!MayBeEvicted(status)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    evicted_ = true;
    const plan::UnitKey& victim = victim_of_.at(pod.uid);
    // A single pod of which that is not known is no gang that is cut.
    if (status.ok() || victim.dialect != plan::Dialect::kNone) begun_.insert(victim);
  };
  EvictAll(cluster_, reports_, left, stop, hooks);
}

// A gang of which somebody was evicted goes whole: what is left of it would be bound in part, and
// come before all others.
bool Evictor::IsWanted(const Pod& pod) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !not_needed_ || begun_.contains(victim_of_.at(pod.uid));
}

// Those of whom nobody was evicted stay; whether there are any.
bool Evictor::Spare(std::string_view why, std::vector<PodPtr>* left) {
  std::set<plan::UnitKey> stay;
  for (const PodPtr& pod : *left) stay.insert(victim_of_.at(pod->uid));
  std::erase_if(stay, [&](const plan::UnitKey& victim) { return begun_.contains(victim); });
  std::erase_if(*left, [&](const PodPtr& pod) { return stay.contains(victim_of_.at(pod->uid)); });
  const auto spared =
      std::stable_partition(victims_.begin(), victims_.end(),
                            [&](const plan::Victim& victim) { return !stay.contains(victim.key); });
  if (spared == victims_.end()) return false;
  reports_->OnSpared(promise_->unit, why, {spared, victims_.end()});
  spared_ = true;
  for (auto victim = spared; victim != victims_.end(); ++victim) {
    for (const PodPtr& pod : victim->pods) leaving_.erase(pod->uid);
  }
  victims_.erase(spared, victims_.end());
  return true;
}

}  // namespace outrigger::gang
