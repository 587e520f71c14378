#include "kube/stream/protobuf_list_page.h"

#include <algorithm>

#include "codec/json/path.h"
#include "codec/protobuf/envelope.h"
#include "fmt/format.h"

namespace outrigger::kube {

absl::Status ReadHead(std::string_view object, bool annotations, ObjectHead* head) {
  protobuf::Metadata metadata;
  absl::Status status = protobuf::ReadMetadata(object, annotations, &metadata);
  if (!status.ok()) return status;
  head->name = metadata.name;
  head->namespace_ = metadata.namespace_;
  head->resource_version = metadata.resource_version;
  head->initial_events_end = metadata.initial_events_end;
  return status;
}

namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr uint32_t kRaw = 2;  // of runtime.Unknown

// Wire types, as https://protobuf.dev/programming-guides/encoding/ numbers them.
enum WireType : uint32_t { kVarintType = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

absl::Status Broken(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("list: broken protobuf: {}", what));
}

}  // namespace

bool ProtobufListSplitter::wanted() const {
  return in_list_ && (field_ == kMetadata || field_ == kItem);
}

bool ProtobufListSplitter::complete() const {
  return seen_list_ && !in_list_ && place_ == Place::kKey && shift_ == 0;
}

absl::Status ProtobufListSplitter::Feed(std::string_view bytes, OnField on_field) {
  absl::Status status;
  while (status.ok() && !bytes.empty()) {
    if (place_ == Place::kPayload) {
      status = TakePayload(&bytes, on_field);
      continue;
    }
    const auto c = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    status = Step(c, on_field);
  }
  return status;
}

// One byte of what says how long the next field is.
absl::Status ProtobufListSplitter::Step(unsigned char c, OnField on_field) {
  if (place_ == Place::kMagic) {
    if (c != static_cast<unsigned char>(kMagic[in_magic_])) return Broken("it is none");
    if (++in_magic_ == kMagic.size()) place_ = Place::kKey;
    return absl::OkStatus();
  }
  if (in_list_ && left_-- == 0) return Broken("a field ends after the list");
  if (shift_ > 63 || (shift_ == 63 && c > 1)) return Broken("a number of more than 64 bits");
  varint_ |= uint64_t{c & 0x7fU} << shift_;
  shift_ += 7;
  if ((c & 0x80U) != 0) return absl::OkStatus();
  const uint64_t number = varint_;
  varint_ = 0;
  shift_ = 0;
  switch (place_) {
    case Place::kKey:
      return TakeKey(number, on_field);
    case Place::kLength:
      return TakeLength(number, on_field);
    default:
      return EndField();
  }
}

absl::Status ProtobufListSplitter::TakeKey(uint64_t key, OnField on_field) {
  if (key >> 3U == 0 || key >> 3U > 0x1fff'ffffU) return Broken("a field's number is off");
  field_ = static_cast<uint32_t>(key >> 3U);
  const auto type = static_cast<WireType>(key & 7U);
  const bool is_known = in_list_ ? wanted() : field_ == kRaw;
  if (is_known && type != kBytes) return Broken(fmt::format("field {} has no length", field_));
  switch (type) {
    case kVarintType:
      place_ = Place::kVarint;
      return absl::OkStatus();
    case kFixed64:
      return TakeLength(8, on_field);
    case kFixed32:
      return TakeLength(4, on_field);
    case kBytes:
      place_ = Place::kLength;
      return absl::OkStatus();
    default:
      return Broken(fmt::format("wire type {}", key & 7U));
  }
}

absl::Status ProtobufListSplitter::TakeLength(uint64_t length, OnField on_field) {
  if (!in_list_ && field_ == kRaw) {
    if (seen_list_) return Broken("two lists in one");
    in_list_ = seen_list_ = true;
    left_ = length;
    return EndField();
  }
  if (in_list_ && length > left_) return Broken("a field ends after the list");
  if (wanted() && length > kMaxField) {
    return absl::ResourceExhaustedError(
        fmt::format("list: an object of {} bytes, expected at most {}", length, kMaxField));
  }
  payload_left_ = length;
  place_ = Place::kPayload;
  return length == 0 ? EndPayload({}, on_field) : absl::OkStatus();
}

absl::Status ProtobufListSplitter::TakePayload(std::string_view* bytes, OnField on_field) {
  const size_t taken = std::min<uint64_t>(payload_left_, bytes->size());
  const std::string_view piece = bytes->substr(0, taken);
  bytes->remove_prefix(taken);
  payload_left_ -= taken;
  if (in_list_) left_ -= taken;
  const bool in_one_piece = payload_.empty() && payload_left_ == 0;
  if (wanted() && !in_one_piece) payload_.append(piece);
  if (payload_left_ > 0) return absl::OkStatus();
  return EndPayload(in_one_piece ? piece : payload_, on_field);
}

absl::Status ProtobufListSplitter::EndPayload(std::string_view bytes, OnField on_field) {
  absl::Status status = wanted() ? on_field(field_, bytes) : absl::OkStatus();
  payload_.clear();
  if (payload_.capacity() > kKeptBytes) payload_.shrink_to_fit();
  return status.ok() ? EndField() : status;
}

absl::Status ProtobufListSplitter::EndField() {
  place_ = Place::kKey;
  if (in_list_ && left_ == 0) in_list_ = false;
  return absl::OkStatus();
}

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
