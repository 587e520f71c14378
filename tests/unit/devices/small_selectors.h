#pragma once

#include <memory>
#include <string_view>

#include "outrigger/devices/selectors.h"

namespace outrigger::devices {

/// As much of CEL as the tables' expressions use, for tests of the engine alone: comparisons, `in`,
/// + and %, logic with the deciding side, ?:, has(), size() and four methods of strings. What it
/// does not know does not compile.
class SmallSelectors : public Selectors {
 public:
  absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                          Environment in) const override;
};

}  // namespace outrigger::devices
