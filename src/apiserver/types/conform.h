#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "apiserver/types/type_table.h"

// Objects as upstream's decoding into structs of Go and encoding again makes them.

namespace outrigger::apiserver {

/// Brings an object into the form that a server answers with: fields that the type has not are
/// taken out, and `unknown_fields` gets `unknown field "spec.foo"` (100 at most); so are nulls and
/// what is empty, where Go leaves those out; what Go always prints is put in (`status: {}`, `rules:
/// null`); quantities and times are canonical. 400 for values of another type; the object is then
/// half done. Linear in the object. Defaults are not set.
std::optional<Failure> Conform(const Type& type, Json* object,
                               std::vector<std::string>* unknown_fields);

/// True if a field of that value is not printed by Go where it omits what is empty, and is given
/// its default by upstream: "", 0, false, an empty list or map; not so if the field is a pointer.
bool IsEmptyValue(const Field& field, const Json& value);

}  // namespace outrigger::apiserver
