#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "wire/json_reader.h"

namespace outrigger::wire {

/// Checks a skipped object or array, from bracket to bracket without blanks around, of which is
/// known that its strings close and that as many brackets open as close: InvalidArgument if the
/// outermost two differ in kind or anything lies deeper than kMaxDepth. Costs nothing for values
/// below 20 kB, which cannot be that deep.
absl::Status CheckBrackets(std::string_view raw, const Path& at);

}  // namespace outrigger::wire
