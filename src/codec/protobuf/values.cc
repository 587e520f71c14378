// Scalars, entries of maps and elements of lists: Read() of reader.h.

#include <string>

#include "codec/json/accepted.h"
#include "codec/json/text.h"
#include "codec/protobuf/reader.h"
#include "fmt/format.h"

namespace outrigger::protobuf {
namespace {

// From 0000-01-01 to the end of 9999: what the JSON form of a time can say.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;

absl::Status CheckVarint(const WireField& field, const Path& at) {
  if (field.type == WireType::kVarint) return absl::OkStatus();
  return Broken(at, "expected a number, found another type");
}

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

}  // namespace outrigger::protobuf
