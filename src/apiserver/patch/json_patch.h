#pragma once

#include <optional>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// The answer to a patch that does not apply; the real server does not say why.
Failure RejectedPatch();

/// Applies a JSON patch (RFC 6902) as the real server does: an index below zero counts from the
/// end, and `replace` of a member that is not there adds it. 400 for what is no list of operations,
/// 413 for more than 10 000, 422 if one does not apply, copies more than 3 MiB in all, or makes the
/// object deeper than 1000 levels; then `object` is left in an unspecified state. Both may be at
/// most 1000 levels deep. The result need not be an object. Pure.
std::optional<Failure> ApplyJsonPatch(const Json& patch, Json* object);

}  // namespace outrigger::apiserver
