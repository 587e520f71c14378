#pragma once

#include <optional>

#include "http/request/head.h"
#include "http/request/parser.h"

namespace outrigger::http {

/// Why a request is refused for what its complete, well-formed head says, so that nothing is read
/// of a body that nobody wants; nothing if its body may come.
std::optional<Refusal> RefuseByHead(const RequestHead& head, const ReaderLimits& limits);

}  // namespace outrigger::http
