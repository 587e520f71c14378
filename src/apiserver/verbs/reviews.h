#pragma once

#include <optional>

#include "apiserver/verbs/call.h"

namespace outrigger::apiserver {

/// Access and token reviews: who is at loopback may do all, and tokens are not looked at.
std::optional<Failure> Review(Call* call, Reply* reply);

}  // namespace outrigger::apiserver
