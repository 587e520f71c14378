#include "queue_watch.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "queue_metrics.h"

namespace outrigger::qos {
namespace {

int64_t SystemSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// True if a unit before `late` had its place on the node at the last plan, and has none now.
bool LosesItsPlace(const desk::Board& before, const desk::Board& now, const std::string& node,
                   const plan::Rank& late) {
  const desk::ReservedNode* const reserved = before.ReservationsOn(node);
  if (reserved == nullptr) return false;
  return std::any_of(reserved->reservations.begin(), reserved->reservations.end(),
                     [&](const auto& reservation) {
                       if (!(before.units()[reservation.unit].rank < late)) return false;
                       const desk::BoardPod* const seat = now.Find(reservation.uid);
                       return seat != nullptr && seat->node.empty();
                     });
}

}  // namespace

QueueWatch::QueueWatch(AgentMetrics* metrics, Log log, std::function<bool()> is_alone,
                       UnixTime unix_time)
    : metrics_(metrics),
      log_(std::move(log)),
      is_alone_(std::move(is_alone)),
      unix_time_(unix_time ? std::move(unix_time) : SystemSeconds) {}

void QueueWatch::OnActing(const absl::Status& acting) {
  if (acting == acting_) return;
  acting_ = acting;
  if (!acting.ok()) before_ = nullptr;
  if (!is_alone_()) return;
  log_(acting.ok() ? "in charge: a scheduler of this host holds the Lease"
                   : std::string(acting.message()));
}

void QueueWatch::OnPlan(const desk::Round& round) {
  const desk::Board& board = *round.board;
  metrics_->Set(metric::kLength, "", static_cast<double>(board.units().size()));
  const desk::BoardUnit* const head = board.Head();
  const bool is_known = head != nullptr && head->rank.created != 0;
  const int64_t age = is_known ? std::max<int64_t>(unix_time_() - head->rank.created, 0) : 0;
  metrics_->Set(metric::kHeadAge, "", static_cast<double>(age));
  CountHeld(board);
  CountInversions(round);
  before_ = round.board;
  if (!is_alone_()) return;
  for (const plan::Note& note : round.notes) log_(fmt::format("{}: {}", note.about, note.text));
}

void QueueWatch::CountHeld(const desk::Board& board) {
  for (auto& [cause, count] : held_) count = 0;
  // One cause after another is mostly the same.
  auto last = held_.end();
  for (const desk::BoardUnit& unit : board.units()) {
    if (unit.fits) continue;
    if (last == held_.end() || last->first != unit.label)
      last = held_.try_emplace(unit.label).first;
    ++last->second;
  }
  for (const plan::GroupState& group : board.groups()) {
    if (desk::Waits(group)) ++held_[std::string(TextOf(group.cause))];
  }
  for (const auto& [cause, count] : held_) {
    metrics_->Set(metric::kHeld, cause, static_cast<double>(count));
  }
}

void QueueWatch::CountInversions(const desk::Round& round) {
  if (before_ == nullptr) return;
  for (const desk::PodPtr& pod : round.pods) {
    if (pod->node_name.empty()) continue;
    const desk::BoardPod* const seat = before_->Find(pod->uid);
    const desk::BoardUnit* const unit = seat == nullptr ? nullptr : before_->UnitOf(*seat);
    if (unit == nullptr || !LosesItsPlace(*before_, *round.board, pod->node_name, unit->rank)) {
      continue;
    }
    metrics_->Add(metric::kInversions, "", 1);
    log_(
        fmt::format("pod {}/{} was bound to {} before a unit in front of it, which had its place "
                    "there",
                    pod->namespace_, pod->name, pod->node_name));
  }
}

}  // namespace outrigger::qos
