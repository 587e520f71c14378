#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codec/page/page.h"

// Reads what a running agent answers. HTTP in clear and loopback only: agents show pages to no
// other peer. To reach an agent in a cluster, `kubectl port-forward` to its admin port.

namespace outrigger::agent_client {

/// Limits of one FetchPage(). Times are of the wall clock.
struct FetchLimits {
  std::chrono::milliseconds connect{2'000};
  std::chrono::milliseconds read{10'000};   // between two reads
  std::chrono::milliseconds total{15'000};  // of everything, the head included
  /// Of the body. (The head is bounded by `total` alone.)
  size_t max_bytes = page::kMaxBytes;
};

/// Returns the page named `page` ("queue") of the agent whose admin port is at `url`
/// ("http://127.0.0.1:9971"). Blocks for `limits.total` at most. Thread-safe.
///
/// Errors name the cause, and the URL unless it is the cause:
/// - InvalidArgument: `url` is not http:// and loopback, or `page` is no name of a page.
/// - Unavailable: no connection, with what to check; or the page is not ready (503).
/// - DeadlineExceeded: no answer in time. ResourceExhausted: more than `limits.max_bytes`.
/// - PermissionDenied: 403. NotFound: 404, with the pages that there are. Internal: another status.
/// - DataLoss: the answer is not the page: the connection ended, or something else answers.
/// - Unimplemented: the page is of another version. Cancelled: `stop` was requested.
absl::StatusOr<page::Page> FetchPage(std::string_view url, std::string_view page,
                                     const FetchLimits& limits = {},
                                     const std::stop_token& stop = {});

/// Returns the checks of the process at `url` that fail, as its /readyz?verbose names them:
/// "agent-qos: there is no plan yet". None: it is ready. At most 16, each of at most 1000 bytes,
/// made printable. Errors as of FetchPage().
absl::StatusOr<std::vector<std::string>> FetchFailedChecks(std::string_view url,
                                                           const FetchLimits& limits = {},
                                                           const std::stop_token& stop = {});

}  // namespace outrigger::agent_client
