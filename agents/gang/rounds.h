#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "calls/barrier.h"
#include "calls/commit.h"
#include "eviction/evictor.h"
#include "eviction/recovery.h"
#include "gang/desk/participant.h"
#include "reports/held.h"
#include "reports/reports.h"
#include "reports/status_writer.h"
#include "reports/unasked.h"

namespace outrigger::gang {

/// What the agent does in each round of planning: barriers, evictions, reports.
class Rounds final : public desk::Participant {
 public:
  /// All outlive this.
  struct Parts {
    Barriers* barriers;
    Committer* committer;
    Evictor* evictor;
    Recovery* recovery;
    StatusWriter* statuses;
    Reports* reports;
    Explainer* explainer;
    Unasked* unasked;
    Held* held;
  };
  explicit Rounds(const Parts& parts) : parts_(parts) {}

  std::map<plan::UnitKey, std::vector<desk::Waiting>> Waiters() const override;
  void FailWaiter(const plan::UnitKey& gang, std::string_view uid, const std::string& why) override;
  void Prepare(plan::GroupOptions* groups, plan::PlanOptions* options) override;
  void OnPlan(const desk::Round& round) override;
  void OnActing(const absl::Status& acting) override;
  void OnNewScheduler() override;
  void Pause(Time now, bool another_acts) override;
  std::optional<Time> next_look() const override;
  std::string WhyWaits(const plan::UnitKey& gang, std::string_view word) const override;
  void OnNomination(const desk::Nomination& nomination, const absl::Status& status) override;
  void OnRelease(const desk::Release& release, const absl::Status& status) override;
  void OnPulse(std::chrono::milliseconds under_way) override;

 private:
  const Parts parts_;
};

}  // namespace outrigger::gang
