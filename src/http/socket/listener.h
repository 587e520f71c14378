#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "http/fd.h"

namespace outrigger::http {

/// A listening, non-blocking socket on `address` (an IPv4 or IPv6 literal; no name is looked up)
/// and `port` (0: any free one). Its backlog takes bursts; the port is never shared with another
/// listener. Errors name address and cause: AlreadyExists (somebody listens there),
/// PermissionDenied, InvalidArgument (no such address here).
absl::StatusOr<Fd> Listen(const std::string& address, uint16_t port);

/// The port of a bound socket; 0 if it has none.
uint16_t PortOf(const Fd& socket);

}  // namespace outrigger::http
