#pragma once

#include <string>
#include <string_view>

#include "serve/wire/extender.h"

namespace outrigger::bench {

/// A recorded request body with the padding that the decoder wants.
class RecordedBody {
 public:
  /// Reads `name` from the directory in the environment variable OUTRIGGER_BENCH_BODIES, which
  /// scripts/bench fills. A file that cannot be read gives an empty body: see ok().
  explicit RecordedBody(std::string_view name);

  bool ok() const { return size_ != 0; }
  size_t size() const { return size_; }
  /// Valid as long as this object.
  wire::Body body() const { return {bytes_.data(), size_}; }

 private:
  std::string bytes_;
  size_t size_ = 0;
};

/// What a benchmark says when its body is not there.
inline constexpr char kNoBody[] = "no recorded body: run scripts/bench --parts";

}  // namespace outrigger::bench
