#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "protozero/pbf_writer.hpp"

namespace outrigger::protobuf {

/// An object in both forms, as upstream writes them: a row of tests/golden/upstream_protobuf.json.
struct Pair {
  std::string name;
  nlohmann::json json;
  std::string protobuf;
};
std::vector<Pair> PairsOf(const std::string& section);
/// The message of the object alone.
std::string ObjectOf(const Pair& pair);
/// The message of the row `name` of a section.
std::string ObjectNamed(const std::string& section, std::string_view name);

/// Bytes in memory of exactly their size, so that a sanitizer sees who reads outside.
class ExactBytes {
 public:
  explicit ExactBytes(std::string_view bytes)
      : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    bytes.copy(bytes_.get(), size_);
  }
  operator std::string_view() const {  // NOLINT(google-explicit-constructor)
    return {bytes_.get(), size_};
  }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

/// Writes a message: Message().Text(1, "a").Nested(2, Message().Number(4, 1)).bytes.
struct Message {
  Message& Text(uint32_t number, std::string_view text) {
    protozero::pbf_writer(bytes).add_bytes(number, text.data(), text.size());
    return *this;
  }
  Message& Nested(uint32_t number, const Message& message) { return Text(number, message.bytes); }
  Message& Number(uint32_t number, uint64_t value) {
    protozero::pbf_writer(bytes).add_uint64(number, value);
    return *this;
  }
  Message& Fixed32(uint32_t number) {
    protozero::pbf_writer(bytes).add_fixed32(number, 7);
    return *this;
  }
  Message& Fixed64(uint32_t number) {
    protozero::pbf_writer(bytes).add_fixed64(number, 7);
    return *this;
  }
  Message& Bytes(std::string_view raw) {
    bytes += raw;
    return *this;
  }
  /// An entry of a map of texts, and one of a map of quantities.
  Message& Entry(uint32_t number, std::string_view key, std::string_view value) {
    return Nested(number, Message().Text(1, key).Text(2, value));
  }
  Message& Amount(uint32_t number, std::string_view key, std::string_view amount) {
    return Nested(number, Message().Text(1, key).Nested(2, Message().Text(1, amount)));
  }

  std::string bytes;
};

MATCHER_P(IsInvalid, text, "") {
  *result_listener << arg.ToString();
  return arg.code() == absl::StatusCode::kInvalidArgument &&
         std::string(arg.message()).find(text) != std::string::npos;
}
MATCHER(IsOk, "") {
  *result_listener << arg.ToString();
  return arg.ok();
}

}  // namespace outrigger::protobuf
