// What comes of writes, which are made on threads of their own.
#include <utility>

#include "desk/plan_loop.h"

namespace outrigger::desk {

void PlanLoop::OnWritten(const Nomination& nomination, const absl::Status& status) {
  for (Participant* participant : participants_) participant->OnNomination(nomination, status);
}

void PlanLoop::OnReleased(const Release& release, const absl::Status& status) {
  for (Participant* participant : participants_) participant->OnRelease(release, status);
}

// Before calls are: the scheduler may have asked because of what was written.
void PlanLoop::TakeWritten() {
  NominationWriter::Content content = nominations_.Take();
  const Time now = options_.now();
  for (const NominationWriter::Result& result : content.results) {
    memory_.Nominated(result.nomination, result.written, now, result.began);
  }
  memory_.SetUnderWay(std::move(content.under_way));
  gates_.TakeWritten(now);
}

}  // namespace outrigger::desk
