#include "codec/protobuf/cursor.h"

#include "fmt/format.h"
#include "protozero/exception.hpp"
#include "protozero/varint.hpp"

// Of protozero only the varints are used: its pbf_reader cuts lengths to 32 bits and reads the byte
// of a bool before it knows that there is one.

namespace outrigger::protobuf {
namespace {

// The largest number that a field can have; 0 is none.
constexpr uint64_t kMaxNumber = (1U << 29) - 1;

}  // namespace

absl::Status Broken(const Path& at, std::string_view why) {
  return json::Invalid(at, fmt::format("broken protobuf: {}", why));
}

bool Cursor::Next(WireField* field) {
  if (next_ == end_ || broken_ != nullptr) return false;
  try {
    const uint64_t tag = protozero::decode_varint(&next_, end_);
    const uint64_t number = tag >> 3;
    if (number == 0 || number > kMaxNumber) return Break("no field has such a number");
    field->number = static_cast<uint32_t>(number);
    field->type = static_cast<WireType>(tag & 7U);
    switch (field->type) {
      case WireType::kVarint:
        field->varint = protozero::decode_varint(&next_, end_);
        return true;
      case WireType::kBytes:
        return Take(protozero::decode_varint(&next_, end_), &field->bytes);
      case WireType::kFixed64:
        return Take(8, &field->bytes);
      case WireType::kFixed32:
        return Take(4, &field->bytes);
    }
    return Break("a wire type that is not known, or a group");
  } catch (const protozero::varint_too_long_exception&) {
    return Break("a number of more than 10 bytes");
  } catch (const protozero::exception&) {
    return Break("a number is cut off");
  }
}

absl::Status Cursor::status(const Path& at) const {
  return broken_ == nullptr ? absl::OkStatus() : Broken(at, broken_);
}

bool Cursor::Take(uint64_t size, Bytes* bytes) {
  if (size > static_cast<uint64_t>(end_ - next_))
    return Break("a field is longer than its message");
  *bytes = Bytes(next_, static_cast<size_t>(size));
  next_ += size;
  return true;
}

bool Cursor::Break(const char* why) {
  broken_ = why;
  return false;
}

}  // namespace outrigger::protobuf
