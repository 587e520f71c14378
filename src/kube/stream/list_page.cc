#include "kube/stream/list_page.h"

#include "codec/json/reader.h"
#include "fmt/format.h"

namespace outrigger::kube {
namespace {

constexpr std::string_view kItems = "items";

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

size_t ValueEnd::Scan(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return i + 1;
    }
  }
  return bytes.size();
}

absl::Status ListSplitter::Feed(std::string_view bytes, OnItem on_item) {
  absl::Status status;
  while (status.ok() && !bytes.empty()) {
    switch (place_) {
      case Place::kFrame:
        status = FeedFrame(&bytes);
        break;
      case Place::kItem:
        status = FeedItem(&bytes, on_item);
        break;
      default:
        status = FeedBetween(&bytes);
    }
  }
  return status;
}

void ListSplitter::StepFrameString(char c) {
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    return;
  }
  if (depth_ == 1 && last_string_.size() <= kItems.size()) last_string_ += c;
}

void ListSplitter::StepFrame(char c) {
  if (in_string_) return StepFrameString(c);
  switch (c) {
    case '"':
      in_string_ = true;
      if (depth_ == 1) last_string_.clear();
      break;
    case ':':
      if (depth_ == 1) is_items_ = last_string_ == kItems;
      break;
    case '{':
    case '[':
      if (depth_ == 1 && is_items_ && c == '[') place_ = Place::kFirstItem;
      ++depth_;
      is_items_ = false;
      break;
    case '}':
    case ']':
      if (depth_ > 0) --depth_;
      break;
    default:
      if (!IsBlank(c)) is_items_ = false;
  }
}

absl::Status ListSplitter::FeedFrame(std::string_view* bytes) {
  size_t taken = 0;
  while (taken < bytes->size() && place_ == Place::kFrame) StepFrame((*bytes)[taken++]);
  if (taken > kMaxFrame - frame_.size()) {
    return absl::ResourceExhaustedError(
        fmt::format("list: more than {} bytes around its items", kMaxFrame));
  }
  frame_.append(bytes->substr(0, taken));
  bytes->remove_prefix(taken);
  return absl::OkStatus();
}

absl::Status ListSplitter::FeedBetween(std::string_view* bytes) {
  const char c = bytes->front();
  if (c == '{' && place_ != Place::kBehindItem) {
    place_ = Place::kItem;
    end_ = ValueEnd();
    return absl::OkStatus();
  }
  bytes->remove_prefix(1);
  if (IsBlank(c)) return absl::OkStatus();
  if (c == ',' && place_ == Place::kBehindItem) {
    place_ = Place::kNextItem;
    return absl::OkStatus();
  }
  if (c == ']' && place_ != Place::kNextItem) {
    frame_ += c;
    --depth_;
    place_ = Place::kFrame;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("items[{}]: expected {}", items_,
                  place_ == Place::kBehindItem ? "a comma or the end of the items" : "an object"));
}

absl::Status ListSplitter::FeedItem(std::string_view* bytes, OnItem on_item) {
  const size_t taken = end_.Scan(*bytes);
  if (taken > kMaxItem - item_.size()) {
    return absl::ResourceExhaustedError(
        fmt::format("items[{}]: an object of more than {} bytes", items_, kMaxItem));
  }
  item_.append(bytes->substr(0, taken));
  bytes->remove_prefix(taken);
  if (!end_.done()) return absl::OkStatus();
  place_ = Place::kBehindItem;
  const size_t size = item_.size();
  item_.append(json::kPadding, ' ');
  absl::Status status = on_item({item_.data(), size});
  ++items_;
  item_.clear();
  if (item_.capacity() > kKeptBytes) item_.shrink_to_fit();
  return status;
}

namespace {

using json::Field;

absl::Status ReadMetadata(json::Value value, const json::Path& at, ListPage* page) {
  return json::ReadObject(value, at, Field{"resourceVersion", &page->resource_version},
                          Field{"continue", &page->continue_token},
                          Field{"remainingItemCount", &page->remaining_items});
}

// The items were cut out: one that is still there was hidden, say by an escape in the key.
absl::Status CheckNoItems(json::Value value, const json::Path& at) {
  return json::ForEachElement(value, at, [](json::Value, const json::Path& place) {
    return json::Invalid(place, "an item after a key that is not written as \"items\"");
  });
}

}  // namespace

absl::Status ListPageReader::Feed(std::string_view bytes, OnListItem on_item) {
  return splitter_.Feed(bytes, [&](json::Body item) {
    absl::Status status = Decode(item, on_item);
    if (parser_->capacity() > 2 * ListSplitter::kKeptBytes) {
      parser_ = std::make_unique<json::Parser>();
    }
    return status;
  });
}

absl::Status ListPageReader::Decode(json::Body item, OnListItem on_item) {
  const json::Path items("items");
  const json::Path at = items.Index(splitter_.items());
  json::Object root;
  absl::Status status = parser_->Open(item, &root);
  if (status.ok()) status = ReadHead(root, at, /*annotations=*/false, &head_);
  if (status.ok()) status = parser_->Close();
  if (status.ok()) status = parser_->Rewind(&root);
  if (!status.ok()) return status;
  if (head_.name.empty()) {
    const json::Path metadata = at.Key("metadata");
    return json::Invalid(metadata.Key("name"), "expected a name, found nothing");
  }
  return on_item({.head = head_, .object = root, .document = {item.data, item.size}});
}

absl::Status ListPageReader::ReadFrame(json::Object root, ListPage* page, bool* has_items) const {
  const json::Path list("list");
  bool has_metadata = false;
  return json::ForEachField(root, list, [&](std::string_view key, json::Value value) {
    const json::Path at = list.Key(key);
    bool* const seen = key == "items" ? has_items : key == "metadata" ? &has_metadata : nullptr;
    if (seen == nullptr) return json::SkipValue(value, at);
    if (*seen) return json::Invalid(at, "given twice, expected once");
    *seen = true;
    return json::ReadField(value, at, [&](json::Value given, const json::Path& place) {
      return key == "items" ? CheckNoItems(given, place) : ReadMetadata(given, place, page);
    });
  });
}

absl::StatusOr<ListPage> ListPageReader::Finish() {
  std::string frame = splitter_.frame();
  const size_t size = frame.size();
  frame.append(json::kPadding, ' ');
  json::Object root;
  ListPage page;
  bool has_items = false;
  absl::Status status = parser_->Open({frame.data(), size}, &root);
  if (status.ok()) status = ReadFrame(root, &page, &has_items);
  if (status.ok()) status = parser_->Close();
  if (!status.ok()) return status;
  const json::Path list("list");
  if (!has_items) return json::Invalid(list.Key("items"), "expected an array, found nothing");
  if (page.resource_version.empty()) {
    const json::Path metadata = list.Key("metadata");
    return json::Invalid(metadata.Key("resourceVersion"), "expected a version, found nothing");
  }
  page.items = splitter_.items();
  return page;
}

}  // namespace outrigger::kube
