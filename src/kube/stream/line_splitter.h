#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "json/body.h"

namespace outrigger::kube {

/// Cuts a stream of bytes into lines. Not thread-safe.
class LineSplitter {
 public:
  /// Memory that is kept between lines, at most; what a longer line took is given back behind it.
  static constexpr size_t kKeptBytes = size_t{256} << 10U;

  /// Lines of up to `max_line` bytes.
  explicit LineSplitter(size_t max_line) : max_line_(max_line) {}

  /// Calls `on_line` for each line that ends within `bytes`, with room behind it as JSON needs it
  /// and without its end; blank lines are left out. Ends with the first error of `on_line`, or
  /// ResourceExhausted at a line that is too long; the stream cannot go on after that.
  absl::Status Feed(std::string_view bytes, absl::FunctionRef<absl::Status(json::Body)> on_line);

  /// Bytes that wait for the end of their line.
  size_t pending() const { return line_.size(); }
  /// Memory in use.
  size_t capacity() const { return line_.capacity(); }

 private:
  absl::Status Append(std::string_view bytes);
  absl::Status EndLine(absl::FunctionRef<absl::Status(json::Body)> on_line);

  const size_t max_line_;
  std::string line_;
};

}  // namespace outrigger::kube
