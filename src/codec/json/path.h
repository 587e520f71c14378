#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"

namespace outrigger::json {

/// Where a value stands: a chain of frames on the stack, put into words only when something is off.
/// A frame must not outlive the one it was made from.
class Path {
 public:
  /// Malformed values below are listed in `malformed`.
  explicit Path(std::string_view root, std::vector<MalformedValue>* malformed = nullptr)
      : key_(root), malformed_(malformed) {}

  Path Key(std::string_view key) const { return {this, key, kNoIndex}; }
  Path Index(size_t index) const { return {this, {}, index}; }
  /// This place as that of a whole object of the API, such as a node: Malformed() names fields from
  /// there on.
  Path AsObject() const {
    Path copy = *this;
    copy.is_object_ = true;
    return copy;
  }

  /// "Pod.spec.containers[2].name".
  std::string Text() const { return Text(/*within_object=*/false); }
  /// Lists the value here as malformed; the name of the node is filled in by the node's reader.
  void Malformed(std::string_view value, std::string_view accepted) const;
  std::vector<MalformedValue>* malformed() const { return malformed_; }

 private:
  static constexpr size_t kNoIndex = SIZE_MAX;

  Path(const Path* parent, std::string_view key, size_t index)
      : parent_(parent), key_(key), index_(index), malformed_(parent->malformed_) {}
  std::string Text(bool within_object) const;

  const Path* parent_ = nullptr;
  std::string_view key_;
  size_t index_ = kNoIndex;
  bool is_object_ = false;
  std::vector<MalformedValue>* malformed_ = nullptr;
};

/// `text` for a message: cut to 64 bytes at the boundary of a character.
std::string_view Cut(std::string_view text);

/// "<path>: <text>".
absl::Status Invalid(const Path& at, std::string_view text);
}  // namespace outrigger::json
