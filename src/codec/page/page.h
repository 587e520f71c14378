#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/agent/page.h"

// The JSON of pages of agents: the one place that knows its keys (docs/pages.md).

namespace outrigger::page {

/// The version of this JSON. It changes if an earlier reader would misread a later page.
inline constexpr int64_t kVersion = 1;
/// Rows of a page at most.
inline constexpr size_t kMaxRows = 10'000;
/// Bytes of a page at most.
inline constexpr size_t kMaxBytes = size_t{16} << 20;

/// A page as it was answered. A plain value.
struct Page {
  std::string agent;  // "qos"
  std::string name;   // "queue"
  PageTable table;
};

/// Appends `page` as JSON of at most `max_bytes` (more than its columns
/// take), a row a line. Rows that do not fit are left out, and the page says that it is truncated.
void Encode(const Page& page, size_t max_bytes, std::string* out);

/// Reads what Encode() wrote. Keys that are not known are skipped. InvalidArgument: `json` is no
/// page; the text names what is wrong. Unimplemented: a page of another version.
absl::StatusOr<Page> Decode(std::string_view json);

}  // namespace outrigger::page
