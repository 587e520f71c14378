#pragma once

#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/stream/list_page.h"
#include "kube/stream/protobuf_list_page.h"
#include "kube/stream/protobuf_watch_stream.h"
#include "kube/stream/watch_stream.h"

// Bodies of which only their first byte says how they are encoded: a server that was asked for
// protobuf may answer in JSON all the same, and some proxies lose the Content-Type.

namespace outrigger::kube {

/// The body of a watch. Not thread-safe.
class WatchBody {
 public:
  /// See WatchStream::Feed().
  absl::Status Feed(std::string_view bytes, OnWatchEvent on_event);

 private:
  std::variant<std::monostate, WatchStream, ProtobufWatchStream> stream_;
};

/// One page of a list. Not thread-safe.
class ListBody {
 public:
  /// See ListPageReader.
  absl::Status Feed(std::string_view bytes, OnListItem on_item);
  absl::StatusOr<ListPage> Finish();

 private:
  std::variant<std::monostate, ListPageReader, ProtobufListPageReader> reader_;
};

}  // namespace outrigger::kube
