// The rows by which tests/acting judges the API server, of the fake that unit tests of agents use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "custom_deeds.h"
#include "fake_custom_objects.h"
#include "golden.h"

namespace outrigger {
namespace {

using nlohmann::json;
using testing::CustomKindOf;

using KeptValues = std::map<std::string, json>;

// With the values of the names that begin with '$'.
json FilledWith(const json& with, const KeptValues& kept) {
  json filled = with;
  if (filled.is_string() && filled.get<std::string>().starts_with('$')) {
    return kept.at(filled.get<std::string>().substr(1));
  }
  if (filled.is_structured()) {
    for (json& part : filled) part = FilledWith(part, kept);
  }
  return filled;
}

/// Plays the scenes on a server with the definitions that tests/acting applies.
class CustomRows : public ::testing::Test {
 protected:
  CustomRows() {
    for (const char* kind : {"DeviceDriver", "DeviceSetClaim"}) {
      server_.SetServed(*CustomKindOf(kind), false);
    }
  }

  void Play(const json& step) {
    // The fake has no schemas.
    if (step.value("schema", false)) return;
    const json answer = step.contains("person") ? Person(step) : Deed(step);
    const json value = answer["value"];
    const json want = FilledWith(step.value("is", json::object()), kept_);
    for (const auto& [key, part] : want.items()) EXPECT_EQ(value.value(key, json()), part) << key;
    const json keep = step.value("keep", json::object());
    for (const auto& [field, as] : keep.items()) kept_[as.get<std::string>()] = value[field];
    if (step.contains("whole")) kept_[step["whole"].get<std::string>()] = value;
  }

 private:
  json Deed(const json& step) {
    const json command = step.contains("await") ? step["await"] : step["do"];
    const auto answer = deeds_.Do(FilledWith(command, kept_));
    EXPECT_TRUE(answer.has_value()) << command;
    if (!answer) return {};
    EXPECT_EQ((*answer)["code"], step["code"]) << *answer;
    const std::string says = FilledWith(step.value("says", ""), kept_);
    EXPECT_THAT((*answer)["text"].get<std::string>(), ::testing::HasSubstr(says));
    if (step.contains("names")) {
      std::vector<std::string> names;
      for (const auto& [name, object] : (*answer)["value"].items()) names.push_back(name);
      EXPECT_EQ(json(names), step["names"]);
    }
    return *answer;
  }

  json Person(const json& step) {
    const std::string deed = step["person"];
    const CustomKind& kind = *CustomKindOf(step["kind"].get<std::string>());
    const std::string namespace_ = step.value("namespace", "");
    const std::string name = step.value("name", "");
    if (deed == "define" || deed == "undefine") server_.SetServed(kind, deed == "define");
    if (deed == "delete") {
      EXPECT_TRUE(server_.Delete(kind, namespace_, name));
    }
    if (deed != "spec") return {{"value", nullptr}};
    json object = server_.Get(kind, namespace_, name).value();
    object.merge_patch({{"spec", step["spec"]}});
    return {{"value", testing::SummaryOf(server_.Put(kind, object))}};
  }

  testing::FakeCustomObjects server_;
  testing::CustomDeeds deeds_{&server_};
  KeptValues kept_;
};

TEST_F(CustomRows, HoldOfTheFake) {
  const json scenes = testing::LoadGolden("custom_rows.json");
  ASSERT_GT(scenes.size(), 7U);
  for (const json& scene : scenes) {
    int number = 0;
    for (const json& step : scene["steps"]) {
      SCOPED_TRACE(scene["scene"].get<std::string>() + ", step " + std::to_string(++number));
      Play(step);
    }
  }
}

}  // namespace
}  // namespace outrigger
