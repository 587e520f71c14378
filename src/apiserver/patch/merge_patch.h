#pragma once

#include <optional>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// Applies a JSON merge patch (RFC 7386). As in the real server, null members are also left out of
/// new objects that stand in a list, unless the list replaces an object. 400 for what is no object.
/// Both may be at most 1000 levels deep. Pure.
std::optional<Failure> ApplyMergePatch(const Json& patch, Json* object);

}  // namespace outrigger::apiserver
