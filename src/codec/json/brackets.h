#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/json/reader.h"

namespace outrigger::json {

/// Checks a skipped object or array, from bracket to bracket without blanks around, of which is
/// known that its strings close: InvalidArgument if the outermost two brackets differ in kind, if
/// it begins so that simdjson cannot have counted the brackets between them, or if anything lies
/// deeper than kMaxDepth. Of values below 20 kB, which cannot be that deep, only the beginning is
/// read.
absl::Status CheckBrackets(std::string_view raw, const Path& at);

}  // namespace outrigger::json
