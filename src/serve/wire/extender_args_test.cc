#include <string>

#include "nlohmann/json.hpp"
#include "wire_testing.h"

namespace outrigger::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTwoNodes = R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}])";

TEST(ExtenderArgs, FullNodesOfARealCallComeInOrderWithTheirBytes) {
  const PaddedBody body(GoldenBytes("requests/filter_full.json"));
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  EXPECT_TRUE(args.has_full_nodes);
  EXPECT_FALSE(args.has_node_names);
  EXPECT_EQ(args.pod.namespace_, "shop");

  const auto call = nlohmann::json::parse(GoldenBytes("requests/filter_full.json"));
  const auto& items = call["Nodes"]["items"];
  ASSERT_THAT(args.nodes, SizeIs(items.size()));
  ASSERT_THAT(args.raw_nodes, SizeIs(items.size()));
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(args.nodes[i].name, items[i]["metadata"]["name"].get<std::string>());
    EXPECT_TRUE(args.nodes[i].known);
    EXPECT_EQ(nlohmann::json::parse(args.raw_nodes[i]), items[i]);
    // A view into the body, not a copy of what was read.
    EXPECT_GE(args.raw_nodes[i].data(), static_cast<Body>(body).data);
    EXPECT_LE(args.raw_nodes[i].data() + args.raw_nodes[i].size(),
              static_cast<Body>(body).data + static_cast<Body>(body).size);
  }
}

TEST(ExtenderArgs, NamesOfARealCallComeWithoutNodesAndBytes) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(GoldenBytes("requests/filter_names.json"), Needs::All(), &args), IsOk());
  EXPECT_FALSE(args.has_full_nodes);
  EXPECT_TRUE(args.has_node_names);
  EXPECT_THAT(args.names, ElementsAre("worker-0000.pool-a.example.internal",
                                      "worker-0001.pool-b.example.internal",
                                      "worker-0002.pool-c.example.internal"));
  EXPECT_THAT(args.nodes, IsEmpty());
  EXPECT_THAT(args.raw_nodes, IsEmpty());
}

TEST(ExtenderArgs, RawBytesAreFromBracketToBracket) {
  const std::string_view nodes =
      "[ \n{ \"metadata\" : { \"name\" : \"a\" } , \"x\" : [ ] }\t ,\r\n"
      "{\"metadata\":{\"name\":\"}\"},\"status\":{}}  ]";
  const PaddedBody body(CallWithNodes("{}", nodes));
  ExtenderArgs args;
  for (const Needs& needs : {Needs(), Needs::All()}) {
    ASSERT_THAT(DecodeExtenderArgs(body, needs, &args), IsOk());
    EXPECT_THAT(args.raw_nodes, ElementsAre("{ \"metadata\" : { \"name\" : \"a\" } , \"x\" : [ ] }",
                                            "{\"metadata\":{\"name\":\"}\"},\"status\":{}}"));
  }
}

struct Form {
  const char* name;
  std::string json;
  std::vector<std::string> nodes;
  bool full;
  bool names;
};

class AcceptedForms : public ::testing::TestWithParam<Form> {};

TEST_P(AcceptedForms, GiveTheNodes) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(GetParam().json, Needs::All(), &args), IsOk());
  EXPECT_THAT(args.names, ::testing::ElementsAreArray(GetParam().nodes));
  EXPECT_EQ(args.names_in_body, !GetParam().full && args.unescaped.empty());
  EXPECT_EQ(args.has_full_nodes, GetParam().full);
  EXPECT_EQ(args.has_node_names, GetParam().names);
  EXPECT_THAT(args.nodes, SizeIs(GetParam().full ? args.names.size() : 0));
  EXPECT_THAT(args.raw_nodes, SizeIs(args.nodes.size()));
}

const Form kAcceptedForms[] = {
    {"AnyOrderOfKeys", R"({"NodeNames":["a"],"Pod":{},"Nodes":null})", {"a"}, false, true},
    {"KeysInLowerCase",
     R"({"pod":{},"nodes":{"items":[{"metadata":{"name":"a"}}]}})",
     {"a"},
     true,
     false},
    {"KeysInUpperCase",
     R"({"POD":{},"NODES":{"ITEMS":[{"metadata":{"name":"a"}}]}})",
     {"a"},
     true,
     false},
    {"EscapedKeys", R"({"\u0050od":{},"Node\u004eames":["a"]})", {"a"}, false, true},
    {"EscapedNames",
     R"({"Pod":{},"NodeNames":["\u0061\/\ud83d\ude00"]})",
     {"a/\xF0\x9F\x98\x80"},
     false,
     true},
    {"BlanksAround",
     " \n{\"Pod\" : { } , \"NodeNames\" : [ \"a\" ,\t\"b\" ] }\r\n ",
     {"a", "b"},
     false,
     true},
    {"NoNames", R"({"Pod":{},"NodeNames":[]})", {}, false, true},
    {"NoItems", R"({"Pod":{},"Nodes":{"metadata":{},"items":[]}})", {}, true, false},
    {"ItemsNull", R"({"Pod":{},"Nodes":{"metadata":{},"items":null}})", {}, true, false},
    {"ItemsMissing", R"({"Pod":{},"Nodes":{}})", {}, true, false},
    {"UnknownKeys",
     R"({"New":{"a":[1,{}]},"Pod":{"x":[[]]},"NodeNames":["a"],"Z":"]"})",
     {"a"},
     false,
     true},
    {"BothForms",
     R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},)"
     R"({"metadata":{"name":"b"}}]},"NodeNames":["a","b"]})",
     {"a", "b"},
     true,
     true},
    {"BothFormsInAnotherOrder",
     R"({"Pod":{},"NodeNames":["b","a"],"Nodes":{"items":[{"metadata":{"name":"a"}},)"
     R"({"metadata":{"name":"b"}}]}})",
     {"a", "b"},
     true,
     true},
    {"BothFormsEmpty", R"({"Pod":{},"NodeNames":[],"Nodes":{"items":[]}})", {}, true, true},
};
INSTANTIATE_TEST_SUITE_P(Wire, AcceptedForms, ::testing::ValuesIn(kAcceptedForms),
                         [](const auto& row) { return row.param.name; });

struct Unanswerable {
  const char* name;
  std::string json;
  std::string text;
};

class UnanswerableCalls : public ::testing::TestWithParam<Unanswerable> {};

TEST_P(UnanswerableCalls, AreFailedPreconditions) {
  EXPECT_THAT(DecodeArgs(GetParam().json), IsUnanswerable(GetParam().text));
}

const Unanswerable kUnanswerable[] = {
    {"NeitherForm", R"({"Pod":{}})", "neither Nodes nor NodeNames is set"},
    {"BothNull", R"({"Pod":{},"Nodes":null,"NodeNames":null})", "neither Nodes nor NodeNames"},
    {"PodMissing", R"({"NodeNames":["a"]})", "Pod is missing"},
    {"PodNull", R"({"Pod":null,"NodeNames":["a"]})", "Pod is missing"},
    {"EmptyObject", "{}", "Pod is missing"},
    {"NodeWithoutName", CallWithNodes("{}", R"([{"metadata":{"name":"a"}},{"metadata":{}}])"),
     "Nodes.items[1]: the node has no name"},
    {"NodeWithNullName", CallWithNodes("{}", R"([{"metadata":{"name":null}}])"),
     "Nodes.items[0]: the node has no name"},
    {"NodeNull", CallWithNodes("{}", "[null]"), "Nodes.items[0]: the node has no name"},
    {"NodeTwice", CallWithNodes("{}", R"([{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}])"),
     "Nodes.items[1]: node \"a\" is given twice"},
    {"EmptyName", R"({"Pod":{},"NodeNames":["a",""]})", "NodeNames[1]: the node has no name"},
    {"NullName", R"({"Pod":{},"NodeNames":[null]})", "NodeNames[0]: the node has no name"},
    {"NameTwice", R"({"Pod":{},"NodeNames":["a","b","a"]})",
     "NodeNames[2]: node \"a\" is given twice"},
    {"NameTwiceByEscape", R"({"Pod":{},"NodeNames":["a","\u0061"]})",
     "NodeNames[1]: node \"a\" is given twice"},
    {"FormsOfDifferentSize",
     R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}}]},"NodeNames":["a","b"]})",
     "Nodes and NodeNames disagree: only NodeNames has, or has twice, \"b\""},
    {"FormsOfDifferentNames",
     R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}}]},"NodeNames":["b"]})", "\"b\""},
    {"NameLeftOut", R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}}]},"NodeNames":[]})",
     "only Nodes has \"a\""},
    {"NameTwiceInBothForms",
     R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]},)"
     R"("NodeNames":["a","a"]})",
     "has twice, \"a\""},
};
INSTANTIATE_TEST_SUITE_P(Wire, UnanswerableCalls, ::testing::ValuesIn(kUnanswerable),
                         [](const auto& row) { return row.param.name; });

TEST(ExtenderArgs, OneObjectServesCallsOfEveryForm) {
  ExtenderArgs args;
  const std::string every = GoldenBytes("requests/filter_every.json");
  ASSERT_THAT(DecodeArgs(every, Needs::All(), &args), IsOk());
  ASSERT_THAT(DecodeArgs(R"({"Pod":{},"NodeNames":["x","y"]})", Needs::All(), &args), IsOk());
  EXPECT_EQ(args.pod.name, "");
  EXPECT_THAT(args.pod.containers, IsEmpty());
  EXPECT_THAT(args.raw_nodes, IsEmpty());
  EXPECT_FALSE(args.has_full_nodes);
  ASSERT_THAT(args.names, ElementsAre("x", "y"));
  EXPECT_THAT(args.nodes, IsEmpty());
  ASSERT_THAT(DecodeArgs(CallWithNodes("{}", kTwoNodes), Needs::All(), &args), IsOk());
  EXPECT_FALSE(args.has_node_names);
  ASSERT_THAT(args.names, ElementsAre("a", "b"));
  ASSERT_THAT(args.nodes, SizeIs(2));
  EXPECT_TRUE(args.nodes[0].known);
}

// The parser that unescapes them serves other calls by the time the names are used.
TEST(ExtenderArgs, EscapedNamesOutliveTheParser) {
  const PaddedBody body(R"({"Pod":{},"NodeNames":["plain","\u0061-1","\u0062-2"]})");
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  ExtenderArgs other;
  ASSERT_THAT(DecodeArgs(R"({"Pod":{},"NodeNames":["\u007a\u007a\u007a\u007a\u007a\u007a"]})",
                         Needs(), &other),
              IsOk());
  EXPECT_THAT(args.names, ElementsAre("plain", "a-1", "b-2"));
  const Body bytes = body;
  EXPECT_EQ(args.names[0].data(),
            std::string_view(bytes.data, bytes.size).find("plain") + bytes.data)
      << "one without escapes is not copied";
}

TEST(ExtenderArgs, WithoutItemsHoldNoNodesOfTheCallBefore) {
  for (const char* nodes : {"{}", R"({"items":null})", R"({"items":[]})"}) {
    ExtenderArgs args;
    ASSERT_THAT(DecodeArgs(CallWithNodes("{}", kTwoNodes), Needs::All(), &args), IsOk());
    const std::string json = std::string(R"({"Pod":{},"Nodes":)") + nodes + "}";
    ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
    EXPECT_THAT(args.names, IsEmpty()) << nodes;
    EXPECT_THAT(args.nodes, IsEmpty()) << nodes;
    EXPECT_THAT(args.raw_nodes, IsEmpty()) << nodes;
  }
}

TEST(ExtenderArgs, KeepsItsMemoryBetweenCalls) {
  const PaddedBody body(GoldenBytes("requests/filter_full.json"));
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  const Node* nodes = args.nodes.data();
  const char* name = args.nodes[2].name.data();
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  EXPECT_EQ(args.nodes.data(), nodes);
  EXPECT_EQ(args.nodes[2].name.data(), name);
}

}  // namespace
}  // namespace outrigger::wire
