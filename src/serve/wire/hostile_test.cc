#include <random>
#include <string>

#include "codec/json/token_budget.h"
#include "fmt/format.h"
#include "wire_testing.h"

// Bytes that are not the protocol, or that want to hurt.

namespace outrigger::wire {
namespace {

using ::testing::SizeIs;

constexpr size_t kMillion = 1'000'000;

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

struct NotTheProtocol {
  const char* name;
  std::string bytes;
  const char* text;
};

class NotTheProtocolTest : public ::testing::TestWithParam<NotTheProtocol> {};

TEST_P(NotTheProtocolTest, IsInvalidArgument) {
  EXPECT_THAT(DecodeArgs(GetParam().bytes), IsInvalid(GetParam().text));
  ExtenderArgs args;
  EXPECT_THAT(DecodeArgs(GetParam().bytes, Needs(), &args), IsInvalid(GetParam().text));
}

const std::string kCall = R"({"Pod":{},"NodeNames":["a"]})";

const NotTheProtocol kNotTheProtocol[] = {
    {"Empty", "", "body: expected a JSON object, found nothing"},
    {"Blank", " \n\t ", "body: expected a JSON object, found nothing"},
    {"Null", "null", "body: expected a JSON object"},
    {"Array", "[]", "body: expected a JSON object"},
    {"Text", "\"Pod\"", "body: expected a JSON object"},
    {"Number", "7", "body: expected a JSON object"},
    {"Html", "<html>", "body: expected a JSON object"},
    {"ByteOrderMark", "\xEF\xBB\xBF" + kCall, "body: expected a JSON object"},
    {"NulBytes", std::string(64, '\0'), "body: expected a JSON object"},
    {"TrailingObject", kCall + kCall, "something follows the object"},
    {"TrailingText", kCall + "\"}\"", "body: broken JSON"},
    {"TrailingNumber", kCall + "1", "body: broken JSON"},
    {"TrailingBracket", kCall + "}", "something follows the object"},
    {"TrailingNul", kCall + std::string(1, '\0'), "body: broken JSON"},
    {"NotUtf8",
     R"({"Pod":{},"NodeNames":["a)"
     "\xFF"
     R"("]})",
     "not UTF-8"},
    {"NotUtf8InSkippedPart",
     R"({"x":")"
     "\xC0\x80"
     R"(","Pod":{},"NodeNames":["a"]})",
     "not UTF-8"},
    {"SurrogateInUtf8",
     R"({"Pod":{},"NodeNames":["a)"
     "\xED\xA0\x80"
     R"("]})",
     "not UTF-8"},
    {"UnclosedString", R"({"Pod":{},"NodeNames":["a]})", "a string is not closed"},
    {"ControlCharacter", "{\"Pod\":{},\"NodeNames\":[\"a\n\"]}", "control character"},
    {"MissingComma", R"({"Pod":{}"NodeNames":["a"]})", "broken JSON"},
    {"MissingColon", R"({"Pod"{},"NodeNames":["a"]})", "broken JSON"},
    {"MissingValue", R"({"Pod":,"NodeNames":["a"]})",
     "Pod: expected an object, found what is not JSON"},
    {"MissingValueOfUnknownKey", R"({"x":,"Pod":{},"NodeNames":["a"]})", "x: broken JSON"},
    {"MissingLastValue", R"({"Pod":{},"NodeNames":["a"],"x":})", "x: broken JSON"},
    {"TrailingCommaInObject", R"({"Pod":{},"NodeNames":["a"],})", "broken JSON"},
    {"TrailingCommaInArray", R"({"Pod":{},"NodeNames":["a",]})", "NodeNames[1]: expected a string"},
    {"KeyWithoutQuotes", R"({Pod:{},"NodeNames":["a"]})", "broken JSON"},
    {"NumberAsKey", R"({1:{},"Pod":{},"NodeNames":["a"]})", "broken JSON"},
    {"WrongBracket", R"({"Pod":{},"NodeNames":["a"}]})", "broken JSON"},
    {"WrongLastBracket", R"({"Pod":{},"NodeNames":["a"]])", "broken JSON"},
    {"UnbalancedAtTheEndOfASkippedPart", R"({"Pod":{},"NodeNames":["a"],"x":[})", "broken JSON"},
    {"UnbalancedTwice", R"({"Pod":{},"NodeNames":["a"],"x":[[}})", "broken JSON"},
    {"OuterBracketsOfASkippedPartDiffer", R"({"x":[1},"Pod":{},"NodeNames":["a"]})", "x: broken"},
    {"OneBracketTooManyInASkippedPart", R"({"x":[1]],"Pod":{},"NodeNames":["a"]})", "broken JSON"},
    {"OneBracketTooFewInASkippedPart", R"({"x":[[1],"Pod":{},"NodeNames":["a"]})", "broken JSON"},
    {"OneBracketTooFewInAPod", R"({"Pod":{"x":{"y":[1},"z":2},"NodeNames":["a"]})", "broken JSON"},
    // simdjson, stepping over a value, miscounts the brackets of each of these.
    {"KeyBehindAStringThatIsRead", R"({"Pod":{"metadata":{"name":"p":"q"}}},"NodeNames":["a"]})",
     "broken JSON"},
    {"KeyBehindAStringThatIsSkipped", R"({"x":"k":1},"Pod":{},"NodeNames":["a"]})", "broken JSON"},
    {"SkippedObjectThatBeginsWithABracket", R"({"Pod":{},"NodeNames":["a"],"x":{[1}})",
     "x: broken JSON"},
    {"SkippedObjectWithoutAValue", R"({"x":{"k":}},"Pod":{},"NodeNames":["a"]})", "x: broken JSON"},
    {"SkippedObjectWithACommaForAValue", R"({"x":{"k":,"a":1}},"Pod":{},"NodeNames":["a"]})",
     "x: broken JSON"},
    {"SkippedObjectWithAKeyForAValue", R"({"x":{"k":"a":1}},"Pod":{},"NodeNames":["a"]})",
     "x: broken JSON"},
    {"SkippedArrayThatBeginsWithAKey", R"({"x":["k":1]],"Pod":{},"NodeNames":["a"]})",
     "x: broken JSON"},
    {"SkippedArrayThatBeginsWithAComma", R"({"x":[,1]],"Pod":{},"NodeNames":["a"]})",
     "x: broken JSON"},
    {"SkippedArrayThatBeginsWithTheOtherEnd", R"({"x":[}],"Pod":{},"NodeNames":["a"]})",
     "x: broken JSON"},
    {"DeepArraysSkipped",
     R"({"Pod":{"x":)" + Repeated("[", kMillion) + Repeated("]", kMillion) + R"(},"NodeNames":[]})",
     "Pod.x: nested deeper than 10000 levels"},
    {"DeepObjectsSkipped",
     R"({"Pod":{},"NodeNames":[],"x":)" + Repeated("{\"a\":", kMillion) + "1" +
         Repeated("}", kMillion) + "}",
     "x: nested deeper than 10000 levels"},
    {"DeepBehindABackslash",
     R"({"Pod":{},"NodeNames":[],"x":[\",)" + Repeated("[", kMillion) + Repeated("]", kMillion) +
         "]}",
     "x: nested deeper than 10000 levels"},
    {"DeepAtAKnownKey",
     R"({"Pod":)" + Repeated("[", kMillion) + Repeated("]", kMillion) + R"(,"NodeNames":[]})",
     "Pod: expected an object, found an array"},
    {"DeepInRead",
     R"({"Pod":{},"NodeNames":)" + Repeated("[", kMillion) + Repeated("]", kMillion) + "}",
     "NodeNames[0]: expected a string, found an array"},
    {"DeepAndOpen", R"({"Pod":{"x":)" + Repeated("[", kMillion) + "}", "broken JSON"},
    {"DeepTopLevel", Repeated("{\"Pod\":", kMillion) + Repeated("}", kMillion),
     "Pod.Pod: nested deeper than 10000 levels"},
};
INSTANTIATE_TEST_SUITE_P(Wire, NotTheProtocolTest, ::testing::ValuesIn(kNotTheProtocol),
                         [](const auto& row) { return row.param.name; });

TEST(Hostile, DeepNestingInANodeIsRefusedEvenWhereTheNodeIsOnlyEchoed) {
  const std::string nodes = R"([{"metadata":{"name":"a"},"x":)" + Repeated("[", kMillion) +
                            Repeated("]", kMillion) + "}]";
  EXPECT_THAT(DecodeArgs(CallWithNodes("{}", nodes)), IsInvalid("Nodes.items[0].x: nested deeper"));
}

TEST(Hostile, DepthCountsBracketsButNotTextThatLooksLikeThem) {
  const auto call = [](std::string_view x) {
    return fmt::format(R"({{"Pod":{{}},"NodeNames":[],"x":{}}})", x);
  };
  const std::string deep = Repeated("[", 10'000) + Repeated("]", 10'000);
  const std::string flat = "[" + Repeated("[],{},", 20'000) + "0]";
  const std::string text = "[\"" + Repeated("[{\\\"", 20'000) + "\"]";
  EXPECT_THAT(DecodeArgs(call(deep)), IsOk());
  EXPECT_THAT(DecodeArgs(call("[" + deep + "]")), IsInvalid("x: nested deeper"));
  EXPECT_THAT(DecodeArgs(call(flat)), IsOk());
  EXPECT_THAT(DecodeArgs(call(text)), IsOk());
}

// What the contract says is not checked in skipped parts. If one of these is refused one day, the
// contract became stricter: say so there.
TEST(Hostile, InsideSkippedPartsBracketsAreCountedNotMatched) {
  EXPECT_THAT(DecodeArgs(R"({"x":[[1}],"Pod":{},"NodeNames":["a"]})"), IsOk());
  EXPECT_THAT(DecodeArgs(R"({"x":[1 2,,:tru 01],"Pod":{},"NodeNames":["a"]})"), IsOk());
  EXPECT_THAT(DecodeArgs(R"({"x":{"a":1,"a":2},"Pod":{},"NodeNames":["a"]})"), IsOk());
}

// simdjson looks at bytes behind the end: whatever they are, no truncated body may pass.
TEST(Hostile, TruncatedBodiesAreRefusedWhateverFollowsInMemory) {
  std::string bodies[] = {
      GoldenBytes("requests/filter_every.json"),
      R"({"Pod":{"x":[{"y":{}}]},"Nodes":{"items":[{"metadata":{"name":"a"}}]}})",
      R"({"x":{"y":[{}]},"Pod":{},"NodeNames":["a","b"]})"};
  ExtenderArgs args;
  for (const std::string& whole : bodies) {
    ASSERT_THAT(DecodeArgs(whole), IsOk());
    for (size_t size = 0; size < whole.size(); ++size) {
      for (const char padding : {' ', '}', ']', ',', '"', '{', '\0'}) {
        for (const Needs& needs : {Needs(), Needs::All()}) {
          const PaddedBody body(std::string_view(whole).substr(0, size), padding);
          const absl::Status status = DecodeExtenderArgs(body, needs, &args);
          ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
              << size << " bytes, then '" << padding << "': " << status.ToString();
        }
      }
    }
  }
}

void ExpectEachNodeOnce(const ExtenderArgs& args) {
  std::vector<std::string_view> names = args.names;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_TRUE(names.empty() || !names.front().empty());
  if (args.has_full_nodes) {
    EXPECT_THAT(args.raw_nodes, SizeIs(names.size()));
    for (const std::string_view raw : args.raw_nodes) {
      EXPECT_TRUE(raw.starts_with('{') && raw.ends_with('}')) << raw;
    }
  }
}

std::string Mutated(std::string bytes, std::mt19937* random) {
  static constexpr std::string_view kTelling = "{}[],:\"\\ n0e-.\xFF";
  for (size_t changes = 1 + (*random)() % 4; changes > 0 && !bytes.empty(); --changes) {
    const size_t at = (*random)() % bytes.size();
    const char telling = kTelling[(*random)() % kTelling.size()];
    switch ((*random)() % 4) {
      case 0:
        bytes[at] =
            static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << ((*random)() % 8)));
        break;
      case 1:
        bytes[at] = telling;
        break;
      case 2:
        bytes.insert(at, 1, telling);
        break;
      default:
        bytes.erase(at, 1 + (*random)() % 8);
    }
  }
  return bytes;
}

TEST(Hostile, MutatedBodiesGiveAnErrorOrEachNodeOnce) {
  const std::string bodies[] = {
      GoldenBytes("requests/filter_every.json"),
      R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":["a","b","c"]})",
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"x":[{}]}]}})"};
  std::mt19937 random(20'260'115);  // NOLINT(cert-msc*): the same bodies every time
  ExtenderArgs args;
  int accepted = 0;
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    const std::string json = Mutated(bodies[static_cast<size_t>(round) % 3], &random);
    const PaddedBody body(json, round % 2 == 0 ? '}' : ']');
    const absl::Status status =
        DecodeExtenderArgs(body, round % 5 == 0 ? Needs() : Needs::All(), &args);
    if (!status.ok()) continue;
    ++accepted;
    ExpectEachNodeOnce(args);
    if (HasFailure()) FAIL() << json;
  }
  // Both sides of the promise were exercised.
  EXPECT_GT(accepted, kRounds / 50);
  EXPECT_LT(accepted, kRounds / 2);
}

TEST(Hostile, MapsOfAHundredThousandKeysTakeNoQuadraticTime) {
  std::string keys = R"("k":"v")";
  for (int i = 100'000; i > 0; --i) keys += fmt::format(R"(,"k{}":"1")", i);
  const std::string nodes =
      fmt::format(R"([{{"metadata":{{"name":"a","labels":{{{0}}},"annotations":{{{0}}}}},)"
                  R"("status":{{"capacity":{{{0}}}}}}}])",
                  keys);
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(CallWithNodes("{}", nodes), Needs::All(), &args), IsOk());
  EXPECT_EQ(args.nodes[0].labels.size(), 100'001U);
  EXPECT_EQ(args.nodes[0].capacity.size(), 100'000U);
}

TEST(Hostile, BodiesOfNothingButPunctuationAreRefusedBeforeTheyAreIndexed) {
  std::string json = R"({"Pod":{},"NodeNames":[],"x":)";
  json.append(json::kMaxTokens, '[').push_back('}');
  EXPECT_THAT(DecodeArgs(json), IsInvalid("body: more than 100663296 keys, values"));
}

TEST(Hostile, LongKeysAreCutInMessages) {
  const std::string json =
      fmt::format(R"({{"Pod":{{"metadata":{{"labels":{{"{}":1}}}}}}}})", std::string(100'000, 'k'));
  const absl::Status status = DecodeArgs(json);
  EXPECT_THAT(status, IsInvalid("expected a string, found a number"));
  EXPECT_LT(Message(status).size(), 200U);
}

}  // namespace
}  // namespace outrigger::wire
