#include "kube/stream/protobuf_list_page.h"

#include "json/path.h"
#include "kube/stream/protobuf_head.h"
#include "protobuf/envelope.h"

namespace outrigger::kube {

absl::Status ProtobufListPageReader::Feed(std::string_view bytes, OnListItem on_item) {
  return splitter_.Feed(bytes, [&](uint32_t field, std::string_view value) {
    return field == ProtobufListSplitter::kItem ? TakeItem(value, on_item) : TakeMetadata(value);
  });
}

absl::Status ProtobufListPageReader::TakeItem(std::string_view item, OnListItem on_item) {
  const json::Path items("items");
  const json::Path at = items.Index(page_.items);
  absl::Status status = ReadHead(item, /*annotations=*/false, &head_);
  if (!status.ok()) return json::Invalid(at, std::string(status.message()));
  if (head_.name.empty()) {
    const json::Path metadata = at.Key("metadata");
    return json::Invalid(metadata.Key("name"), "expected a name, found nothing");
  }
  ++page_.items;
  return on_item({.head = head_, .protobuf = item, .document = item});
}

absl::Status ProtobufListPageReader::TakeMetadata(std::string_view metadata) {
  protobuf::ListMeta read;
  absl::Status status = protobuf::ReadListMeta(metadata, &read);
  if (!status.ok()) return status;
  page_.resource_version = read.resource_version;
  page_.continue_token = read.continue_;
  page_.remaining_items = read.remaining_item_count;
  return status;
}

absl::StatusOr<ListPage> ProtobufListPageReader::Finish() {
  const json::Path list("list");
  if (!splitter_.complete()) return json::Invalid(list, "broken protobuf: it is not complete");
  if (page_.resource_version.empty()) {
    const json::Path metadata = list.Key("metadata");
    return json::Invalid(metadata.Key("resourceVersion"), "expected a version, found nothing");
  }
  return std::move(page_);
}

}  // namespace outrigger::kube
