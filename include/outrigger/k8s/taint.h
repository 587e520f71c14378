#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace outrigger {

enum class TaintEffect : uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;
};

/// A toleration. `exists` is operator Exists (any value), otherwise Equal; an empty key means every
/// key; no `effect` means every effect.
///
/// A toleration with another operator (Lt and Gt are alpha and off by default) tolerates nothing in
/// kube-scheduler: the decoder of a pod omits it.
struct Toleration {
  std::string key;
  std::string value;
  bool exists = false;
  std::optional<TaintEffect> effect;

  /// As upstream's v1.Toleration.ToleratesTaint.
  bool Tolerates(const Taint& taint) const;
};

/// The first taint of effect NoSchedule or NoExecute that no toleration covers, or nullptr: what
/// kube-scheduler's TaintToleration filter asks.
const Taint* FindUntoleratedTaint(std::span<const Taint> taints,
                                  std::span<const Toleration> tolerations);

/// A cordoned node may take the pod all the same, as kube-scheduler's NodeUnschedulable filter has
/// it: a toleration covers the taint node.kubernetes.io/unschedulable.
bool ToleratesCordon(std::span<const Toleration> tolerations);

}  // namespace outrigger
