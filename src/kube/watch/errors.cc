#include "kube/watch/errors.h"

#include <optional>

#include "kube/errors.h"

namespace outrigger::kube {
namespace {

constexpr std::string_view kTooLargeText = "Too large resource version";

Failure OfAnswer(const ApiError& error) {
  switch (error.code) {
    case 400:
    case 405:
    case 422:
      return Failure::kUnsupported;
    case 401:
    case 403:
      return Failure::kNotAllowed;
    case 404:
      return Failure::kMissing;
    case 410:
      return Failure::kExpired;
    case 429:
      return Failure::kTooMany;
    default:
      // The cause ResourceVersionTooLarge comes with this text in all versions, client-go looks at
      // it too.
      return error.message.find(kTooLargeText) != std::string::npos ? Failure::kTooLarge
                                                                    : Failure::kServer;
  }
}

}  // namespace

Failure FailureOf(const absl::Status& status) {
  if (const std::optional<ApiError> error = ApiErrorOf(status)) return OfAnswer(*error);
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return Failure::kConnection;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kResourceExhausted:
      return Failure::kDamaged;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return Failure::kNotAllowed;
    default:
      return Failure::kServer;
  }
}

}  // namespace outrigger::kube
