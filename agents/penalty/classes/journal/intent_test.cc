#include "penalty/classes/intent.h"

#include <string>

#include "gmock/gmock.h"
#include "penalty/classes/policy.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Intent GoldIntent() {
  return {.class_name = "gold",
          .uid = "9d7e3b0c-4f1e-4c59-9a04-6b2f6e3a3d11",
          .resource_version = "4711",
          .base = 1000,
          .target = 850,
          .before = 900,
          .epoch = 3,
          .begun = 1'764'107'389'123,
          .cause = "start default/train",
          .step = IntentStep::kBegun,
          .manifest = "{\"kind\":\"PriorityClass\"}"};
}

ConfigMap MapOf(const Intent& intent) {
  auto map = WriteIntent(intent, 2);
  EXPECT_TRUE(map.ok()) << map.status();
  return map.ok() ? *map : ConfigMap();
}

TEST(IntentTest, IsReadAsItWasWritten) {
  for (const IntentStep step : {IntentStep::kBegun, IntentStep::kDeleting}) {
    Intent intent = GoldIntent();
    intent.step = step;
    const ConfigMap map = MapOf(intent);
    EXPECT_EQ(map.name, "outrigger-penalty-intent-2");
    const IntentRead read = ReadIntent(map);
    EXPECT_TRUE(read.is_intact);
    EXPECT_TRUE(read.is_manifest_intact);
    EXPECT_THAT(read.findings, IsEmpty());
    EXPECT_EQ(read.intent, intent);
  }
}

TEST(IntentTest, IsReadableForPeople) {
  EXPECT_THAT(
      MapOf(GoldIntent()).data.at("intent"),
      StartsWith("class=gold\nuid=9d7e3b0c-4f1e-4c59-9a04-6b2f6e3a3d11\nversion=4711\n"
                 "base=1000\ntarget=850\nbefore=900\nepoch=3\n"
                 "begun=2025-11-25T21:49:49.123Z\ncause=start default/train\nstep=begun\n"));
}

TEST(IntentTest, AClassThatIsTooBigIsRefused) {
  Intent intent = GoldIntent();
  intent.manifest = std::string(kMostMapBytes - 1000, 'x');
  EXPECT_TRUE(WriteIntent(intent, 0).ok());
  intent.manifest = std::string(kMostMapBytes, 'x');
  EXPECT_EQ(WriteIntent(intent, 0).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(IntentTest, WhatIsBeyondLimitsIsNotWritten) {
  Intent intent = GoldIntent();
  intent.target = intent.base + 1;
  EXPECT_THAT(std::string(WriteIntent(intent, 0).status().message()), HasSubstr("target"));
  intent = GoldIntent();
  intent.base = kHighestValue + 1;
  EXPECT_THAT(std::string(WriteIntent(intent, 0).status().message()), HasSubstr("base"));
  intent = GoldIntent();
  intent.uid = "two\nlines";
  EXPECT_THAT(std::string(WriteIntent(intent, 0).status().message()), HasSubstr("uid"));
  EXPECT_FALSE(WriteIntent(GoldIntent(), kIntentMaps).ok());
}

TEST(IntentTest, AnEditedRecordIsFoundAndItsManifestIsKept) {
  ConfigMap map = MapOf(GoldIntent());
  std::string& text = map.data.at("intent");
  text.replace(text.find("target=850"), 10, "target=999");
  const IntentRead read = ReadIntent(map);
  EXPECT_FALSE(read.is_intact);
  EXPECT_TRUE(read.is_manifest_intact);
  EXPECT_EQ(read.intent.manifest, GoldIntent().manifest);
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(
      FindingText(read.findings[0]),
      "ConfigMap outrigger-penalty-intent-2, key intent: was edited: its checksum does not match");
}

TEST(IntentTest, AnEditedManifestIsFound) {
  ConfigMap map = MapOf(GoldIntent());
  map.data.at("manifest") += " ";
  const IntentRead read = ReadIntent(map);
  EXPECT_TRUE(read.is_intact);
  EXPECT_FALSE(read.is_manifest_intact);
}

TEST(IntentTest, UnknownAndMissingPartsAreReported) {
  ConfigMap map = MapOf(GoldIntent());
  map.data["note"] = "mine";
  map.data.erase("manifest");
  std::vector<std::string> texts;
  for (const JournalFinding& finding : ReadIntent(map).findings) {
    texts.push_back(FindingText(finding));
  }
  EXPECT_THAT(texts, ::testing::ElementsAre(
                         "ConfigMap outrigger-penalty-intent-2, key note: is not known",
                         "ConfigMap outrigger-penalty-intent-2, key manifest: is missing"));
  EXPECT_FALSE(ReadIntent(ConfigMap()).is_intact);
}

// Each single byte of both keys, changed to another one.
TEST(IntentTest, EveryChangedByteIsFound) {
  const ConfigMap map = MapOf(GoldIntent());
  for (const auto& [key, value] : map.data) {
    for (size_t i = 0; i < value.size(); ++i) {
      for (const char other : {'0', '\n', '=', '\0', '\xff'}) {
        if (value[i] == other) continue;
        ConfigMap edited = map;
        edited.data.at(key)[i] = other;
        const IntentRead read = ReadIntent(edited);
        EXPECT_FALSE(read.is_intact && read.is_manifest_intact) << key << " " << i;
        EXPECT_FALSE(read.findings.empty());
        EXPECT_LE(read.intent.target, kHighestValue);
        EXPECT_LE(read.intent.base, kHighestValue);
      }
    }
  }
}

TEST(JournalMapsTest, NamesAreOfOneMapEach) {
  const std::vector<std::string> names = JournalMapNames();
  EXPECT_EQ(names.size(), size_t{kClassMaps + kChangeMaps + kIntentMaps + 2});
  for (const std::string& name : names) {
    const auto map = JournalMapOf(name);
    ASSERT_TRUE(map.has_value()) << name;
    EXPECT_EQ(JournalMapName(*map), name);
  }
  for (const char* other : {"", "outrigger-penalty", "outrigger-penalty-sums-0",
                            "outrigger-penalty-classes-16", "outrigger-penalty-classes-00"}) {
    EXPECT_FALSE(JournalMapOf(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace outrigger::penalty
