#pragma once

#include <string>

#include "apiserver/json.h"

// Values as the real server's messages show them. Pure and thread-safe.

namespace outrigger::apiserver {

/// As Go prints a value with %v: `map[a:1 b:[x <nil>]]`.
std::string GoText(const Json& value);

/// What encoding/json calls the value in its errors: object, array, string, number, bool, null.
const char* JsonTypeName(const Json& value);

}  // namespace outrigger::apiserver
