#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "codec/json/path.h"

namespace outrigger::json {

/// A token is a bracket, a comma, a colon, or what begins a key or a value. Before anything is read
/// simdjson writes an index of all tokens, four bytes for each: of a body of 256 MiB, such as
/// "0,0,0" or "[[[[[", a gigabyte. With this limit the index stays below 384 MiB. Calls of
/// kube-scheduler have a token in five or six bytes, so that 256 MiB of them stay at half of it,
/// and no body below 96 MiB has to be counted.
inline constexpr size_t kMaxTokens = size_t{96} << 20U;

/// At least as many as simdjson finds in `text`, whatever its bytes are. Inside of strings what
/// looks like a token counts, too: telling them apart would cost as much as the index.
size_t CountTokens(std::string_view text);

/// InvalidArgument if `text` may have more than `limit` tokens. Looks at the size alone where that
/// is enough.
absl::Status CheckTokens(std::string_view text, const Path& at, size_t limit = kMaxTokens);

}  // namespace outrigger::json
