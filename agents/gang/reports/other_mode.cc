#include "reports/other_mode.h"

#include "fmt/format.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/plan/call_resources.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {

void OtherMode::OnFilter(const Pod& pod) {
  const bool asks = plan::CallsAskedBy(pod).in_cycle;
  // Pods may ask for none of it where all pods are asked about; NodeResourcesFit refuses an amount.
  const bool is_other =
      only_groups_ ? !asks : asks && !PodRequests(pod).Get(plan::kCallResource).IsZero();
  if (!is_other) return;
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
