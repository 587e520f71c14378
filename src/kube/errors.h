#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

// What the API server says when it refuses: metav1.Status, as absl::Status with a payload.

namespace outrigger::kube {

/// The parts of a metav1.Status that callers act on.
struct ApiError {
  int code = 0;         // HTTP
  std::string reason;   // "NotFound", "AlreadyExists", "Conflict", "Expired", ...; may be empty
  std::string message;  // for people
  std::string details;  // "pods \"web-1\"", or empty
  std::optional<std::chrono::seconds> retry_after;  // header Retry-After, or retryAfterSeconds
};

/// The error of an answer: `code` and `body` as received, of which only what is a metav1.Status is
/// used; `retry_after` is the header or empty. Never ok. Codes:
///   400, 413, 415, 422 InvalidArgument       401 Unauthenticated     403 PermissionDenied
///   404 NotFound     405 Unimplemented       409 AlreadyExists (reason AlreadyExists), else
///   Aborted 410 OutOfRange (the resource version is too old) 429 ResourceExhausted 504
///   DeadlineExceeded 500 Internal     other 5xx Unavailable   else Unknown
/// Details travel as a payload, for ApiErrorOf(). Bodies of any content are safe.
absl::Status ErrorOfAnswer(int code, std::string_view body, std::string_view retry_after);

/// What the API server said, where `status` came from one of its answers.
std::optional<ApiError> ApiErrorOf(const absl::Status& status);

/// The error of a watch event of type ERROR, whose object is `body`.
absl::Status ErrorOfEvent(std::string_view body);

/// The message as the view that fmt and the standard library know; Debian's abseil has its own.
inline std::string_view MessageOf(const absl::Status& status) {
  const absl::string_view message = status.message();
  return {message.data(), message.size()};
}

/// `status` with another message; its payloads stay.
inline absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status changed(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { changed.SetPayload(url, payload); });
  return changed;
}

/// `status` with another code; its message and payloads stay.
inline absl::Status WithCode(const absl::Status& status, absl::StatusCode code) {
  absl::Status changed(code, status.message());
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { changed.SetPayload(url, payload); });
  return changed;
}

}  // namespace outrigger::kube
