#include "codec/json/object_list.h"

#include <string>

#include "json_testing.h"

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "Node@items[0] {...}" for each object of `json`.
std::vector<std::string> ObjectsOf(std::string_view json, absl::Status* status) {
  std::vector<std::string> objects;
  *status = ForEachObject(PaddedBody(json), [&](const ListedObject& object) {
    objects.push_back(std::string(object.kind) + "@" + object.place + " " +
                      std::string(object.body.data, object.body.size));
    return absl::OkStatus();
  });
  return objects;
}

struct Listing {
  const char* name;
  const char* json;
  std::vector<std::string> objects;
};

class ObjectLists : public ::testing::TestWithParam<Listing> {};

TEST_P(ObjectLists, GiveTheirObjectsInOrder) {
  absl::Status status;
  EXPECT_EQ(ObjectsOf(GetParam().json, &status), GetParam().objects);
  EXPECT_THAT(status, IsOk());
}

const Listing kListings[] = {
    {"MixedKindsWithTheListsKindBehind",
     R"({"apiVersion":"v1","items":[{"kind":"Node","a":[1,{"kind":"no"}]} ,)"
     "\n"
     R"( {"spec":{},"kind":"Pod"}],"kind":"List","metadata":{}})",
     {R"(Node@items[0] {"kind":"Node","a":[1,{"kind":"no"}]})",
      R"(Pod@items[1] {"spec":{},"kind":"Pod"})"}},
    {"TypedListWithoutKindsInside",
     R"({"kind":"PodList","items":[{"a":1},{"kind":"Pod"}]})",
     {R"(Pod@items[0] {"a":1})", R"(Pod@items[1] {"kind":"Pod"})"}},
    {"OneObject", R"({"metadata":{},"kind":"Node"})", {R"(Node@ {"metadata":{},"kind":"Node"})"}},
    {"UnknownKinds",
     R"({"kind":"List","items":[{"kind":"Lease"}]})",
     {R"(Lease@items[0] {"kind":"Lease"})"}},
    {"EmptyObjectOfATypedList", R"({"kind":"NodeList","items":[{}]})", {"Node@items[0] {}"}},
    {"NoItems", R"({"kind":"NodeList","items":[]})", {}},
    {"NullItems", R"({"kind":"NodeList","items":null})", {}},
    {"WithoutItems", R"({"kind":"List"})", {}},
};
INSTANTIATE_TEST_SUITE_P(Rows, ObjectLists, ::testing::ValuesIn(kListings),
                         [](const auto& row) { return row.param.name; });

struct Refused {
  const char* name;
  const char* json;
  const char* text;
};

class RefusedObjectLists : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedObjectLists, SayWhere) {
  absl::Status status;
  ObjectsOf(GetParam().json, &status);
  EXPECT_THAT(status, IsInvalid(GetParam().text));
}

const Refused kRefused[] = {
    {"Nothing", "", "expected a JSON object, found nothing"},
    {"AnArray", "[]", "expected a JSON object"},
    {"NoKind", R"({"items":[]})", "kind: expected a kind such as"},
    {"KindOfAnotherType", R"({"kind":1})", "kind: expected a string, found a number"},
    {"ObjectWithoutKind", R"({"kind":"List","items":[{"a":1}]})",
     "items[0]: the object has no kind"},
    {"NotAnObject", R"({"kind":"List","items":["a"]})", "items[0]: expected an object"},
    {"NullObject", R"({"kind":"List","items":[null]})", "items[0]: expected an object"},
    {"ItemsOfAnotherType", R"({"kind":"List","items":{}})", "items: expected an array"},
    {"ItemsTwice", R"({"kind":"List","items":[],"items":[]})", "items: given twice"},
    {"CutOff", R"({"kind":"List","items":[{"kind":"Node")", "broken JSON"},
    {"SomethingBehind", R"({"kind":"List","items":[]} {})", "something follows"},
    {"BrokenInside", R"({"kind":"List","items":[{"kind":"Node",]}]})", "items: broken JSON"},
};
INSTANTIATE_TEST_SUITE_P(Rows, RefusedObjectLists, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(ForEachObject, EndsWithTheFirstErrorOfWhoReads) {
  int seen = 0;
  const absl::Status status = ForEachObject(
      PaddedBody(R"({"kind":"NodeList","items":[{},{},{}]})"), [&](const ListedObject& /*object*/) {
        return ++seen == 2 ? absl::NotFoundError("enough") : absl::OkStatus();
      });
  EXPECT_EQ(status, absl::NotFoundError("enough"));
  EXPECT_EQ(seen, 2);
}

TEST(ForEachObject, LeavesObjectsThatDecode) {
  const PaddedBody body(R"({"items":[
      {"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"x","memory":"1Gi"}},"kind":"Node"},
      {"metadata":{"name":"p","namespace":"ns"},"kind":"Pod",
       "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}],"kind":"List"})");
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<MalformedValue> malformed;
  ASSERT_THAT(
      ForEachObject(body,
                    [&](const ListedObject& object) {
                      if (object.kind == "Node") {
                        return DecodeNode(object, Needs::All(), &nodes.emplace_back(), &malformed);
                      }
                      return DecodePod(object, Needs::All(), &pods.emplace_back(), &malformed);
                    }),
      IsOk());
  EXPECT_THAT(NamesOf(nodes), ElementsAre("n"));
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(pods[0].namespace_, "ns");
  EXPECT_EQ(pods[0].containers.at(0).requests.size(), 1U);
  ASSERT_THAT(malformed, SizeIs(1));
  EXPECT_EQ(malformed[0].node, "n");
  EXPECT_EQ(malformed[0].field, "status.allocatable.cpu");
}

TEST(DecodeObject, NamesThePlaceInTheList) {
  Node node;
  Pod pod;
  std::vector<MalformedValue> malformed;
  const auto decode = [&](const char* json) {
    return ForEachObject(PaddedBody(json), [&](const ListedObject& object) {
      return object.kind == "Node" ? DecodeNode(object, Needs::All(), &node, &malformed)
                                   : DecodePod(object, Needs::All(), &pod, &malformed);
    });
  };
  EXPECT_THAT(decode(R"({"kind":"NodeList","items":[{"metadata":{"name":"a"},"spec":[]}]})"),
              IsInvalid("items[0].spec: expected an object, found an array"));
  EXPECT_THAT(decode(R"({"kind":"PodList","items":[{"metadata":{"name":1}}]})"),
              IsInvalid("items[0].metadata.name: expected a string"));
  EXPECT_THAT(decode(R"({"kind":"NodeList","items":[{}]})"),
              IsInvalid("items[0]: the node has no name"));
  EXPECT_THAT(decode(R"({"kind":"Pod"})"), IsInvalid("the pod has no name"));
  EXPECT_THAT(malformed, IsEmpty());
}

TEST(ForEachObject, TellsKindsOfOneNameApart) {
  const auto versions = [](const char* json) {
    std::vector<std::string> result;
    EXPECT_THAT(ForEachObject(PaddedBody(json),
                              [&](const ListedObject& object) {
                                result.emplace_back(object.api_version);
                                return absl::OkStatus();
                              }),
                IsOk());
    return result;
  };
  EXPECT_THAT(versions(R"({"kind":"List","apiVersion":"v1","items":[
      {"kind":"PodGroup","apiVersion":"a/v1"},{"kind":"Pod"}]})"),
              ElementsAre("a/v1", ""));
  EXPECT_THAT(versions(R"({"kind":"PodGroupList","apiVersion":"b/v1","items":[{}]})"),
              ElementsAre("b/v1"));
  EXPECT_THAT(versions(R"({"kind":"PodGroup","apiVersion":"c/v1"})"), ElementsAre("c/v1"));
}

TEST(DecodeObject, ReadsWhatPlanningNeedsBesideNodesAndPods) {
  PodGroup group;
  std::string name;
  int32_t value = 0;
  std::vector<MalformedValue> malformed;
  const auto decode = [&](const char* json) {
    return ForEachObject(PaddedBody(json), [&](const ListedObject& object) {
      return object.kind == "PodGroup"
                 ? DecodePodGroup(object, Dialect::kKoordinator, &group, &malformed)
                 : DecodePriorityClass(object, &name, &value);
    });
  };
  EXPECT_THAT(decode(R"({"kind":"List","items":[
      {"kind":"PodGroup","metadata":{"name":"g"},"spec":{"minMember":3}},
      {"kind":"PriorityClass","metadata":{"name":"high"},"value":7}]})"),
              IsOk());
  EXPECT_EQ(group.dialect, Dialect::kKoordinator);
  EXPECT_EQ(group.min_member, 3);
  EXPECT_EQ(name, "high");
  EXPECT_EQ(value, 7);
  EXPECT_THAT(decode(R"({"kind":"PodGroupList","items":[{"metadata":{}}]})"),
              IsInvalid("items[0].metadata.name: is empty"));
  EXPECT_THAT(decode(R"({"kind":"PriorityClassList","items":[{"value":1}]})"),
              IsInvalid("items[0]: the PriorityClass has no name"));
}

}  // namespace
}  // namespace outrigger::json
