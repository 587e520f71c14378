#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "json/parser.h"
#include "kube/stream/list_splitter.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// What a page of a list says besides its items.
struct ListPage {
  std::string resource_version;
  std::string continue_token;  // empty: it is the last page
  std::optional<int64_t> remaining_items;
  size_t items = 0;
};

/// An item of a list. Everything is valid during the callback only.
struct ListItem {
  const ObjectHead& head;    // with a name
  json::Object object = {};  // to be read at most once; empty if `protobuf` is not
  /// The object as the bytes of a protobuf message; without data where it came as JSON.
  std::string_view protobuf = {};
  std::string_view document;
};

using OnListItem = absl::FunctionRef<absl::Status(const ListItem& item)>;

/// Decodes one page of a list while its bytes come. Memory is that of the largest item. For one
/// page; not thread-safe.
class ListPageReader {
 public:
  /// Calls `on_item` for each item that ends within `bytes`, any piece of the page. Ends with the
  /// first error: InvalidArgument (not JSON, not a list, an item without a name),
  /// ResourceExhausted (an item or the rest is too large), or what `on_item` returned.
  absl::Status Feed(std::string_view bytes, OnListItem on_item);

  /// To be called when the page has ended and all of Feed() went well. InvalidArgument if it is not
  /// complete or not a list: without `items` or a resource version nothing may be concluded from
  /// it.
  absl::StatusOr<ListPage> Finish();

 private:
  absl::Status Decode(json::Body item, OnListItem on_item);
  absl::Status ReadFrame(json::Object root, ListPage* page, bool* has_items) const;

  ListSplitter splitter_;
  std::unique_ptr<json::Parser> parser_ = std::make_unique<json::Parser>();
  ObjectHead head_;
};

}  // namespace outrigger::kube
