#include "cli/doctor/large_gangs.h"

#include <algorithm>

#include "fmt/format.h"
#include "gang/plan/group.h"

namespace outrigger::cli {

void LargeGangs::Take(const Pod& pod) {
  if (most_ == 0 || pod.being_deleted || !pod.node_name.empty()) return;
  const auto member = plan::MembershipOf(pod, nullptr);
  if (!member || member->minimum <= most_) return;
  gangs_.insert(fmt::format("{}/{}", member->namespace_, member->name));
  if (example_.empty()) example_ = fmt::format("{}/{}", pod.namespace_, pod.name);
  largest_ = std::max(largest_, member->minimum);
}

void LargeGangs::AddTo(Findings* findings) const {
  if (gangs_.empty()) return;
  findings->Add(FindingId::kGangTooLarge, Place{"pod " + example_, 0, 0},
                fmt::format("{} gang{} with a minimum of up to {}, and --max-waiting-binds is {}",
                            gangs_.size(), gangs_.size() == 1 ? "" : "s", largest_, most_),
                fmt::format("`serve --max-waiting-binds {}` or more", largest_));
}

}  // namespace outrigger::cli
