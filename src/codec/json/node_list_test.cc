#include "codec/json/node_list.h"

#include <string>

#include "json_testing.h"

namespace outrigger::json {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Listing {
  const char* name;
  const char* json;
  std::vector<std::string> nodes;
};

class Listings : public ::testing::TestWithParam<Listing> {};

TEST_P(Listings, GiveTheirNodes) {
  std::vector<Node> nodes(5);  // of an earlier list
  nodes[0].labels.Set("old", "label");
  std::vector<MalformedValue> malformed(1);
  ASSERT_THAT(DecodeNodeList(PaddedBody(GetParam().json), Needs::All(), &nodes, &malformed),
              IsOk());
  EXPECT_EQ(NamesOf(nodes), GetParam().nodes);
  for (const Node& node : nodes) EXPECT_TRUE(node.labels.empty());
  EXPECT_THAT(malformed, IsEmpty());
}

const Listing kListings[] = {
    {"NodeList",
     R"({"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[)"
     R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})",
     {"a", "b"}},
    {"ListAsKubectlPrintsIt",
     R"({"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Node",)"
     R"("metadata":{"name":"a"}}],"kind":"List","metadata":{}})",
     {"a"}},
    {"OneNode", R"({"metadata":{"name":"a"},"kind":"Node","status":{}})", {"a"}},
    {"NoItems", R"({"kind":"NodeList","items":[]})", {}},
    {"NullItems", R"({"kind":"NodeList","items":null})", {}},
};
INSTANTIATE_TEST_SUITE_P(Wire, Listings, ::testing::ValuesIn(kListings),
                         [](const auto& row) { return row.param.name; });

struct Refused {
  const char* name;
  const char* json;
  absl::StatusCode code;
  const char* text;
};
constexpr auto kUnanswerable = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class RefusedListings : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedListings, SayWhy) {
  std::vector<Node> nodes;
  std::vector<MalformedValue> malformed;
  EXPECT_THAT(DecodeNodeList(PaddedBody(GetParam().json), Needs::All(), &nodes, &malformed),
              StatusIs(GetParam().code, std::string(GetParam().text)));
}

const Refused kRefused[] = {
    {"OtherKind", R"({"kind":"Pod","metadata":{"name":"a"}})", kInvalid,
     R"(kind: expected "NodeList", "List" or "Node", found "Pod")"},
    {"NoKind", R"({"items":[]})", kInvalid, R"(kind: expected "NodeList", "List" or "Node")"},
    {"OtherItems",
     R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"}},)"
     R"({"kind":"Pod","metadata":{"name":"b"}}]})",
     kInvalid, R"(items[1].kind: expected "Node", found "Pod")"},
    {"KindIsNumber", R"({"kind":1})", kInvalid, "kind: expected a string, found a number"},
    {"ItemsAreObject", R"({"kind":"List","items":{}})", kInvalid,
     "items: expected an array, found an object"},
    {"WrongTypeInNode", R"({"kind":"Node","metadata":{"name":7}})", kInvalid,
     "Node.metadata.name: expected a string, found a number"},
    {"NodeTwice",
     R"({"kind":"List","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]})",
     kUnanswerable, "items[1]: node \"a\" is given twice"},
    {"NodeWithoutName", R"({"kind":"NodeList","items":[{}]})", kUnanswerable,
     "items[0]: the node has no name"},
    {"Null", "null", kInvalid, "body: expected a JSON object"},
    {"Truncated", R"({"kind":"NodeList","items":[{"metadata":{"name":"a"}})", kInvalid, "broken"},
    {"Trailing", R"({"kind":"NodeList","items":[]}{})", kInvalid, "broken JSON"},
};
INSTANTIATE_TEST_SUITE_P(Wire, RefusedListings, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(NodeListing, ReadsWhatIsNeededAndListsMalformedValues) {
  std::vector<Node> nodes;
  std::vector<MalformedValue> malformed;
  const PaddedBody body(R"({"kind":"Node","metadata":{"name":"a","labels":{"k":"v"}},)"
                        R"("status":{"allocatable":{"cpu":"x","pods":"3"}}})");
  ASSERT_THAT(DecodeNodeList(body, Needs().NodeAllocatable(), &nodes, &malformed), IsOk());
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_TRUE(nodes[0].labels.empty());
  EXPECT_EQ(nodes[0].allocatable.size(), 1U);
  ASSERT_THAT(malformed, SizeIs(1));
  EXPECT_EQ(malformed[0].node, "a");
  EXPECT_EQ(malformed[0].field, "status.allocatable.cpu");
}

}  // namespace
}  // namespace outrigger::json
