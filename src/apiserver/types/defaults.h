#pragma once

#include "apiserver/json.h"
#include "apiserver/types/type_table.h"

namespace outrigger::apiserver {

/// Sets those defaults of an object that conforms to `type` which depend on nothing but its kind
/// and one other field; the others are not of this room. What was set stays. Linear in the object.
void SetDefaults(const Type& type, Json* object);

}  // namespace outrigger::apiserver
