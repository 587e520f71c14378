#pragma once

#include <optional>
#include <string_view>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// Reads the body of a request of application/vnd.kubernetes.protobuf: an object of a kind that the
/// type table has. `object` is what Go prints of it, and so conforms (see conform.h). 400 for a
/// kind that is not known and for bytes that are malformed or nested too deeply.
std::optional<Failure> FromProtobuf(std::string_view body, Json* object);

}  // namespace outrigger::apiserver
