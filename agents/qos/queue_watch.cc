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

}  // namespace

QueueWatch::QueueWatch(AgentMetrics* metrics, Log log, std::function<bool()> is_alone,
                       UnixTime unix_time)
    : metrics_(metrics),
      log_(std::move(log)),
      is_alone_(std::move(is_alone)),
      unix_time_(unix_time ? std::move(unix_time) : SystemSeconds) {}

void QueueWatch::OnActing(const absl::Status& acting) {
  metrics_->Set(metric::kLeading, "", acting.ok() ? 1 : 0);
  if (acting == acting_) return;
  acting_ = acting;
  if (!is_alone_()) return;
  log_(acting.ok() ? "in charge" : std::string(acting.message()));
}

// By the next plan much may have happened, and in which order is not known.
void QueueWatch::Pause(desk::Time /*now*/, bool /*another_acts*/) {
  before_ = nullptr;
}

void QueueWatch::OnPlan(const desk::Round& round) {
  const desk::Board& board = *round.board;
  metrics_->Set(metric::kLength, "", static_cast<double>(board.units().size()));
  const desk::BoardUnit* const head = board.units().size() == 0 ? nullptr : &board.units()[0];
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

// Units that lose their places are few, so that the pods of few nodes are looked at.
void QueueWatch::CountInversions(const desk::Round& round) {
  if (before_ == nullptr) return;
  // The first of the units that had their places on a node at the last plan and have none now.
  std::map<std::string_view, const plan::Rank*> lost;
  before_->ForEachPod([&](const desk::BoardPod& seat) {
    if (seat.node.empty()) return;
    const desk::BoardPod* const now = round.board->Find(seat.pod->uid);
    if (now != nullptr && now->node.empty()) lost.try_emplace(seat.node, &seat.unit->rank);
  });
  for (const auto& [node, first] : lost) CountInversionsOn(node, *first, *round.view.snapshot);
}

void QueueWatch::CountInversionsOn(std::string_view node, const plan::Rank& first,
                                   const ClusterSnapshot& snapshot) {
  for (const PodView pod : snapshot.PodsOn(node)) {
    const desk::BoardPod* const seat = before_->Find(pod.Uid());
    if (seat == nullptr || seat->unit == nullptr || !(first < seat->unit->rank)) continue;
    metrics_->Add(metric::kInversions, "", 1);
    log_(
        fmt::format("pod {}/{} was bound to {} before a unit in front of it, which had its place "
                    "there",
                    pod.Namespace(), pod.Name(), node));
  }
}

}  // namespace outrigger::qos
