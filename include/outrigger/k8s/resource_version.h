#pragma once

#include <string_view>

namespace outrigger {

/// True if both are decimal resource versions and `a` is older than `b`. The API allows this
/// comparison for objects of one kind. False for any other form.
bool IsOlderVersion(std::string_view a, std::string_view b);

}  // namespace outrigger
