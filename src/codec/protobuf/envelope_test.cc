#include "codec/protobuf/envelope.h"

#include <string>

#include "protobuf_testing.h"
#include "protozero/pbf_reader.hpp"

namespace outrigger::protobuf {
namespace {

using std::string_literals::operator""s;

std::string TextAt(const nlohmann::json& object, const char* pointer) {
  return object.value(nlohmann::json::json_pointer(pointer), std::string());
}

TEST(ProtobufEnvelope, OpensWhatUpstreamWrites) {
  for (const char* section : {"nodes", "pods", "lists", "statuses"}) {
    for (const Pair& pair : PairsOf(section)) {
      SCOPED_TRACE(section + (" " + pair.name));
      Envelope envelope;
      EXPECT_TRUE(IsEnvelope(pair.protobuf));
      ASSERT_THAT(OpenEnvelope(pair.protobuf, &envelope), IsOk());
      EXPECT_EQ(envelope.api_version, "v1");
      EXPECT_EQ(envelope.kind, TextAt(pair.json, "/kind"));
      EXPECT_GE(envelope.raw.data(), pair.protobuf.data());
    }
  }
}

TEST(ProtobufEnvelope, IsToldByItsMagic) {
  EXPECT_TRUE(IsEnvelope("k8s\0"s));
  EXPECT_FALSE(IsEnvelope("k8s"));
  EXPECT_FALSE(IsEnvelope("k8s1"));
  EXPECT_FALSE(IsEnvelope(""));
  EXPECT_FALSE(IsEnvelope(R"({"kind":"Pod"})"));
  Envelope envelope;
  EXPECT_THAT(OpenEnvelope(R"({"kind":"Pod"})", &envelope), IsInvalid("begins with \"k8s\\0\""));
  EXPECT_THAT(OpenEnvelope("k8s\0"s, &envelope), IsOk());
  EXPECT_EQ(envelope.kind, "");
}

TEST(ProtobufEnvelope, OfAnotherObjectIsReadAnew) {
  Envelope envelope{"v1", "Pod", "x"};
  ASSERT_THAT(OpenEnvelope("k8s\0"s, &envelope), IsOk());
  EXPECT_EQ(envelope.api_version, "");
  EXPECT_EQ(envelope.kind, "");
  EXPECT_EQ(envelope.raw, "");
}

TEST(ProtobufMetadata, IsThatOfTheJson) {
  for (const char* section : {"nodes", "pods"}) {
    for (const Pair& pair : PairsOf(section)) {
      SCOPED_TRACE(section + (" " + pair.name));
      const std::string object = ObjectOf(pair);
      Metadata metadata;
      ASSERT_THAT(ReadMetadata(object, true, &metadata), IsOk());
      EXPECT_EQ(metadata.name, TextAt(pair.json, "/metadata/name"));
      EXPECT_EQ(metadata.namespace_, TextAt(pair.json, "/metadata/namespace"));
      EXPECT_EQ(metadata.resource_version, TextAt(pair.json, "/metadata/resourceVersion"));
      EXPECT_FALSE(metadata.initial_events_end);
    }
  }
}

TEST(ProtobufWatch, EventsHoldWhatTheirJsonHolds) {
  size_t ends = 0;
  for (const Pair& pair : PairsOf("events")) {
    SCOPED_TRACE(pair.name);
    WatchFrame frame;
    Envelope envelope;
    Metadata metadata;
    ASSERT_THAT(ReadWatchFrame(pair.protobuf, &frame), IsOk());
    EXPECT_EQ(frame.type, TextAt(pair.json, "/type"));
    ASSERT_THAT(OpenEnvelope(frame.object, &envelope), IsOk());
    EXPECT_EQ(envelope.kind, TextAt(pair.json, "/object/kind"));
    if (envelope.kind == "Status") continue;
    ASSERT_THAT(ReadMetadata(envelope.raw, true, &metadata), IsOk());
    EXPECT_EQ(metadata.resource_version, TextAt(pair.json, "/object/metadata/resourceVersion"));
    EXPECT_EQ(metadata.initial_events_end, pair.name == "end of the initial events");
    ends += metadata.initial_events_end ? 1 : 0;
    ASSERT_THAT(ReadMetadata(envelope.raw, false, &metadata), IsOk());
    EXPECT_FALSE(metadata.initial_events_end);
  }
  EXPECT_EQ(ends, 1U);
}

TEST(ProtobufLists, HaveTheMetadataOfTheJson) {
  for (const Pair& pair : PairsOf("lists")) {
    SCOPED_TRACE(pair.name);
    const std::string object = ObjectOf(pair);
    size_t items = 0;
    ListMeta meta;
    protozero::pbf_reader list(object);
    while (list.next()) {
      const auto tag = list.tag();
      const auto view = list.get_view();
      const std::string_view bytes(view.data(), view.size());
      if (tag == 1) {
        ASSERT_THAT(ReadListMeta(bytes, &meta), IsOk());
      } else {
        ASSERT_EQ(tag, 2U);
        Metadata metadata;
        ASSERT_THAT(ReadMetadata(bytes, false, &metadata), IsOk());
        EXPECT_EQ(metadata.name, TextAt(pair.json.at("items").at(items++), "/metadata/name"));
      }
    }
    EXPECT_EQ(items, pair.json.at("items").size());
    EXPECT_EQ(meta.resource_version, TextAt(pair.json, "/metadata/resourceVersion"));
    EXPECT_EQ(meta.continue_, TextAt(pair.json, "/metadata/continue"));
    const nlohmann::json::json_pointer remaining("/metadata/remainingItemCount");
    EXPECT_EQ(meta.remaining_item_count.has_value(), pair.json.contains(remaining));
    EXPECT_EQ(meta.remaining_item_count.value_or(0), pair.json.value(remaining, int64_t{0}));
  }
}

TEST(ProtobufStatus, SaysWhatItsJsonSays) {
  const std::vector<Pair> pairs = PairsOf("statuses");
  EXPECT_GE(pairs.size(), 7U);
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    const std::string object = ObjectOf(pair);
    ApiStatus status;
    ASSERT_THAT(ReadStatus(object, &status), IsOk());
    EXPECT_EQ(status.code, pair.json.value("code", 0));
    EXPECT_EQ(status.reason, TextAt(pair.json, "/reason"));
    EXPECT_EQ(status.message, TextAt(pair.json, "/message"));
    EXPECT_EQ(status.details_kind, TextAt(pair.json, "/details/kind"));
    EXPECT_EQ(status.details_name, TextAt(pair.json, "/details/name"));
    EXPECT_EQ(status.retry_after_seconds,
              pair.json.value(nlohmann::json::json_pointer("/details/retryAfterSeconds"), 0));
  }
}

}  // namespace
}  // namespace outrigger::protobuf
