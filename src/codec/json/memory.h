#pragma once

#include <cstddef>

// The memory that parsers keep from call to call. Thread-safe.

namespace outrigger::json {

/// What parsers hold that nobody uses now, in bytes of bodies: at most ParserLease::kKeptBytes.
size_t KeptParserBytes();

/// Frees the parsers that nobody has used since the last call of this.
void TrimParsers();

}  // namespace outrigger::json
