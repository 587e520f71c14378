#include "rounds.h"

namespace outrigger::gang {

std::map<plan::UnitKey, std::vector<desk::Waiting>> Rounds::Waiters() const {
  return parts_.barriers->Waiters();
}

void Rounds::FailWaiter(const plan::UnitKey& gang, std::string_view uid, const std::string& why) {
  parts_.barriers->FailWaiter(gang, uid, why);
}

void Rounds::Prepare(plan::GroupOptions* groups, plan::PlanOptions* options) {
  parts_.unasked->Prepare(*groups);
  parts_.evictor->Prepare(groups, options);
}

void Rounds::OnPlan(const desk::Round& round) {
  const Board& board = *round.board;
  Reports& reports = *parts_.reports;
  round.goes_on_with("opening barriers");
  parts_.barriers->OnPlan(round.board);
  round.goes_on_with("reporting");
  reports.OnReserved(round.plan.kept.size());
  const auto partial = parts_.recovery->OnPlan(board, *parts_.barriers, round.now);
  reports.OnPartial(board, partial, parts_.recovery->partial());
  reports.OnBarriers(parts_.barriers->standing(), parts_.barriers->waiting());
  if (round.mode == desk::Mode::kAlone) reports.OnBoundOneByOne(board, round.now);
  reports.OnPlan(board, round.notes, round.timed_out, round.now);
  parts_.unasked->OnPlan(board, round.pods, round.asks_about_all);
  parts_.held->OnPlan(board, round.releases, round.now);
  const bool asks_about_all = round.asks_about_all && round.mode == desk::Mode::kExtender;
  parts_.evictor->OnPlan(round.view, round.units, round.options, board, asks_about_all);
  reports.Explain(parts_.explainer, round.view.snapshot, round.units, round.options, board,
                  round.now,
                  [&](const plan::UnitKey& gang) { return parts_.evictor->WhyNobody(gang); });
  parts_.statuses->OnPlan(board, round.pods, [&](const plan::UnitKey& gang) {
    const BoardUnit* const unit = board.FindUnit(gang);
    return unit == nullptr ? std::string() : reports.WhyWaits(gang, unit->word);
  });
}

void Rounds::OnActing(const absl::Status& acting) {
  parts_.reports->OnActing(acting);
  if (!acting.ok()) {
    parts_.unasked->Forget();
    parts_.held->Forget();
    parts_.barriers->FailAll(BarrierEnd::kNotInCharge, std::string(acting.message()));
    parts_.committer->EndTerm();
  }
}

void Rounds::OnNewScheduler() {
  parts_.barriers->FailAll(BarrierEnd::kNotInCharge, "another scheduler has taken over");
}

void Rounds::Pause(Time now, bool another_acts) {
  parts_.recovery->Pause(now, another_acts);
}

std::optional<Time> Rounds::next_look() const {
  std::optional<Time> next;
  for (const auto& look :
       {parts_.recovery->next_look(), parts_.reports->next_look(), parts_.evictor->next_look(),
        parts_.statuses->next_look(), parts_.held->next_look()}) {
    if (look && (!next || *look < *next)) next = look;
  }
  return next;
}

std::string Rounds::WhyWaits(const plan::UnitKey& gang, std::string_view word) const {
  return parts_.reports->WhyWaits(gang, word);
}

void Rounds::OnNomination(const desk::Nomination& nomination, const absl::Status& status) {
  parts_.reports->OnNomination(nomination, status);
}

void Rounds::OnRelease(const desk::Release& release, const absl::Status& status) {
  parts_.held->OnRelease(release, status);
}

void Rounds::OnPulse(std::chrono::milliseconds under_way) {
  parts_.reports->OnPulse(under_way);
}

}  // namespace outrigger::gang
