#include "apiserver/types/protobuf.h"

#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "apiserver/types/body.h"
#include "gmock/gmock.h"
#include "golden.h"
#include "protozero/pbf_writer.hpp"

// That each kind reads as upstream reads it is compared in the suite `oracles`.

namespace outrigger::apiserver {
namespace {

using std::string_literals::operator""s;
using ::testing::HasSubstr;

std::string Nested(uint32_t number, const std::string& bytes) {
  std::string message;
  protozero::pbf_writer(message).add_bytes(number, bytes);
  return message;
}

std::string Enveloped(const std::string& version, const std::string& kind, const std::string& raw) {
  return "k8s\0"s + Nested(1, Nested(1, version) + Nested(2, kind)) + Nested(2, raw);
}

TEST(FromProtobuf, ReadsAnObject) {
  const std::string container =
      Nested(1, "c") + Nested(8, Nested(1, Nested(1, "cpu") + Nested(2, Nested(1, "1500m"))));
  const std::string body = Enveloped(
      "v1", "Pod", Nested(1, Nested(1, "a") + Nested(8, "")) + Nested(2, Nested(2, container)));
  Json object;
  const auto failure = FromProtobuf(body, &object);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(object, Json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
      "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1500m"}}}]},
      "status": {}})"))
      << object;
}

TEST(FromProtobuf, ReadsTheOptionsOfADelete) {
  std::string options;
  protozero::pbf_writer(options).add_int64(1, -1);
  Json object;
  ASSERT_FALSE(FromProtobuf(
      Enveloped("apps/v1", "DeleteOptions", options + Nested(4, "Foreground")), &object));
  EXPECT_EQ(object["gracePeriodSeconds"], -1);
  EXPECT_EQ(object["propagationPolicy"], "Foreground");
}

TEST(FromProtobuf, MergesAMessageThatComesInParts) {
  Json object;
  ASSERT_FALSE(FromProtobuf(
      Enveloped("v1", "ConfigMap", Nested(1, Nested(1, "a")) + Nested(1, Nested(3, "ns"))),
      &object));
  EXPECT_EQ(object["metadata"], Json::parse(R"({"name": "a", "namespace": "ns"})"));
}

TEST(FromProtobuf, WritesWhatIsNotUtf8AsGoDoes) {
  Json object;
  ASSERT_FALSE(FromProtobuf(Enveloped("v1", "ConfigMap", Nested(1, Nested(1, "a\xff"))), &object));
  EXPECT_EQ(object["metadata"]["name"], "a\xEF\xBF\xBD");
}

struct ProtobufRow {
  const char* name;
  std::string body;
  const char* problem;
};

const ProtobufRow kBrokenProtobuf[] = {
    {"no envelope", "{}", "begins with"},
    {"an unknown kind", Enveloped("v1", "Nothing", ""), "no kind \"Nothing\" is registered"},
    {"an unknown version", Enveloped("v2", "Pod", ""),
     "no kind \"Pod\" is registered for version \"v2\""},
    {"cut off", Enveloped("v1", "Pod", "\x0a\x05"), "longer than its message"},
    {"a number for text", Enveloped("v1", "Pod", Nested(1, "\x08\x01")),
     "a wire type that does not fit"},
    {"text for a number", Enveloped("v1", "Pod", Nested(2, Nested(25, "x"))),
     "a wire type that does not fit"},
    {"no quantity",
     Enveloped("v1", "Pod", Nested(2, Nested(32, Nested(1, "cpu") + Nested(2, Nested(1, "x"))))),
     "quantities must match"},
    {"a broken map", Enveloped("v1", "ConfigMap", Nested(2, "\x0a\x7f")),
     "longer than its message"},
};

TEST(FromProtobuf, RefusesWhatIsBroken) {
  for (const ProtobufRow& row : kBrokenProtobuf) {
    SCOPED_TRACE(row.name);
    Json object;
    const auto failure = FromProtobuf(row.body, &object);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, 400);
    EXPECT_THAT(failure->message, HasSubstr(row.problem));
  }
}

TEST(FromProtobuf, RefusesWhatIsNestedTooDeeply) {
  std::string schema;
  for (int i = 0; i < kMaxDepth; ++i) schema = Nested(28, schema);  // JSONSchemaProps.not
  Json object;
  const auto failure = FromProtobuf(Enveloped("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                              Nested(2, Nested(7, Nested(4, Nested(1, schema))))),
                                    &object);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("nested too deeply"));
}

std::string BytesOf(const Json& row) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(row.at("protobuf").get_ref<const std::string&>(), &bytes));
  return bytes;
}

// Amounts that upstream's own decoder refuses, and pointers to times that are none.
const std::set<std::string> kUnlikely = {"malformed amounts", "odd amounts", "no start",
                                         "no times"};

TEST(FromProtobuf, GivesTheJsonThatUpstreamGives) {
  const Json golden = testing::LoadGolden("upstream_protobuf.json");
  for (const char* section : {"pods", "nodes", "statuses"}) {
    for (const Json& row : golden.at(section)) {
      const auto name = row.at("name").get<std::string>();
      if (kUnlikely.contains(name)) continue;
      SCOPED_TRACE(section + (" " + name));
      Json object;
      ASSERT_FALSE(FromProtobuf(BytesOf(row), &object));
      EXPECT_EQ(object, row.at("json"));
    }
  }
}

TEST(FromProtobuf, SurvivesCutsAndFlippedBits) {
  const Json golden = testing::LoadGolden("upstream_protobuf.json");
  const std::string whole = BytesOf(golden.at("pods").back());
  Json object;
  size_t refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    refused += FromProtobuf(whole.substr(0, i), &object) ? 1 : 0;
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    FromProtobuf(flipped, &object);
  }
  EXPECT_GT(refused, whole.size() / 2);
}

}  // namespace
}  // namespace outrigger::apiserver
