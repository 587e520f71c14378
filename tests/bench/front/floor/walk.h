#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace outrigger::bench {

/// Reads of a request no more than an agent cannot do without: of the pod its name, of each node
/// its name and every annotation, and the bytes that an echo of the node would send; or the names.
/// Keys are expected in the order in which Go's client writes them. Keeps its memory from call to
/// call; not thread-safe.
class Walker {
 public:
  /// Walks `body`, whose bytes must live as long as the results are read. Throws
  /// simdjson::simdjson_error for anything that the benchmark's own requests are not.
  void Walk(simdjson::padded_string_view body);

  /// Of the last request; views into its body or into this.
  const std::vector<std::string_view>& names() const { return names_; }
  /// Each node's own bytes, none for a request of names.
  const std::vector<std::string_view>& slices() const { return slices_; }
  /// Bytes of the annotations that were touched.
  size_t annotation_bytes() const { return annotation_bytes_; }

 private:
  void WalkNode(simdjson::ondemand::object node);

  simdjson::ondemand::parser parser_;
  std::vector<std::string_view> names_;
  std::vector<std::string_view> slices_;
  std::string_view pod_name_;
  size_t annotation_bytes_ = 0;
};

}  // namespace outrigger::bench
