#include "calls/other_mode.h"

#include "fmt/format.h"
#include "outrigger/plan/call_resources.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {

void OtherMode::OnFilter(const Pod& pod) {
  if (plan::CallsAskedBy(pod).in_cycle == only_groups_) return;
  metrics_->Add(metric::kOtherMode, "", 1);
  if (warned_.exchange(true)) return;
  const std::string_view what =
      only_groups_ ? "does not ask for outrigger.dev/gang, and only-groups is set: the scheduler's "
                     "configuration is not that of scheduler-config --only-groups"
                   : "asks for outrigger.dev/gang, and only-groups is not set: the scheduler's "
                     "configuration is that of scheduler-config --only-groups";
  warn_(fmt::format("called about pod {}/{}, which {} (see outrigger doctor)", pod.namespace_,
                    pod.name, what));
}

}  // namespace outrigger::gang
