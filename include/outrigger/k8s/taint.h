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

/// A pod's leave to ignore taints. `exists` is operator Exists (any value); an empty key with it
/// tolerates every taint; no `effect` means every effect.
struct Toleration {
  std::string key;
  std::string value;
  bool exists = false;
  std::optional<TaintEffect> effect;

  bool Tolerates(const Taint& taint) const;
};

/// The first taint of effect NoSchedule or NoExecute that no toleration covers, or nullptr: what
/// kube-scheduler's TaintToleration filter asks.
const Taint* FindUntoleratedTaint(std::span<const Taint> taints,
                                  std::span<const Toleration> tolerations);

}  // namespace outrigger
