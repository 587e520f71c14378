#include "kube/stream/priority_class_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PriorityClassReader, ReadsAllFields) {
  const auto read = ReadPriorityClassJson(R"({
    "apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",
    "metadata":{"name":"batch","uid":"u1","resourceVersion":"7","generation":1,
      "creationTimestamp":"2026-01-15T08:00:01Z","deletionTimestamp":"2026-01-15T08:00:02Z",
      "labels":{"team":"a"},"annotations":{"outrigger.dev/penalty-floor":"10"},
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"u2"},null],
      "finalizers":["keep","it"],
      "managedFields":[{"manager":"helm","operation":"Update"},{"manager":"kubectl"},
        {"manager":"helm","subresource":"x"},{}]},
    "value":-7,"globalDefault":true,"preemptionPolicy":"Never","description":"for \"batch\""})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name + "/" + read->uid + "/" + read->resource_version, "batch/u1/7");
  EXPECT_EQ(read->value, -7);
  EXPECT_TRUE(read->global_default);
  EXPECT_EQ(read->preemption_policy, "Never");
  EXPECT_EQ(read->description, "for \"batch\"");
  EXPECT_EQ(read->labels, (StringMap{{"team", "a"}}));
  EXPECT_EQ(read->annotations, (StringMap{{"outrigger.dev/penalty-floor", "10"}}));
  EXPECT_THAT(read->owners,
              ElementsAre(OwnerReference{"Deployment", "d", "u2", "apps/v1"}, OwnerReference()));
  EXPECT_THAT(read->finalizers, ElementsAre("keep", "it"));
  EXPECT_TRUE(read->is_deleted);
  EXPECT_THAT(read->managers, ElementsAre("helm", "kubectl")) << "each once";
  EXPECT_THAT(read->manifest, IsEmpty());
}

TEST(PriorityClassReader, TakesWhatIsAbsentOrNullForEmpty) {
  for (const char* json :
       {R"({"metadata":{"name":"c"}})",
        R"({"metadata":{"name":"c","uid":null,"labels":null,"ownerReferences":null,)"
        R"("finalizers":null,"deletionTimestamp":null,"managedFields":null},"value":null,)"
        R"("globalDefault":null,"preemptionPolicy":null,"description":null})"}) {
    const auto read = ReadPriorityClassJson(json);
    ASSERT_TRUE(read.ok()) << read.status() << json;
    PriorityClass empty;
    empty.name = "c";
    EXPECT_EQ(*read, empty) << json;
  }
}

TEST(PriorityClassReader, RefusesWhatIsNoPriorityClass) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"value":1})", "PriorityClass.metadata.name: is empty"},
      {R"({"metadata":{"name":"c"},"value":2147483648})", "PriorityClass.value"},
      {R"({"metadata":{"name":"c"},"value":"1"})", "PriorityClass.value"},
      {R"({"metadata":{"name":"c","finalizers":"x"}})", "PriorityClass.metadata.finalizers"},
      {R"({"metadata":{"name":"c","ownerReferences":[1]}})",
       "PriorityClass.metadata.ownerReferences[0]"},
      {R"({"metadata":{"name":"c"},"globalDefault":1})", "PriorityClass.globalDefault"},
      {R"([])", ""},
      {R"({"metadata":{"name":"c"}} x)", ""},
  };
  for (const auto& [json, place] : rows) {
    const auto read = ReadPriorityClassJson(json);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << json;
    EXPECT_THAT(std::string(read.status().message()), ::testing::HasSubstr(place)) << json;
  }
}

}  // namespace
}  // namespace outrigger::kube
