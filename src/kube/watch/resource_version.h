#pragma once

#include <string_view>

namespace outrigger::kube {

/// True if both are resource versions in decimal digits and `a` comes before `b`. Others are not
/// comparable: false.
bool IsOlder(std::string_view a, std::string_view b);

}  // namespace outrigger::kube
