#include "evictor.h"

#include <algorithm>
#include <utility>

#include "evictions.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

constexpr seconds kEvictTimeout{5};
// A budget that has been spent meanwhile may recover.
constexpr seconds kEvictAgain{1};
// A unit for which nothing was found is looked at again after so long, and twice as long each time.
constexpr seconds kFirstWait{5};
constexpr seconds kLongestWait{300};
// Searches take a tenth of a core at most.
constexpr int kShare = 10;

bool IsSingle(const plan::UnitKey& key) {
  return key.dialect == plan::Dialect::kNone;
}

int64_t SystemSeconds() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

PodId IdOf(const Pod& pod) {
  return {pod.namespace_, pod.name, pod.uid};
}

}  // namespace

Evictor::Evictor(ClusterAccess* cluster, EvictionReports* reports, EvictorOptions options)
    : cluster_(cluster), reports_(reports), options_(std::move(options)) {}

Evictor::~Evictor() {
  Stop();
}

void Evictor::Start() {
  if (!options_.enabled) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Evictor::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Evictor::Prepare(plan::GroupOptions* groups, plan::PlanOptions* plan) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  groups->leaving = leaving_;
  plan->promise = promise_;
}

std::optional<Time> Evictor::next_look() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_look_;
}

void Evictor::OnPlan(const ClusterView& view, std::span<const plan::Unit> units,
                     const plan::PlanOptions& options, const Board& board) {
  if (!options_.enabled) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  next_look_.reset();
  if (phase_ == Phase::kIdle) {
    // With a promise that has ended meanwhile: another plan is on its way.
    if (!options.promise) Choose(view, units, options, board);
    return;
  }
  if (!promise_ || !options.promise) return;  // planned before there was one
  const auto unit =
      std::find_if(board.units().begin(), board.units().end(),
                   [&](const BoardUnit& other) { return other.key == promise_->unit; });
  const bool served = unit == board.units().end() || unit->fits;
  if (phase_ == Phase::kEvicting && options_.now() < deadline_) {
    // The thread ends it: of calls that are under way nobody knows yet whom they evict.
    next_look_ = deadline_;
    not_needed_ |= served;
    wake_.notify_all();
    return;
  }
  // Late: also if not in charge for long, when what was found may be true no more.
  if (served || options_.now() >= deadline_) {
    next_look_ = options_.now();  // this plan still keeps the places
    return End(served);
  }
  next_look_ = deadline_;
  if (phase_ != Phase::kPromised) return;
  AddLateMembers(board);
  phase_ = Phase::kEvicting;
  wake_.notify_all();
}

// Members that were bound while the search went on: from this plan on no more are.
void Evictor::AddLateMembers(const Board& board) {
  for (plan::Tenant& tenant : victims_) {
    if (IsSingle(tenant.key)) continue;
    for (const BoundMember& member : board.BoundOf(tenant.key)) {
      if (!leaving_.insert(member.uid).second) continue;
      tenant_of_[member.uid] = tenant.key;
      tenant.pods.push_back(member.pod);
    }
  }
}

bool Evictor::IsDue(const plan::UnitKey& unit, Time now) {
  const auto found = tried_.find(unit);
  if (found == tried_.end()) return true;
  found->second.seen = true;
  if (found->second.until <= now) return true;
  if (!next_look_ || found->second.until < *next_look_) next_look_ = found->second.until;
  return false;
}

void Evictor::Choose(const ClusterView& view, std::span<const plan::Unit> units,
                     const plan::PlanOptions& options, const Board& board) {
  const Time now = options_.now();
  for (auto& [key, tried] : tried_) tried.seen = false;
  std::optional<size_t> chosen;
  for (size_t i = 0; i < units.size(); ++i) {
    if (board.units()[i].fits || !IsDue(units[i].key, now)) continue;
    if (!chosen) chosen = i;
  }
  std::erase_if(tried_, [](const auto& entry) { return !entry.second.seen; });
  if (!chosen) return;
  if (now < rests_until_) {
    next_look_ = rests_until_;
    return;
  }
  job_ = Job{.view = view,
             .units = {units.begin(), units.begin() + static_cast<std::ptrdiff_t>(*chosen) + 1},
             .groups = board.groups(),
             .options = options};
  phase_ = Phase::kSearching;
  wake_.notify_all();
}

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
  const std::optional<plan::Preemption> found = Search(job);
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

std::optional<plan::Preemption> Evictor::Search(const Job& job) {
  plan::PreemptionOptions options;
  options.now = options_.wall_clock ? options_.wall_clock() : SystemSeconds();
  options.min_run_time = options_.min_run_time.count();
  options.budgets = job.view.objects->budgets;
  options.most_plans = options_.most_plans;
  plan::Preemption found = FindPreemption(&planner_, job.view.snapshot, job.units,
                                          job.units.size() - 1, job.groups, job.options, options);
  if (found.answer != plan::Preemption::Answer::kVictims) return std::nullopt;
  const auto is_single = [](const plan::Tenant& tenant) { return IsSingle(tenant.key); };
  const bool left_to_scheduler = IsSingle(job.units.back().key) &&
                                 std::all_of(found.victims.begin(), found.victims.end(), is_single);
  if (left_to_scheduler) return std::nullopt;
  return found;
}

absl::Status Evictor::MayEvictAll(const std::vector<plan::Tenant>& victims,
                                  const std::stop_token& stop) {
  for (const plan::Tenant& tenant : victims) {
    for (const PodPtr& pod : tenant.pods) {
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
    for (const plan::Tenant& tenant : victims_) {
      for (const PodPtr& pod : tenant.pods) {
        leaving_.insert(pod->uid);
        tenant_of_[pod->uid] = tenant.key;
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

// A plan may end the promise whenever there is no lock; this thread alone makes another one.
void Evictor::EvictVictims(const plan::Unit& unit, const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::vector<plan::Tenant> victims = victims_;
  const Time deadline = deadline_;
  std::vector<PodPtr> left;
  for (const plan::Tenant& tenant : victims) {
    left.insert(left.end(), tenant.pods.begin(), tenant.pods.end());
  }
  bool told = false;
  while (true) {
    const bool spared = not_needed_;
    if (spared) Spare(&left);
    if (phase_ != Phase::kEvicting || left.empty() || stop.stop_requested() ||
        options_.now() >= deadline) {
      break;
    }
    lock.unlock();
    const absl::Status may = options_.may_act ? options_.may_act() : absl::OkStatus();
    if (may.ok() && !std::exchange(told, true)) reports_->OnPreempting(unit, victims);
    if (may.ok()) EvictRound(&left, stop);
    lock.lock();
    if (phase_ != Phase::kEvicting) break;
    if (!may.ok() && (begun_.empty() || absl::IsFailedPrecondition(may))) {
      GiveUp(may);
    } else if (!left.empty()) {
      wake_.wait_for(lock, stop, kEvictAgain,
                     [&] { return phase_ != Phase::kEvicting || not_needed_ != spared; });
    }
  }
  if (phase_ == Phase::kEvicting) phase_ = Phase::kWaiting;
  lock.unlock();
  if (options_.changed) options_.changed();
}

void Evictor::EvictRound(std::vector<PodPtr>* left, const std::stop_token& stop) {
  EvictionHooks hooks;
  hooks.wanted = [this](const Pod& pod) { return IsWanted(pod); };
  hooks.evicted = [this](const Pod& pod) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tenant_of_.find(pod.uid);
    if (found != tenant_of_.end()) begun_.insert(found->second);
  };
  EvictAll(cluster_, reports_, left, stop, hooks);
}

// A gang of which somebody was evicted goes whole: what is left of it would be bound in part, and
// come before all others.
bool Evictor::IsWanted(const Pod& pod) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (phase_ != Phase::kEvicting) return false;
  const auto found = tenant_of_.find(pod.uid);
  return !not_needed_ || (found != tenant_of_.end() && begun_.contains(found->second));
}

// Those of whom nobody was evicted stay.
void Evictor::Spare(std::vector<PodPtr>* left) {
  const auto stays = [&](const PodPtr& pod) { return !begun_.contains(tenant_of_.at(pod->uid)); };
  std::erase_if(*left, stays);
  for (const plan::Tenant& tenant : victims_) {
    if (begun_.contains(tenant.key)) continue;
    for (const PodPtr& pod : tenant.pods) leaving_.erase(pod->uid);
  }
  std::erase_if(victims_, [&](const plan::Tenant& tenant) { return !begun_.contains(tenant.key); });
  if (victims_.empty() && phase_ == Phase::kEvicting) End(/*served=*/true);
}

void Evictor::Fail(const plan::UnitKey& unit, Time began) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    WaitLonger(unit);
    const Time now = options_.now();
    rests_until_ = now + kShare * (now - began);
    phase_ = Phase::kIdle;
  }
  // Perhaps there is another unit.
  if (options_.changed) options_.changed();
}

void Evictor::WaitLonger(const plan::UnitKey& unit) {
  Tried& tried = tried_[unit];
  tried.wait = std::clamp(2 * tried.wait, kFirstWait, kLongestWait);
  tried.until = options_.now() + tried.wait;
}

void Evictor::End(bool served) {
  reports_->OnPromiseEnd(promise_->unit, served);
  if (!served) tried_[promise_->unit] = {options_.now() + kLongestWait, kLongestWait, true};
  Forget();
}

// It is no fault of the unit: there is not the longest wait for the next search.
void Evictor::GiveUp(const absl::Status& why) {
  reports_->OnGivenUp(promise_->unit, why);
  WaitLonger(promise_->unit);
  Forget();
}

void Evictor::Forget() {
  promise_.reset();
  victims_.clear();
  leaving_.clear();
  tenant_of_.clear();
  begun_.clear();
  not_needed_ = false;
  phase_ = Phase::kIdle;
  wake_.notify_all();
}

}  // namespace outrigger::gang
