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
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// Where a JSON value ends, of bytes that come in pieces. Strings and brackets are followed,
/// nothing is checked.
class ValueEnd {
 public:
  /// The number of bytes of `bytes` that belong to the value, which is an object or an array: all
  /// of them unless it ends here, see done(). The first byte ever is its bracket.
  size_t Scan(std::string_view bytes);
  bool done() const { return depth_ == 0; }

 private:
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

/// Cuts the objects of `items` out of a list while its bytes come, so that a list of any length
/// takes the memory of one object. Not thread-safe.
///
/// What is left over, the frame, is `{"kind":"PodList",...,"items":[]}`, for others to check; that
/// what was cut out are objects with commas between them is checked here.
class ListSplitter {
 public:
  static constexpr size_t kMaxItem = size_t{16} << 20U;
  static constexpr size_t kMaxFrame = size_t{1} << 20U;
  static constexpr size_t kKeptBytes = size_t{256} << 10U;

  using OnItem = absl::FunctionRef<absl::Status(json::Body item)>;

  /// Calls `on_item` for each object that ends within `bytes`, any piece of the list, with room
  /// behind it as JSON needs it. Ends with the first error of `on_item`, InvalidArgument or
  /// ResourceExhausted (an object or the frame is too large); it cannot go on after one.
  absl::Status Feed(std::string_view bytes, OnItem on_item);

  /// What lies around the items.
  const std::string& frame() const { return frame_; }
  /// Items that have ended.
  size_t items() const { return items_; }
  size_t capacity() const { return frame_.capacity() + item_.capacity(); }

 private:
  enum class Place : uint8_t { kFrame, kFirstItem, kItem, kNextItem, kBehindItem };

  absl::Status FeedFrame(std::string_view* bytes);
  absl::Status FeedBetween(std::string_view* bytes);
  absl::Status FeedItem(std::string_view* bytes, OnItem on_item);
  void StepFrame(char c);
  void StepFrameString(char c);

  Place place_ = Place::kFrame;
  std::string frame_;
  size_t depth_ = 0;  // within the frame
  bool in_string_ = false;
  bool escaped_ = false;
  bool is_items_ = false;    // the value that comes is that of the key "items"
  std::string last_string_;  // at depth 1, up to what tells it from "items"
  ValueEnd end_;
  std::string item_;
  size_t items_ = 0;
};

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
