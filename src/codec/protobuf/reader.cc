#include "codec/protobuf/reader.h"

#include <string>

#include "codec/json/text.h"
#include "codec/json/words.h"
#include "fmt/format.h"
#include "protozero/exception.hpp"
#include "protozero/varint.hpp"

namespace outrigger::protobuf {
namespace {

// From 0000-01-01 to the end of 9999: what the JSON form of a time can say.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;

absl::Status CheckVarint(const WireField& field, const Path& at) {
  if (field.type == WireType::kVarint) return absl::OkStatus();
  return Broken(at, "expected a number, found another type");
}

// The largest number that a field can have; 0 is none.
constexpr uint64_t kMaxNumber = (1U << 29) - 1;

}  // namespace

void Keep(std::string_view text, std::string* out) {
  if (json::IsUtf8(text)) {
    out->assign(text);
  } else {
    out->clear();
    json::AppendUtf8(text, out);
  }
}

void Keep(const TextEntry& entry, StringMap* map) {
  if (json::IsUtf8(entry.value)) {
    map->Append(entry.key, entry.value);
  } else {
    std::string value;
    json::AppendUtf8(entry.value, &value);
    map->Append(entry.key, value);
  }
}

absl::Status CheckBytes(const WireField& field, const Path& at) {
  if (field.type == WireType::kBytes) return absl::OkStatus();
  return Broken(at, "expected a text or a message, found a number");
}

absl::Status CheckText(std::string_view text, const Path& at) {
  return json::IsUtf8(text) ? absl::OkStatus() : Broken(at, "not UTF-8");
}

absl::Status Read(const WireField& field, const Path& at, std::string_view* text) {
  absl::Status status = CheckBytes(field, at);
  if (status.ok()) status = CheckText(field.bytes, at);
  if (status.ok()) *text = field.bytes;
  return status;
}

absl::Status Read(const WireField& field, const Path& at, std::string* text) {
  absl::Status status = CheckBytes(field, at);
  if (status.ok()) Keep(field.bytes, text);
  return status;
}

absl::Status Read(const WireField& field, const Path& at, bool* flag) {
  *flag = field.varint != 0;
  return CheckVarint(field, at);
}

absl::Status Read(const WireField& field, const Path& at, int32_t* number) {
  *number = static_cast<int32_t>(static_cast<uint32_t>(field.varint));
  return CheckVarint(field, at);
}

absl::Status Read(const WireField& field, const Path& at, int64_t* number) {
  *number = static_cast<int64_t>(field.varint);
  return CheckVarint(field, at);
}

absl::Status Read(const WireField& field, const Path& at, std::vector<std::string>* list) {
  const size_t index = list->size();
  return Read(field, at.Index(index), &list->emplace_back());
}

absl::Status ReadEntry(Bytes bytes, const Path& at, TextEntry* entry) {
  return ReadMessage(bytes, at, Field{1, "key", &entry->key},
                     Field{2, "value", Raw(&entry->value)});
}

absl::Status Read(const WireField& field, const Path& at, StringMap* map) {
  TextEntry entry;
  absl::Status status = CheckBytes(field, at);
  if (status.ok()) status = ReadEntry(field.bytes, at, &entry);
  if (status.ok()) Keep(entry, map);
  return status;
}

absl::Status Read(const WireField& field, const Path& at, ResourceList* list) {
  std::string_view name;
  std::string_view text;
  const auto amount = [&text](Bytes bytes, const Path& place) {
    return ReadMessage(bytes, place, Field{1, "string", &text});
  };
  absl::Status status = CheckBytes(field, at);
  if (status.ok()) {
    status = ReadMessage(field.bytes, at, Field{1, "key", &name}, Field{2, "value", amount});
  }
  if (!status.ok()) return status;
  const bool is_absent = text.data() == nullptr;  // zero, as in Go
  const auto quantity = is_absent ? Quantity() : Quantity::Parse(text);
  if (quantity.ok()) {
    list->Append(name, *quantity);
  } else {
    at.Key(name).Malformed(text, json::kAcceptedQuantity);
  }
  return status;
}

absl::Status ReadTime(Bytes bytes, const Path& at, std::optional<int64_t>* seconds) {
  seconds->reset();
  if (bytes.empty()) return absl::OkStatus();
  absl::Status status = ReadMessage(bytes, at, Field{1, "seconds", &seconds->emplace(0)});
  if (status.ok() && (**seconds < kFirstSecond || **seconds > kLastSecond)) {
    at.Malformed(fmt::format("{}", **seconds), json::kAcceptedTime);
    *seconds = 0;
  }
  return status;
}

// Of protozero only the varints are used: its pbf_reader cuts lengths to 32 bits and reads the byte
// of a bool before it knows that there is one.

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
