#include <array>
#include <string>

#include "codec/json/text.h"
#include "wire_testing.h"

// The expected bytes are files that the Go package tests/support/wirecheck reads with the
// scheduler's own types.

namespace outrigger::wire {
namespace {

using Kind = Verdict::Kind;

ExtenderArgs Names(std::initializer_list<const char*> names) {
  ExtenderArgs args;
  args.has_node_names = true;
  args.names.assign(names.begin(), names.end());
  return args;
}

TEST(EncodeFilterResult, EchoesSurvivingNodesByteForByte) {
  const std::string request = GoldenBytes("requests/filter_full.json");
  const PaddedBody body(request);
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  const std::array verdicts{Kind::kFits, Kind::kRejected, Kind::kUnresolvable};
  const std::array<std::string, 3> reasons{"unused", "too <busy> & full", "no such device"};
  std::string out;
  EncodeFilterResult(args, verdicts, reasons, &out);
  EXPECT_EQ(out, GoldenBytes("answers/filter_full.json"));
  EXPECT_NE(out.find(args.raw_nodes[0]), std::string::npos);
}

TEST(EncodeFilterResult, AnswersNamesWithNames) {
  const ExtenderArgs args = Names({"a", "b", "c", "d"});
  const std::array verdicts{Kind::kFits, Kind::kRejected, Kind::kUnresolvable, Kind::kFits};
  const std::array<std::string, 4> reasons{
      "", "line 1\nline 2\t\"quoted\" \\ \u2028 größer \xFF\xC3 end", "control \x01 \x7f", ""};
  std::string out;
  EncodeFilterResult(args, verdicts, reasons, &out);
  EXPECT_EQ(out, GoldenBytes("answers/filter_names.json"));
}

TEST(EncodeFilterResult, AnswersBothFormsWithBoth) {
  ExtenderArgs args = Names({"a", "b"});
  args.has_full_nodes = true;
  args.raw_nodes = {R"({"metadata": {"name":"a"}})", R"({"metadata":{"name":"b"} })"};
  const std::array verdicts{Kind::kFits, Kind::kFits};
  const std::array<std::string, 2> reasons;
  std::string out;
  EncodeFilterResult(args, verdicts, reasons, &out);
  EXPECT_EQ(out, R"({"Nodes":{"metadata":{},"items":[{"metadata": {"name":"a"}},)"
                 R"({"metadata":{"name":"b"} }]},"NodeNames":["a","b"],"FailedNodes":{},)"
                 R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

// `text` with its echoes put in.
std::string Joined(std::string text, const std::vector<Echo>& echoes) {
  for (auto echo = echoes.rbegin(); echo != echoes.rend(); ++echo) {
    text.insert(echo->at, echo->bytes);
  }
  return text;
}

TEST(EncodeFilterResult, LeavesLongEchoesWhereTheyLie) {
  std::string request = R"({"Pod":{"metadata":{"name":"p"}},"Nodes":{"items":[)";
  for (int i = 0; i < 6; ++i) {
    request += i == 0 ? "" : ",";
    request += R"({"metadata":{"name":"n)" + std::to_string(i) + R"("},"x":")" +
               std::string(i == 5 ? 10 : 3000, 'x') + R"("})";
  }
  const PaddedBody body(request + "]}}");
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  // Two neighbours are one piece; a single one, and a short one, are copied.
  const std::array verdicts{Kind::kFits, Kind::kFits,     Kind::kRejected,
                            Kind::kFits, Kind::kRejected, Kind::kFits};
  const std::array<std::string, 6> reasons{"", "", "no", "", "no", ""};
  std::string copied;
  EncodeFilterResult(args, verdicts, reasons, &copied);
  std::string text = "before";
  std::vector<Echo> echoes;
  EncodeFilterResult(args, verdicts, reasons, &text, &echoes);
  ASSERT_EQ(echoes.size(), 1U);
  EXPECT_EQ(echoes[0].bytes.data(), args.raw_nodes[0].data());
  EXPECT_EQ(echoes[0].bytes.size(), args.raw_nodes[0].size() + 1 + args.raw_nodes[1].size());
  EXPECT_EQ(Joined(text, echoes), "before" + copied);
}

// What the scheduler sends, and what others might: blanks, escapes, characters that Go escapes.
TEST(EncodeFilterResult, EchoesNamesAsTheyCame) {
  struct Row {
    const char* name;
    std::string names;     // of the request
    std::string expected;  // if all but the second fit
  };
  const std::vector<Row> rows = {
      {"as Go writes it", R"("a","bb","c","d")", R"("a","c","d")"},
      {"blanks", "\"a\" ,\n\"bb\", \"c\" , \"d\"", R"("a","c","d")"},
      {"beyond ASCII", "\"gr\u00f6\u00dfer\",\"bb\",\"<c>\"", "\"gr\u00f6\u00dfer\",\"<c>\""},
      {"an escape", R"("a","b\u0062","\"c\"")", R"("a","\"c\"")"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const PaddedBody body(R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":[)" + row.names + "]}");
    ExtenderArgs args;
    ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
    std::vector<Kind> verdicts(args.names.size(), Kind::kFits);
    std::vector<std::string> reasons(args.names.size());
    verdicts[1] = Kind::kRejected;
    reasons[1] = "full";
    std::string out;
    EncodeFilterResult(args, verdicts, reasons, &out);
    EXPECT_EQ(out, R"({"Nodes":null,"NodeNames":[)" + row.expected +
                       R"(],"FailedNodes":{"bb":"full"},"FailedAndUnresolvableNodes":{},)"
                       R"("Error":""})");
  }
}

TEST(EncodeFilterResult, LeavesLongListsOfNamesWhereTheyLie) {
  std::string names;
  for (int i = 0; i < 1000; ++i)
    names += (i == 0 ? "\"node-" : ",\"node-") + std::to_string(i) + '"';
  const PaddedBody body(R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":[)" + names + "]}");
  ExtenderArgs args;
  ASSERT_THAT(DecodeExtenderArgs(body, Needs(), &args), IsOk());
  std::vector<Kind> verdicts(args.names.size(), Kind::kFits);
  const std::vector<std::string> reasons(args.names.size(), "no");
  // None; one, behind few and before many; the middle.
  for (const size_t gone : {size_t{1000}, size_t{2}, size_t{500}}) {
    if (gone < verdicts.size()) verdicts[gone] = Kind::kUnresolvable;
    std::string copied;
    EncodeFilterResult(args, verdicts, reasons, &copied);
    std::string text;
    std::vector<Echo> echoes;
    EncodeFilterResult(args, verdicts, reasons, &text, &echoes);
    EXPECT_EQ(echoes.size(), gone == 500 ? 2U : 1U);
    EXPECT_LT(text.size(), 500U) << "what is long is not copied";
    EXPECT_EQ(Joined(text, echoes), copied);
  }
}

TEST(EncodeFilterResult, NoSurvivorIsAnEmptyListNeverNull) {
  std::string out;
  EncodeFilterResult(Names({}), {}, {}, &out);
  EXPECT_EQ(out, R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},)"
                 R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST(EncodeFilterResult, AppendsWithOneReserve) {
  const ExtenderArgs args = Names({"a", "b"});
  const std::array verdicts{Kind::kFits, Kind::kRejected};
  const std::array<std::string, 2> reasons{"", std::string(10'000, 'x')};
  std::string out = "before";
  EncodeFilterResult(args, verdicts, reasons, &out);
  EXPECT_TRUE(out.starts_with("before{\"Nodes\":null"));
  EXPECT_LT(out.capacity(), 11'000U);  // growing by doubling would have ended above
  const char* memory = out.data();
  out.clear();
  EncodeFilterResult(args, verdicts, reasons, &out);
  EXPECT_EQ(out.data(), memory);
}

TEST(EncodeFilterError, HasNoNodes) {
  std::string out;
  EncodeFilterError("no \"answer\"", &out);
  EXPECT_EQ(out, GoldenBytes("answers/filter_error.json"));
}

TEST(EncodeHostPriorityList, IsABareArrayOfIntegers) {
  std::string out;
  EncodeHostPriorityList(Names({"a", "b", "c", "d"}), std::array{0, 10, 7, 3}, &out);
  EXPECT_EQ(out, GoldenBytes("answers/prioritize.json"));
  out.clear();
  EncodeHostPriorityList(Names({}), {}, &out);
  EXPECT_EQ(out, "[]");
}

// A score of 0 adds nothing to the scheduler's own, and costs it the reading.
TEST(EncodeHostPriorityList, IsEmptyWhereNoNodeHasAScore) {
  std::string out;
  EncodeHostPriorityList(Names({"a", "b"}), std::array{0, 0}, &out);
  EXPECT_EQ(out, "[]");
  out.clear();
  EncodeHostPriorityList(Names({"a", "b"}), std::array{0, 1}, &out);
  EXPECT_EQ(out, R"([{"Host":"a","Score":0},{"Host":"b","Score":1}])");
}

TEST(EncodeBindResult, AlwaysHasError) {
  std::string out;
  EncodeBindResult("", &out);
  EXPECT_EQ(out, GoldenBytes("answers/bind.json"));
  out.clear();
  EncodeBindResult("node \"a\" is gone", &out);
  EXPECT_EQ(out, GoldenBytes("answers/bind_error.json"));
}

TEST(EncodePreemptionResult, GivesMetaVictimsAndNeverNull) {
  const std::vector<NodeVictims> chosen = {
      {.node = "worker-1", .pod_uids = {"uid-of-a", "uid-of-b"}, .pdb_violations = 1},
      {.node = "worker-2", .pod_uids = {}, .pdb_violations = 0}};
  std::string out;
  EncodePreemptionResult(chosen, &out);
  EXPECT_EQ(out, GoldenBytes("answers/preempt.json"));
  EXPECT_EQ(out.find("null"), std::string::npos);
  out.clear();
  EncodePreemptionResult({}, &out);
  EXPECT_EQ(out, R"({"NodeNameToMetaVictims":{}})");
}

TEST(EncodePreemptionResult, ReadsBackAsItWasAsked) {
  PreemptArgs args;
  ASSERT_THAT(
      DecodePreemptArgs(PaddedBody(GoldenBytes("requests/preempt_meta.json")), Needs(), &args),
      IsOk());
  std::string out;
  EncodePreemptionResult(args.candidates, &out);
  EXPECT_EQ(out, GoldenBytes("answers/preempt.json"));
}

struct Text {
  const char* name;
  std::string text;
  const char* json;
};

class JsonStrings : public ::testing::TestWithParam<Text> {};

TEST_P(JsonStrings, AreWrittenAsGoWritesThem) {
  std::string out = "[";
  json::AppendString(GetParam().text, &out);
  EXPECT_EQ(out, std::string("[") + GetParam().json);
}

const Text kTexts[] = {
    {"Empty", "", R"("")"},
    {"Plain", "a b/c'\x7f", "\"a b/c'\x7f\""},
    {"QuotesAndBackslashes", R"(\"\)", R"("\\\"\\")"},
    {"ShortEscapes", "\b\f\n\r\t", R"("\b\f\n\r\t")"},
    {"Nul", std::string(2, '\0'), R"("\u0000\u0000")"},
    {"ControlCharacters", "\x01\x1f", R"("\u0001\u001f")"},
    {"Html", "<a href='x'>&", R"("\u003ca href='x'\u003e\u0026")"},
    {"LineSeparators", "\u2028\u2029\u202a", "\"\\u2028\\u2029\u202a\""},
    {"TwoBytes", "ß", R"("ß")"},
    {"ThreeBytes", "€\ufffd\uffff", "\"€\ufffd\uffff\""},
    {"FourBytes", "\U0001F600\U0010FFFF", "\"\U0001F600\U0010FFFF\""},
    {"LoneContinuation", "a\x80z", R"("a\ufffdz")"},
    {"LoneLead", "a\xC3z", R"("a\ufffdz")"},
    {"LeadAtTheEnd", "\xE2\x82", R"("\ufffd\ufffd")"},
    {"Overlong", "\xC0\xAF\xE0\x80\xAF", R"("\ufffd\ufffd\ufffd\ufffd\ufffd")"},
    {"Surrogate", "\xED\xA0\x80", R"("\ufffd\ufffd\ufffd")"},
    {"BeyondUnicode", "\xF4\x90\x80\x80", R"("\ufffd\ufffd\ufffd\ufffd")"},
    {"NotALead", "\xFF\xF5", R"("\ufffd\ufffd")"},
};
INSTANTIATE_TEST_SUITE_P(Wire, JsonStrings, ::testing::ValuesIn(kTexts),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::wire
