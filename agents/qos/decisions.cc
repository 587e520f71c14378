#include "decisions.h"

#include "fmt/format.h"
#include "outrigger/plan/queue.h"

namespace outrigger::qos {
namespace {

std::string TextOf(const desk::BoardUnit& unit) {
  return RankText(unit.gang ? "gang" : "pod", plan::TextOf(unit.key), unit.rank);
}

}  // namespace

std::string RankText(std::string_view kind, std::string_view name, const plan::Rank& rank) {
  return fmt::format("{} {} (groupPriority {}, priority {}, {})", kind, name, rank.group_priority,
                     rank.priority, plan::TextOf(rank.qos));
}

void Decisions::OnFilter(const desk::Desk& desk, const Request& request) const {
  if (!debug_) return;
  const auto plan = desk.Plan();
  if (!plan.ok()) return;
  const desk::Board& board = **plan;
  const desk::BoardPod* const seat = board.Find(request.pod.uid);
  const desk::BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  const std::string name = request.pod.namespace_ + "/" + request.pod.name;
  const plan::Rank rank = unit == nullptr ? board.RankOfUnseen(request.pod) : unit->rank;
  const std::string self = unit == nullptr ? RankText("pod", name, rank) : TextOf(*unit);
  const desk::BoardUnit* const front = board.InFrontOf(rank);
  debug_(front == nullptr ? fmt::format("{} goes first", self)
                          : fmt::format("{} goes before {}", TextOf(*front), self));
}

}  // namespace outrigger::qos
