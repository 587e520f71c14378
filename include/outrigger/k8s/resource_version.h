#pragma once

#include <string_view>

namespace outrigger {

/// True if both are resource versions in decimal digits and `a` comes before `b`: of objects of one
/// kind, the API allows to compare versions of this form. Others are not comparable: false.
bool IsOlderVersion(std::string_view a, std::string_view b);

}  // namespace outrigger
