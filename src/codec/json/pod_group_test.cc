#include "codec/json/pod_group_reader.h"

#include "builders.h"
#include "json_testing.h"

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Q;

TEST(PodGroupReader, ReadsSchedulerPlugins) {
  const auto group = ReadPodGroup(Dialect::kSchedulerPlugins, R"({
    "apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup",
    "metadata":{"name":"train","namespace":"ml","uid":"u1","generation":2,
      "creationTimestamp":"2026-01-15T08:00:01Z","labels":{"team":"a"},
      "annotations":{"outrigger.dev/topology-required":"rack"}},
    "spec":{"minMember":16,"minResources":{"cpu":"64","nvidia.com/gpu":8},
      "scheduleTimeoutSeconds":30},
    "status":{"phase":"Pending"}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_EQ(group->dialect, Dialect::kSchedulerPlugins);
  EXPECT_EQ(group->namespace_ + "/" + group->name + "/" + group->uid, "ml/train/u1");
  EXPECT_EQ(group->created, 1'768'464'001);
  EXPECT_EQ(group->labels, (StringMap{{"team", "a"}}));
  EXPECT_EQ(group->annotations, (StringMap{{"outrigger.dev/topology-required", "rack"}}));
  EXPECT_EQ(group->min_member, 16);
  EXPECT_EQ(group->min_resources.Get("cpu"), Q("64"));
  EXPECT_EQ(group->min_resources.Get("nvidia.com/gpu"), Q("8"));
  EXPECT_EQ(group->schedule_timeout_seconds, 30);
  EXPECT_FALSE(group->independent);
}

TEST(PodGroupReader, ReadsSigs) {
  const auto group =
      ReadPodGroup(Dialect::kKoordinator, R"({"metadata":{"name":"g"},"spec":{"minMember":3}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_EQ(group->min_member, 3);
  EXPECT_FALSE(group->schedule_timeout_seconds.has_value());
  EXPECT_EQ(group->created, 0);
}

TEST(PodGroupReader, ReadsVolcano) {
  const auto group = ReadPodGroup(Dialect::kVolcano, R"({"metadata":{"name":"g"},"spec":{
    "minMember":3,"minTaskMember":{"worker":2,"ps":1,"none":null},"queue":"default",
    "priorityClassName":"high"},"status":{"phase":"Inqueue"}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_EQ(group->queue, "default");
  EXPECT_EQ(group->phase, "Inqueue");
  EXPECT_EQ(group->min_member, 3);
  EXPECT_EQ(group->priority_class_name, "high");
  EXPECT_THAT(group->min_task_member,
              ElementsAre(Pair("none", 0), Pair("ps", 1), Pair("worker", 2)));
}

TEST(PodGroupReader, ReadsUpstreamGangs) {
  const auto group = ReadPodGroup(Dialect::kUpstream, R"({"metadata":{"name":"g"},"spec":{
    "schedulingPolicy":{"gang":{"minCount":4}},"minMember":9}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_EQ(group->min_member, 4);
  EXPECT_FALSE(group->independent);
}

// What refers to the workload was renamed in v1alpha3, and 1.37 has more fields.
TEST(PodGroupReader, ReadsUpstreamGangsOfEveryVersion) {
  for (const char* more :
       {R"("podGroupTemplateRef":{"workload":{"workloadName":"w","podGroupTemplateName":"t"}})",
        R"("workloadRef":{"workloadName":"w","templateName":"t"},"disruptionMode":{"all":{}},)"
        R"("preemptionPolicy":"Never","parentCompositePodGroupName":"p")"}) {
    const auto group = ReadPodGroup(
        Dialect::kUpstream, std::string(R"({"metadata":{"name":"g"},"spec":{)") +
                                R"("schedulingPolicy":{"gang":{"minCount":4}},)" + more + "}}");
    ASSERT_THAT(group.status(), IsOk()) << more;
    EXPECT_EQ(group->min_member, 4) << more;
    EXPECT_FALSE(group->independent) << more;
  }
}

TEST(PodGroupReader, ReadsUpstreamBasic) {
  const auto group = ReadPodGroup(
      Dialect::kUpstream, R"({"metadata":{"name":"g"},"spec":{"schedulingPolicy":{"basic":{}}}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_TRUE(group->independent);
  EXPECT_EQ(group->min_member, 0);
}

TEST(PodGroupReader, KeepsFieldsOfOtherDialectsOut) {
  const auto group = ReadPodGroup(Dialect::kKoordinator, R"({"metadata":{"name":"g"},"spec":{
    "schedulingPolicy":{"gang":{"minCount":4}},"minTaskMember":{"a":1}}})");
  ASSERT_THAT(group.status(), IsOk());
  EXPECT_EQ(group->min_member, 0);
  EXPECT_THAT(group->min_task_member, IsEmpty());
}

TEST(PodGroupReader, LeavesMinimumsAsTheyAreWritten) {
  for (const int64_t minimum : {int64_t{-1}, int64_t{9'000'000'000}}) {
    const auto group =
        ReadPodGroup(Dialect::kKoordinator, R"({"metadata":{"name":"g"},"spec":{"minMember":)" +
                                                std::to_string(minimum) + "}}");
    ASSERT_THAT(group.status(), IsOk());
    EXPECT_EQ(group->min_member, minimum);
  }
}

struct Refused {
  const char* name;
  const char* json;
  const char* error;
};
const Refused kRefused[] = {
    {"NoName", R"({"metadata":{"namespace":"n"}})", "PodGroup.metadata.name: is empty"},
    {"Nothing", "", "found nothing"},
    {"NotAnObject", "[]", "expected a JSON object"},
    {"CutOff", R"({"metadata":{"name":"g")", "broken JSON"},
    {"SomethingBehind", R"({"metadata":{"name":"g"}} {})", "something follows"},
    {"MinimumIsText", R"({"metadata":{"name":"g"},"spec":{"minMember":"3"}})",
     "PodGroup.spec.minMember: expected an integer of 64 bits, found a string"},
    {"MinimumIsAFraction", R"({"metadata":{"name":"g"},"spec":{"minMember":1.5}})",
     "PodGroup.spec.minMember: expected an integer of 64 bits, found 1.5"},
    {"RoleIsText", R"({"metadata":{"name":"g"},"spec":{"minTaskMember":{"a":"1"}}})",
     "PodGroup.spec.minTaskMember.a: expected an integer of 64 bits"},
};

TEST(PodGroupReader, RefusesWhatIsNoPodGroup) {
  for (const Refused& row : kRefused) {
    EXPECT_THAT(ReadPodGroup(Dialect::kVolcano, row.json).status(), IsInvalid(row.error))
        << row.name;
  }
}

TEST(PodGroupReader, ForgetsWhatTheGroupWas) {
  PodGroup group;
  group.min_member = 7;
  group.annotations.Set("old", "one");
  const std::string json = R"({"metadata":{"name":"g"}})";
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded{json};
  simdjson::ondemand::document document;
  Object object;
  ASSERT_EQ(parser.iterate(padded).get(document), simdjson::SUCCESS);
  ASSERT_EQ(document.get_object().get(object), simdjson::SUCCESS);
  ASSERT_THAT(ReadPodGroup(object, Path("g"), Dialect::kKoordinator, GroupParts::kAll, &group),
              IsOk());
  EXPECT_EQ(group.min_member, 0);
  EXPECT_THAT(group.annotations, IsEmpty());
}

}  // namespace
}  // namespace outrigger::json
