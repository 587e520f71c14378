#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace outrigger::kube {

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
