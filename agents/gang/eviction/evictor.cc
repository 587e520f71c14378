#include "eviction/evictor.h"

#include <algorithm>
#include <utility>

namespace outrigger::gang {
namespace {

// Searches take a tenth of a core at most.
constexpr int kShare = 10;

}  // namespace

Evictor::Evictor(ClusterWriter* cluster, EvictionReports* reports, EvictorOptions options)
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
  if (phase_ == Phase::kEvicting) {
    // The thread ends it: of calls that are under way nobody knows yet whom they evict.
    not_needed_ |= served;
    wake_.notify_all();
    return;
  }
  // Late: also if not in charge for long, when what was found may be true no more.
  if (served || options_.now() >= deadline_) {
    next_look_ = options_.now();  // this plan still keeps the places
    return End(served);
  }
  if (spared_) {
    next_look_ = options_.now();
    return GiveUp(absl::UnavailableError("for a moment it seemed to fit without them"));
  }
  next_look_ = deadline_;
  if (phase_ != Phase::kPromised) return;
  AddLateMembers(board);
  phase_ = Phase::kEvicting;
  wake_.notify_all();
}

// Members that were bound while the search went on: from this plan on no more are.
void Evictor::AddLateMembers(const Board& board) {
  for (plan::Victim& victim : victims_) {
    if (victim.key.dialect == plan::Dialect::kNone) continue;
    for (const BoundMember& member : board.BoundOf(victim.key)) {
      if (!leaving_.insert(member.uid).second) continue;
      victim_of_[member.uid] = victim.key;
      victim.pods.push_back(member.pod);
    }
  }
}

void Evictor::Choose(const ClusterView& view, std::span<const plan::Unit> units,
                     const plan::PlanOptions& options, const Board& board) {
  const Time now = options_.now();
  const auto waits = [&](size_t i) { return !board.units()[i].fits; };
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
    const std::lock_guard<std::mutex> lock(mutex_);
    const Time now = options_.now();
    order_.Fail(unit, now);
    rests_until_ = now + kShare * (now - began);
    phase_ = Phase::kIdle;
  }
  // Perhaps there is another unit.
  if (options_.changed) options_.changed();
}

void Evictor::End(bool served) {
  reports_->OnPromiseEnd(promise_->unit, served, evicted_);
  if (!served) order_.Expire(promise_->unit, options_.now());
  Forget();
}

// It is no fault of the unit: there is not the longest wait for the next search.
void Evictor::GiveUp(const absl::Status& why) {
  reports_->OnGivenUp(promise_->unit, evicted_, why);
  order_.Fail(promise_->unit, options_.now());
  Forget();
}

void Evictor::Forget() {
  promise_.reset();
  victims_.clear();
  leaving_.clear();
  victim_of_.clear();
  begun_.clear();
  evicted_ = not_needed_ = spared_ = false;
  phase_ = Phase::kIdle;
  wake_.notify_all();
}

}  // namespace outrigger::gang
