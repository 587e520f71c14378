#pragma once

#include <optional>

#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "apiserver/types/type_table.h"

// The three kinds of patches. All functions are pure; patch and object may be at most 1000 levels
// deep. After a failure the object is left in an unspecified state.

namespace outrigger::apiserver {

/// Applies a JSON patch (RFC 6902); as in the real server `replace` of a member that is not there
/// adds it. 400 for what is no list of operations, 413 for more than 10 000, 422 if one does not
/// apply, copies more than 3 MiB in all, or makes the object deeper than 1000 levels. The result
/// need not be an object.
std::optional<Failure> ApplyJsonPatch(const Json& patch, Json* object);

/// Applies a JSON merge patch (RFC 7386). As in the real server, null members are also left out of
/// new objects that stand in a list, unless the list replaces an object. 400 for what is no object.
std::optional<Failure> ApplyMergePatch(const Json& patch, Json* object);

/// Applies a strategic merge patch with its directives ($patch, $setElementOrder,
/// $deleteFromPrimitiveList, $retainKeys) to an object that conforms to `type`. 400 and, as in the
/// real server, 500 for a patch that is malformed.
std::optional<Failure> ApplyStrategicMergePatch(const Json& patch, const Type& type, Json* object);

}  // namespace outrigger::apiserver
