#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/stream/list_page.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// ReadHead() of object_head.h for the protobuf message of an object. InvalidArgument if that is
/// broken.
absl::Status ReadHead(std::string_view object, bool annotations, ObjectHead* head);

/// Cuts the fields of a list in protobuf out of its bytes while these come, so that a list of any
/// length takes the memory of one object. Not thread-safe.
///
/// A list is "k8s\0", then a runtime.Unknown whose field 2 has the bytes of the list, whose field 1
/// has the metadata and whose field 2, again and again, an object.
class ProtobufListSplitter {
 public:
  static constexpr size_t kMaxField = size_t{16} << 20U;
  static constexpr size_t kKeptBytes = size_t{256} << 10U;
  static constexpr uint32_t kMetadata = 1;
  static constexpr uint32_t kItem = 2;

  using OnField = absl::FunctionRef<absl::Status(uint32_t field, std::string_view bytes)>;

  /// Calls `on_field` for each field kMetadata or kItem that ends within `bytes`, any piece of the
  /// list, with a view that is valid during the call. Ends with the first error of `on_field`,
  /// InvalidArgument or ResourceExhausted (a field is too large); it cannot go on after one.
  absl::Status Feed(std::string_view bytes, OnField on_field);

  /// The list has come to its end, at the end of a field.
  bool complete() const;
  size_t capacity() const { return payload_.capacity(); }

 private:
  enum class Place : uint8_t { kMagic, kKey, kLength, kVarint, kPayload };

  absl::Status Step(unsigned char c, OnField on_field);
  absl::Status TakeKey(uint64_t key, OnField on_field);
  absl::Status TakeLength(uint64_t length, OnField on_field);
  absl::Status TakePayload(std::string_view* bytes, OnField on_field);
  absl::Status EndPayload(std::string_view bytes, OnField on_field);
  absl::Status EndField();
  bool wanted() const;

  Place place_ = Place::kMagic;
  size_t in_magic_ = 0;
  bool in_list_ = false;    // else around it
  bool seen_list_ = false;  // it has begun
  uint64_t left_ = 0;       // bytes of the list that are to come
  uint32_t field_ = 0;
  uint64_t varint_ = 0;
  unsigned shift_ = 0;
  uint64_t payload_left_ = 0;
  std::string payload_;  // of a field that came in pieces, what has come
};

/// ListPageReader for a page in protobuf; the same contract.
class ProtobufListPageReader {
 public:
  absl::Status Feed(std::string_view bytes, OnListItem on_item);
  absl::StatusOr<ListPage> Finish();

 private:
  absl::Status TakeItem(std::string_view item, OnListItem on_item);
  absl::Status TakeMetadata(std::string_view metadata);

  ProtobufListSplitter splitter_;
  ListPage page_;
  ObjectHead head_;
};

}  // namespace outrigger::kube
