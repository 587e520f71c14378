#include "outrigger/k8s/node.h"

#include <algorithm>
#include <atomic>

#include "outrigger/k8s/taint.h"

namespace outrigger {

uint64_t NextNodeRevision() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool Toleration::Tolerates(const Taint& taint) const {
  if (effect.has_value() && *effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  return exists || value == taint.value;
}

const Taint* FindUntoleratedTaint(std::span<const Taint> taints,
                                  std::span<const Toleration> tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect == TaintEffect::kPreferNoSchedule) continue;
    const bool tolerated =
        std::any_of(tolerations.begin(), tolerations.end(),
                    [&](const Toleration& toleration) { return toleration.Tolerates(taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

bool ToleratesCordon(std::span<const Toleration> tolerations) {
  const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return FindUntoleratedTaint({&cordon, 1}, tolerations) == nullptr;
}

}  // namespace outrigger
