#include "kube/stream/list_splitter.h"

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

}  // namespace outrigger::kube
