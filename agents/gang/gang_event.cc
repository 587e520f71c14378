#include "gang_event.h"

#include <utility>

#include "outrigger/plan/group.h"

namespace outrigger::gang {
namespace {

std::string_view ApiVersionOf(plan::Dialect dialect) {
  switch (dialect) {
    case plan::Dialect::kSchedulerPlugins:
      return "scheduling.x-k8s.io/v1alpha1";
    case plan::Dialect::kSigs:
      return "scheduling.sigs.k8s.io/v1alpha1";
    case plan::Dialect::kVolcano:
      return "scheduling.volcano.sh/v1beta1";
    case plan::Dialect::kUpstream:
      return "scheduling.k8s.io/v1alpha2";
    default:
      return "v1";
  }
}

const Pod* FirstPodOf(const Board& board, const plan::UnitKey& gang) {
  const Pod* first = nullptr;
  for (const auto& [uid, seat] : board.pods()) {
    const auto membership = plan::MembershipOf(*seat.pod, nullptr);
    if (!membership || membership->dialect != gang.dialect || membership->name != gang.name ||
        membership->namespace_ != gang.namespace_) {
      continue;
    }
    if (first == nullptr || seat.pod->name < first->name) first = seat.pod.get();
  }
  for (const BoundMember& member : board.BoundOf(gang)) {
    if (first == nullptr || member.pod->name < first->name) first = member.pod.get();
  }
  return first;
}

}  // namespace

std::optional<ClusterEvent> GangEvent(const Board& board, const plan::UnitKey& gang,
                                      std::string reason, std::string note) {
  ClusterEvent event;
  event.namespace_ = gang.namespace_;
  event.warning = true;
  event.reason = std::move(reason);
  event.action = "Scheduling";
  event.note = std::move(note);
  if (!gang.uid.empty()) {
    event.api_version = ApiVersionOf(gang.dialect);
    event.kind = "PodGroup";
    event.name = gang.name;
    event.uid = gang.uid;
    return event;
  }
  const Pod* const first = FirstPodOf(board, gang);
  if (first == nullptr) return std::nullopt;
  event.api_version = "v1";
  event.kind = "Pod";
  event.name = first->name;
  event.uid = first->uid;
  return event;
}

}  // namespace outrigger::gang
