#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "outrigger/k8s/node.h"

namespace outrigger {

/// A body whose padding is as misleading as the test wants it. The bytes are allocated to size, so
/// that a sanitizer sees who reads behind the padding.
class PaddedBody {
 public:
  explicit PaddedBody(std::string_view json, char padding = ' ') : size_(json.size()) {
    bytes_.reserve(json.size() + json::kPadding);
    bytes_.assign(json.begin(), json.end());
    bytes_.insert(bytes_.end(), json::kPadding, padding);
  }
  operator json::Body() const {
    return {bytes_.data(), size_};
  }  // NOLINT(google-explicit-constructor)

 private:
  size_t size_;
  std::vector<char> bytes_;
};

inline std::vector<std::string> NamesOf(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const Node& node : nodes) names.push_back(node.name);
  return names;
}

inline std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

MATCHER_P2(StatusIs, code, text, "") {
  *result_listener << arg.ToString();
  return arg.code() == code && Message(arg).find(text) != std::string::npos;
}
inline auto IsInvalid(std::string_view text) {
  return StatusIs(absl::StatusCode::kInvalidArgument, std::string(text));
}
inline auto IsUnanswerable(std::string_view text) {
  return StatusIs(absl::StatusCode::kFailedPrecondition, std::string(text));
}
MATCHER(IsOk, "") {
  *result_listener << arg.ToString();
  return arg.ok();
}

}  // namespace outrigger
