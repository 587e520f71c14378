#include "events/gang_event.h"

#include <utility>

#include "fmt/format.h"
#include "sdk/base/dialects.h"

namespace outrigger::gang {
namespace {

bool ComesBefore(const Pod& pod, const Pod* other) {
  return other == nullptr || pod.name < other->name;
}

}  // namespace

void FirstPods::Walk() {
  board_.ForEachPod([this](const BoardPod& seat) {
    const auto membership = plan::MembershipOf(*seat.pod, nullptr);
    if (!membership) return;
    const Pod*& first = first_[{membership->dialect, membership->namespace_, membership->name}];
    if (ComesBefore(*seat.pod, first)) first = seat.pod.get();
  });
}

const Pod* FirstPods::Of(const plan::UnitKey& gang) {
  if (!std::exchange(walked_, true)) Walk();
  const auto found = first_.find(Name(gang.dialect, gang.namespace_, gang.name));
  if (found != first_.end()) return found->second;
  const Pod* first = nullptr;
  for (const BoundMember& member : board_.BoundOf(gang)) {
    if (ComesBefore(*member.pod, first)) first = member.pod.get();
  }
  return first;
}

std::optional<ClusterEvent> EventAboutObject(const plan::UnitKey& unit) {
  if (RowOf(unit.dialect).group.empty() || unit.uid.empty()) return std::nullopt;
  ClusterEvent event;
  const DialectRow& row = RowOf(unit.dialect);
  event.api_version = fmt::format("{}/{}", row.group, row.versions.front());
  event.kind = "PodGroup";
  event.namespace_ = unit.namespace_;
  event.name = unit.name;
  event.uid = unit.uid;
  return event;
}

ClusterEvent EventAbout(const Pod& pod) {
  ClusterEvent event;
  event.namespace_ = pod.namespace_;
  event.name = pod.name;
  event.uid = pod.uid;
  return event;
}

std::optional<ClusterEvent> GangEvent(FirstPods* pods, const plan::UnitKey& gang,
                                      std::string reason, std::string note) {
  std::optional<ClusterEvent> event = EventAboutObject(gang);
  if (!event) {
    const Pod* const first = pods->Of(gang);
    if (first == nullptr) return std::nullopt;
    event = EventAbout(*first);
  }
  event->warning = true;
  event->reason = std::move(reason);
  event->action = "Scheduling";
  event->note = std::move(note);
  return event;
}

}  // namespace outrigger::gang
