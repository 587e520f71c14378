#include "preempt.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gang/plan/group.h"

namespace outrigger::penalty {
namespace {

// Nothing: the snapshot does not have that pod on that node.
std::optional<Pod> FindVictim(const ClusterSnapshot& snapshot, const std::string& node,
                              std::string_view uid) {
  for (const PodView pod : snapshot.PodsOn(node)) {
    if (pod.Uid() == uid) return pod.Unpack();
  }
  return std::nullopt;
}

bool IsSameGang(const Pod& a, const Pod& b) {
  const auto of_a = plan::MembershipOf(a, nullptr);
  const auto of_b = plan::MembershipOf(b, nullptr);
  return of_a && of_b && of_a->dialect == of_b->dialect && of_a->namespace_ == of_b->namespace_ &&
         of_a->name == of_b->name;
}

}  // namespace

size_t ChooseVictims(const PreemptRequest& request, const ClusterSnapshot& snapshot,
                     const PenalisedAs& penalised_as, std::vector<NodeVictims>* chosen) {
  const Pod& preemptor = request.pod;
  const std::string own = preemptor.priority_class_name.empty()
                              ? std::string()
                              : penalised_as(preemptor.priority_class_name);
  const auto is_its_own = [&](const Pod& victim) {
    return (!own.empty() && penalised_as(victim.priority_class_name) == own) ||
           IsSameGang(victim, preemptor);
  };
  size_t left_out = 0;
  for (const NodeVictims& candidate : request.candidates) {
    const bool takes_its_own =
        std::any_of(candidate.pod_uids.begin(), candidate.pod_uids.end(), [&](const auto& uid) {
          const auto victim = FindVictim(snapshot, candidate.node, uid);
          return victim && is_its_own(*victim);
        });
    if (takes_its_own) {
      ++left_out;
    } else {
      chosen->push_back(candidate);
    }
  }
  return left_out;
}

}  // namespace outrigger::penalty
