#include "eviction/evictor.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

// Searches take a tenth of a core at most.
constexpr int kShare = 10;
constexpr std::string_view kNotNominated =
    "kube-scheduler does not keep its nominations, so other pods could take its nodes; with the "
    "gate outrigger.dev/queue its members keep them";

constexpr seconds kEvictTimeout{5};
// So many sets are looked at in a row of which a pod may not be evicted.
constexpr int kMostSets = 8;
// For so long it is waited until a unit is nominated for what was promised.
constexpr seconds kNominatedWithin{10};
// An answer other than a budget's that is repeated so often stands.
constexpr int kRefusedForGood = 3;

int64_t SystemSeconds() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

PodId IdOf(const Pod& pod) {
  return {pod.namespace_, pod.name, pod.uid};
}

}  // namespace

Evictor::Evictor(ClusterWriter* cluster, EvictionReports* reports, EvictorOptions options)
    : cluster_(cluster),
      reports_(reports),
      options_(std::move(options)),
      whole_(cluster, reports, options_.may_write) {}

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

void Evictor::Prepare(plan::GroupOptions* groups, plan::PlanOptions* plan) {
  const MutexLock lock(mutex_);
  schedulers_ = groups->scheduler_names;
  groups->leaving = leaving_;
  plan->promise = promise_;
}

std::optional<Time> Evictor::next_look() const {
  const MutexLock lock(mutex_);
  return next_look_;
}

std::string Evictor::WhyNobody(const plan::UnitKey& unit) const {
  const MutexLock lock(mutex_);
  const auto found = why_nobody_.find(unit);
  return found == why_nobody_.end() ? "" : found->second;
}

void Evictor::OnPlan(const ClusterView& view, std::span<const plan::Unit> units,
                     const plan::PlanOptions& options, const Board& board, bool asks_about_all) {
  if (!options_.enabled) return;
  const MutexLock lock(mutex_);
  next_look_.reset();
  if (phase_ == Phase::kIdle) {
    // With a promise that has ended meanwhile: another plan is on its way.
    if (!options.promise) Choose(view, units, options, board);
    return;
  }
  // Else it was planned before there was one.
  if (promise_ && options.promise) Follow(board, asks_about_all);
}

bool Evictor::IsBound(const Board& board, const BoardUnit* unit) const {
  const plan::Unit& wanted = outcome_->unit;
  if (wanted.key.dialect == plan::Dialect::kNone) return outcome_->fitted && unit == nullptr;
  const plan::GroupState* const group = board.FindGroupOf(wanted.key);
  return group != nullptr && !group->broken &&
         group->bound >= std::max(wanted.minimum, wanted.bound + 1);
}

// Whether kube-scheduler keeps what was promised. A single pod is not nominated ahead.
bool Evictor::IsNominated(const Board& board) const {
  if (promise_->unit.dialect == plan::Dialect::kNone) return true;
  return std::all_of(promise_->nodes.begin(), promise_->nodes.end(), [&](const auto& promised) {
    const BoardPod* const seat = board.Find(promised.first);
    return seat == nullptr ||
           (!seat->kept_node.empty() && seat->pod->nominated_node_name == seat->kept_node);
  });
}

void Evictor::Follow(const Board& board, bool asks_about_all) {
  const auto found = std::find_if(board.units().begin(), board.units().end(),
                                  [&](const auto& other) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                                    return other.key == promise_->unit;
                                  });
  const BoardUnit* const unit = found == board.units().end() ? nullptr : &*found;
  const bool has_places = unit != nullptr && unit->fits;
  if (phase_ == Phase::kEvicting) {
    // The thread ends it: of calls that are under way nobody knows yet whom they evict.
    if (has_places || unit == nullptr) SpareUnbegun();
    wake_.notify_all();
    return;
  }
  const Time now = options_.now();
  if (!may_be_evicted_ && (has_places || unit == nullptr)) return End(RoundEnd::kEnded);
  if (IsBound(board, unit)) return End(RoundEnd::kServed);
  Outcome& outcome = *outcome_;
  if (has_places) {
    if (!std::exchange(outcome.fitted, true))
      deadline_ = std::max(deadline_, now + options_.patience);
    outcome.short_since.reset();
  } else if (!outcome.short_since && (outcome.fitted || unit == nullptr)) {
    outcome.short_since = now;
  }
  const Time lost = outcome.short_since ? *outcome.short_since + options_.lost_after : Time::max();
  if (now >= lost && unit == nullptr) return End(RoundEnd::kEnded);
  if (now >= lost) return End(RoundEnd::kLost, "other pods took the nodes");
  // Late: also if not in charge for long, when what was found may be true no more.
  if (now >= deadline_) {
    return End(RoundEnd::kExpired,
               has_places ? "it has nodes but was not bound in time" : "it did not fit in time");
  }
  if (spared_ && !has_places) {
    return End(GivenUp(), outcome.hopeless.empty()
                              ? "it seemed to fit for a moment without evictions"
                              : outcome.hopeless);
  }
  next_look_ = std::min(deadline_, lost);
  if (phase_ != Phase::kPromised) return;
  if (asks_about_all || IsNominated(board)) return Begin(board);
  if (now >= outcome.nominated_by) {
    TellNobody(outcome.unit, std::string(kNotNominated));
    return End(RoundEnd::kGivenUp, kNotNominated);
  }
  next_look_ = outcome.nominated_by;
}

// A gang of which a pod was evicted goes whole all the same.
void Evictor::SpareUnbegun() {
  not_needed_ = true;
  whole_.Spare([](const plan::UnitKey& /*victim*/) { return true; });
}

void Evictor::Begin(const Board& board) {
  AddLateMembers(board);
  why_nobody_.erase(promise_->unit);
  phase_ = Phase::kEvicting;
  wake_.notify_all();
}

// Members that were bound while the search went on: from this plan on no more are.
void Evictor::AddLateMembers(const Board& board) {
  for (plan::Victim& victim : victims_) {
    if (victim.key.dialect == plan::Dialect::kNone) continue;
    for (const BoundMember& member : board.BoundOf(victim.key)) {
      if (!leaving_.insert(member.uid).second) continue;
      victim.pods.push_back(member.pod);
    }
  }
}

void Evictor::Choose(const ClusterView& view, std::span<const plan::Unit> units,
                     const plan::PlanOptions& options, const Board& board) {
  const Time now = options_.now();
  const auto waits = [&](size_t i) { return !board.units()[i].fits; };
  std::erase_if(why_nobody_, [&](const auto& why) {
    const BoardUnit* const unit = board.FindUnit(why.first);
    return unit == nullptr || unit->fits;
  });
  const std::optional<size_t> chosen = order_.Choose(units, waits, now);
  next_look_ = order_.next_due();
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

void Evictor::Fail(const plan::UnitKey& unit, Time began) {
  {
    const MutexLock lock(mutex_);
    const Time now = options_.now();
    order_.Fail(unit, now);
    rests_until_ = now + kShare * (now - began);
    phase_ = Phase::kIdle;
  }
  // Perhaps there is another unit.
  if (options_.changed) options_.changed();
}

void Evictor::End(RoundEnd end, std::string_view why) {
  const plan::UnitKey& unit = promise_->unit;
  const Time now = options_.now();
  std::chrono::seconds pause{0};
  if (end == RoundEnd::kServed) order_.Forget(unit);
  if (end == RoundEnd::kGivenUp) order_.Fail(unit, now);
  if (end == RoundEnd::kLost || end == RoundEnd::kExpired) pause = order_.Expire(unit, now);
  reports_->OnRoundEnd(outcome_->unit, end, outcome_->evicted, why, pause);
  next_look_ = now;  // this plan still keeps the places
  Forget();
}

void Evictor::TellNobody(const plan::Unit& unit, const std::string& why) {
  const std::string before = std::exchange(why_nobody_[unit.key], why);
  if (!why.empty() && why != before) reports_->OnNobody(unit, why);
}

void Evictor::Forget() {
  promise_.reset();
  outcome_.reset();
  victims_.clear();
  leaving_.clear();
  whole_.Clear();
  may_be_evicted_ = not_needed_ = spared_ = false;
  phase_ = Phase::kIdle;
  wake_.notify_all();
}

void Evictor::Run(const std::stop_token& stop) {
  while (true) {
    std::optional<Job> job;
    {
      MutexLock lock(mutex_);
      if (!wake_.wait(lock, stop,
                      [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return job_.has_value(); }))
        return;
      job = std::exchange(job_, std::nullopt);
    }
    Work(*job, stop);
  }
}

void Evictor::Work(const Job& job, const std::stop_token& stop) {
  const Time began = options_.now();
  const plan::Unit& unit = job.units.back();
  for (int sets = 0; sets < kMostSets; ++sets) {
    const std::optional<plan::Preemption> found = Search(job, stop);
    if (!found) break;
    absl::Status may = MayEvictAll(unit, found->victims, stop);
    const bool left_out = AnswerOf(may) >= Answer::kBudget;
    if (may.ok() && options_.may_act) may = options_.may_act();
    if (may.ok()) {
      if (Settle(job, *found, stop)) EvictVictims(unit, stop);
      return;
    }
    reports_->OnProtected(unit, may);
    if (!left_out) break;
  }
  Fail(unit.key, began);
}

std::optional<plan::Preemption> Evictor::Search(const Job& job, const std::stop_token& stop) {
  const plan::Unit& unit = job.units.back();
  plan::PreemptionOptions options;
  options.now = options_.wall_clock ? options_.wall_clock() : SystemSeconds();
  options.min_run_time = options_.min_run_time.count();
  options.budgets = job.view.objects->budgets;
  options.most_plans = options_.most_plans;
  options.stop = stop;
  {
    const MutexLock lock(mutex_);
    options.scheduler_names = schedulers_;
    options.refused = refusals_.Of(options_.now());
  }
  plan::Preemption found = FindPreemption(&planner_, job.view.snapshot, job.units,
                                          job.units.size() - 1, job.groups, job.options, options);
  if (found.answer != plan::Preemption::Answer::kVictims) {
    const MutexLock lock(mutex_);
    TellNobody(unit, found.protected_pods);
    return std::nullopt;
  }
  const auto is_single = [](const plan::Victim& victim) {
    return victim.key.dialect == plan::Dialect::kNone;
  };
  const bool left_to_scheduler = unit.key.dialect == plan::Dialect::kNone &&
                                 std::all_of(found.victims.begin(), found.victims.end(), is_single);
  if (left_to_scheduler) return std::nullopt;
  return found;
}

// Asks about all of them, so that the next search knows each that stays.
absl::Status Evictor::MayEvictAll(const plan::Unit& unit, const std::vector<plan::Victim>& victims,
                                  const std::stop_token& stop) {
  std::map<Answer, std::pair<absl::Status, std::vector<PodPtr>>> stay;
  for (const plan::Victim& victim : victims) {
    for (const PodPtr& pod : victim.pods) {
      absl::Status may = cluster_->MayEvict(IdOf(*pod), {.timeout = kEvictTimeout, .stop = stop});
      if (may.ok()) continue;
      const Answer answer = AnswerOf(may);
      if (answer < Answer::kBudget) return may;
      auto& [first, pods] = stay[answer];
      if (pods.empty()) first = may;
      pods.push_back(pod);
    }
  }
  const MutexLock lock(mutex_);
  for (const auto& [answer, of] : stay) LeaveOut(unit, of.second, of.first);
  return stay.empty() ? absl::OkStatus() : stay.rbegin()->second.first;
}

// What may be over in a moment is not reported.
void Evictor::LeaveOut(const plan::Unit& unit, const std::vector<PodPtr>& pods,
                       const absl::Status& answer) {
  seconds wait{0};
  for (const PodPtr& pod : pods) wait = refusals_.Add(pod->uid, answer, options_.now());
  if (wait >= Refusals::kFirstWait) reports_->OnLeftOut(unit, pods, answer, wait);
}

// Waits for a plan that knows of it: until then a gang that is to go might get one more member.
bool Evictor::Settle(const Job& job, const plan::Preemption& found, const std::stop_token& stop) {
  const plan::Unit& unit = job.units.back();
  {
    const MutexLock lock(mutex_);
    promise_ = plan::Promise{unit.key, {}};
    for (size_t i = 0; i < unit.members.size(); ++i) {
      if (!found.nodes[i].empty()) promise_->nodes[unit.members[i].pod->uid] = found.nodes[i];
    }
    outcome_ = Outcome{.unit = unit, .nominated_by = options_.now() + kNominatedWithin};
    victims_ = found.victims;
    for (const plan::Victim& victim : victims_) {
      for (const PodPtr& pod : victim.pods) leaving_.insert(pod->uid);
    }
    deadline_ = options_.now() + options_.patience;
    phase_ = Phase::kPromised;
  }
  if (options_.changed) options_.changed();
  MutexLock lock(mutex_);
  wake_.wait(lock, stop,
             [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return phase_ != Phase::kPromised; });
  return phase_ == Phase::kEvicting && !stop.stop_requested();
}

// Until the deadline. A gang that is cut by then goes whole, which may take as long again.
void Evictor::EvictVictims(const plan::Unit& unit, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const std::vector<plan::Victim> victims = victims_;
  const Time deadline = deadline_;
  std::vector<plan::Victim> left = victims;
  whole_.Begin(victims);
  if (not_needed_) SpareUnbegun();
  bool told = false;
  while (phase_ == Phase::kEvicting) {
    const bool served = not_needed_;
    const bool hopeless = !outcome_->hopeless.empty();
    if (hopeless || options_.now() >= deadline) SpareUnbegun();
    const bool spares = not_needed_;
    const bool spared = spares && Spare(served     ? "it no longer needs nodes of"
                                        : hopeless ? "it cannot get all it needs besides"
                                                   : "time ran out for",
                                        &left);
    if (victims_.empty()) {
      EndUnbegun(served);
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
    if (may.ok()) {
      whole_.Evict(&left, stop, [&](const plan::UnitKey&, const Pod& pod, const auto& status) {
        OnAnswer(unit, pod, status);
      });
    }
    lock.lock();
    if (!may.ok() && (!may_be_evicted_ || absl::IsFailedPrecondition(may))) {
      End(RoundEnd::kGivenUp, std::string(may.message()));
    } else if (!left.empty()) {
      wake_.wait_for(lock, stop, options_.between_rounds,
                     [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return not_needed_ != spares; });
    }
  }
  lock.unlock();
  if (options_.changed) options_.changed();
}

void Evictor::OnAnswer(const plan::Unit& unit, const Pod& pod, const absl::Status& status) {
  if (status.ok()) reports_->OnPreempted(unit, pod);
  const MutexLock lock(mutex_);
  const Answer answer = AnswerOf(status);
  // Once a pod was evicted there is patience with what may be over in a moment.
  const bool counts = answer == Answer::kFails && !may_be_evicted_;
  if (counts || answer == Answer::kRefused) CountRefusal(pod, status);
  if (!MayBeEvicted(answer)) return;
  may_be_evicted_ = true;
  if (status.ok()) ++outcome_->evicted;
}

void Evictor::EndUnbegun(bool served) {
  if (served) return End(RoundEnd::kEnded);
  if (!outcome_->hopeless.empty()) return End(GivenUp(), outcome_->hopeless);
  End(RoundEnd::kExpired, "no pod could be evicted in time");
}

void Evictor::CountRefusal(const Pod& pod, const absl::Status& answer) {
  if (++outcome_->refusals[pod.uid] != kRefusedForGood) return;
  LeaveOut(outcome_->unit, {std::make_shared<Pod>(pod)}, answer);
  outcome_->hopeless =
      fmt::format("pod {}/{} is not evicted: {}", pod.namespace_, pod.name, AnswerIn(answer));
}

// Victims whose eviction has not begun stay; true if there are any.
bool Evictor::Spare(std::string_view why, std::vector<plan::Victim>* left) {
  std::set<plan::UnitKey> stay;
  for (const plan::Victim& victim : *left) {
    if (!whole_.HasBegun(victim.key)) stay.insert(victim.key);
  }
  const auto goes = [&](const plan::Victim& victim) { return !stay.contains(victim.key); };
  std::erase_if(*left, std::not_fn(goes));
  const auto spared = std::stable_partition(victims_.begin(), victims_.end(), goes);
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
