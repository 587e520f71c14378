#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// An API server's answer. `body` is null where it was no JSON.
struct Sent {
  int code = 0;
  Json body;
  /// What a Status object says, or the code.
  std::string Message() const;
};

/// Sends one request with a JSON body (empty: none) and returns its answer; an error if there is
/// none.
using Sender =
    std::function<absl::StatusOr<Sent>(std::string_view method, const std::string& path,
                                       std::string_view content_type, const std::string& body)>;

}  // namespace outrigger::apiserver
