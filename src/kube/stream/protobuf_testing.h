#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

// What the API server sends in protobuf, encoded by hand: field numbers are those of upstream's
// generated.proto files.

namespace outrigger::kube {

inline std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7U) bytes += static_cast<char>(number | 0x80U);
  return bytes += static_cast<char>(number);
}
inline std::string Number(uint32_t field, uint64_t number) {
  return Varint(field << 3U) + Varint(number);
}
inline std::string Bytes(uint32_t field, std::string_view bytes) {
  return Varint(field << 3U | 2U) + Varint(bytes.size()) + std::string(bytes);
}

/// An object with the metadata that a reflector reads, and field 2, a text.
inline std::string Message(std::string_view name, int64_t version, std::string_view value,
                           std::string_view annotations = "") {
  const std::string metadata = Bytes(1, name) + Bytes(3, "d") + Bytes(6, fmt::to_string(version));
  return Bytes(1, metadata + std::string(annotations)) + Bytes(2, value);
}
inline std::string Enveloped(std::string_view raw, std::string_view kind = "Pod") {
  using std::string_literals::operator""s;
  return "k8s\0"s + Bytes(1, Bytes(1, "v1") + Bytes(2, kind)) + Bytes(2, raw) + Bytes(3, "") +
         Bytes(4, "");
}
inline std::string Frame(std::string_view event) {
  std::string length;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    length += static_cast<char>(event.size() >> shift);
  }
  return length + std::string(event);
}
inline std::string FrameOf(std::string_view type, std::string_view object) {
  return Frame(Bytes(1, type) + Bytes(2, Bytes(1, object)));
}
inline std::string FrameOf(std::string_view type, std::string_view name, int64_t version,
                           std::string_view value) {
  return FrameOf(type, Enveloped(Message(name, version, value)));
}
inline std::string EndFrame(int64_t version) {
  const std::string annotation =
      Bytes(12, Bytes(1, "k8s.io/initial-events-end") + Bytes(2, "true"));
  const std::string metadata = Bytes(6, fmt::to_string(version)) + annotation;
  return FrameOf("BOOKMARK", Enveloped(Bytes(1, metadata)));
}
inline std::string ProtobufList(int64_t version, const std::vector<std::string>& items,
                                std::string_view continue_token = "") {
  std::string list = Bytes(1, Bytes(2, fmt::to_string(version)) + Bytes(3, continue_token));
  for (const std::string& item : items) list += Bytes(2, item);
  return Enveloped(list, "PodList");
}
inline std::string ProtobufStatus(int code, std::string_view reason, std::string_view message) {
  return Enveloped(Bytes(2, "Failure") + Bytes(3, message) + Bytes(4, reason) +
                       Number(6, static_cast<uint64_t>(code)),
                   "Status");
}

}  // namespace outrigger::kube
