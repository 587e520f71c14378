// The rows by which tests/acting judges the API server, of the fake that unit tests of agents use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "fake_objects.h"
#include "golden.h"
#include "object_deeds.h"

namespace outrigger {
namespace {

using nlohmann::json;

using Kept = std::map<std::string, std::string>;

// With the values of the names that begin with '$'.
json Filled(const json& with, const Kept& kept) {
  json filled = with;
  if (filled.is_string() && filled.get<std::string>().starts_with('$')) {
    return kept.at(filled.get<std::string>().substr(1));
  }
  if (filled.is_structured()) {
    for (json& part : filled) part = Filled(part, kept);
  }
  return filled;
}

// Each field of `want`, which may be a value alone.
void ExpectIs(const json& got, const json& want) {
  if (!want.is_object()) {
    EXPECT_EQ(got, want);
    return;
  }
  for (const auto& [key, value] : want.items()) EXPECT_EQ(got.value(key, json()), value) << key;
}

class Person {
 public:
  explicit Person(testing::FakeObjects* server) : server_(*server) {}

  json Do(const json& step) {
    const std::string deed = step["person"];
    const std::string name = step["name"];
    if (deed == "own" || deed == "disown") {
      server_.SetOwner("uid-of-" + name, deed == "own");
      return {{"uid", "uid-of-" + name}};
    }
    if (deed == "delete") {
      EXPECT_EQ(server_.Remove(name), absl::OkStatus());
      return nullptr;
    }
    EXPECT_EQ(deed, "edit");
    EXPECT_EQ(server_.Edit(name, [&](PriorityClass* edited) { Edit(step, edited); }),
              absl::OkStatus());
    return nullptr;
  }

 private:
  static void Edit(const json& step, PriorityClass* edited) {
    if (step.contains("finalizers")) {
      edited->finalizers = step["finalizers"].get<std::vector<std::string>>();
    }
    const json annotations = step.value("annotations", json::object());
    for (const auto& [key, value] : annotations.items()) {
      edited->annotations.Set(key, value.get<std::string>());
    }
  }

  testing::FakeObjects& server_;
};

TEST(ObjectRows, HoldOfTheFake) {
  const json scenes = testing::LoadGolden("object_rows.json");
  ASSERT_GT(scenes.size(), 8U);
  for (const json& scene : scenes) {
    testing::FakeObjects server;
    Person person(&server);
    Kept kept;
    int number = 0;
    for (const json& step : scene["steps"]) {
      SCOPED_TRACE(scene["scene"].get<std::string>() + ", step " + std::to_string(++number));
      json value;
      if (step.contains("person")) {
        value = person.Do(step);
      } else {
        const auto answer = testing::DoToObjects(Filled(step["do"], kept), &server, &server);
        ASSERT_TRUE(answer.has_value()) << step["do"];
        EXPECT_EQ((*answer)["code"], step["code"]) << *answer;
        value = (*answer)["value"];
      }
      if (step.contains("is")) ExpectIs(value, Filled(step["is"], kept));
      const json keep = step.value("keep", json::object());
      for (const auto& [field, as] : keep.items()) {
        kept[as.get<std::string>()] = value.value(field, "");
      }
    }
  }
}

}  // namespace
}  // namespace outrigger
