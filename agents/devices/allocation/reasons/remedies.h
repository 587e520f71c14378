#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices/allocation/reasons/shortage.h"
#include "devices/allocation/reasons/suppositions.h"

namespace outrigger::devices {

/// Changes each of which makes a demand fit that does not. Each is the cheapest of its kind.
struct Remedies {
  std::vector<Short> more;             ///< devices in addition, all of these together
  std::vector<std::string> give_back;  ///< claims that give back what they hold; empty: no help
  std::optional<Raise> counter;        ///< of a pool
  std::optional<Raise> resource;       ///< of a device
};

}  // namespace outrigger::devices
