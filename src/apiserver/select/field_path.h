#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/json.h"

namespace outrigger::apiserver {

/// What is at "status.podIPs.0.ip"; nullptr: nothing, or null. Names with dots cannot be asked for.
const Json* ValueAt(const Json& object, std::string_view path);

/// The text there; "" where there is none, or something else.
const std::string& TextAt(const Json& object, std::string_view path);

/// The integer there; 0 where there is none, or something else.
int64_t NumberAt(const Json& object, std::string_view path);

/// True if `true` is there.
bool IsTrueAt(const Json& object, std::string_view path);

/// What is there, or an empty list.
const Json& ListAt(const Json& object, std::string_view path);

}  // namespace outrigger::apiserver
