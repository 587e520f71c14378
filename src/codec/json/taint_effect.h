#pragma once

#include <optional>
#include <string_view>

#include "outrigger/k8s/taint.h"

namespace outrigger::json {

inline std::optional<TaintEffect> ParseEffect(std::string_view text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return std::nullopt;
}

}  // namespace outrigger::json
