#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// Objects that are nested deeper are refused, in every form.
inline constexpr int kMaxDepth = 500;

/// As Go writes texts: each byte that is not UTF-8 becomes U+FFFD.
std::string AsUtf8(std::string_view text);

/// Reads JSON. Of a field that comes twice the last one counts, and `duplicates` gets
/// `duplicate field "spec.x"` (100 at most). Returns what is wrong with text that is malformed or
/// nested too deeply.
std::optional<std::string> ParseJson(std::string_view text, Json* value,
                                     std::vector<std::string>* duplicates);

/// ParseJson() of a request's body, which is an object. 400 where it is not, as upstream words it
/// where it looks for one of `kind`.
std::optional<Failure> ParseBody(std::string_view text, std::string_view kind, Json* object,
                                 std::vector<std::string>* duplicates);

}  // namespace outrigger::apiserver
