#include "protobuf_testing.h"

#include <cstdint>

#include "codec/protobuf/envelope.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::protobuf {
namespace {

std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<uint32_t>(kDigits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<uint32_t>(count) & 0xFFU);
    }
  }
  return bytes;
}

}  // namespace

std::vector<Pair> PairsOf(const std::string& section) {
  static const auto& table = *new nlohmann::json(testing::LoadGolden("upstream_protobuf.json"));
  std::vector<Pair> pairs;
  for (const nlohmann::json& row : table.at(section)) {
    pairs.push_back({row.at("name"), row.at("json"),
                     FromBase64(row.at("protobuf").get_ref<const std::string&>())});
  }
  return pairs;
}

std::string ObjectOf(const Pair& pair) {
  Envelope envelope;
  EXPECT_THAT(OpenEnvelope(pair.protobuf, &envelope), IsOk());
  return std::string(envelope.raw);
}

std::string ObjectNamed(const std::string& section, std::string_view name) {
  for (const Pair& pair : PairsOf(section)) {
    if (pair.name == name) return ObjectOf(pair);
  }
  ADD_FAILURE() << "no row " << name << " in " << section;
  return {};
}

}  // namespace outrigger::protobuf
