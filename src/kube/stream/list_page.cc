#include "kube/stream/list_page.h"

#include "json/reader.h"

namespace outrigger::kube {
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
    return json::Invalid(place, "an item behind a key that is not written as \"items\"");
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
