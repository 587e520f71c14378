#include "apiserver/types/body.h"

#include "gmock/gmock.h"

namespace outrigger::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Body, IsRead) {
  Json object;
  std::vector<std::string> duplicates;
  const char* const text =
      R"({"a": [1, -2, 1.5, true, null, "x\u00e9", {}, []], "b": {"c": 18446744073709551615}})";
  ASSERT_FALSE(ParseBody(text, "Pod", &object, &duplicates));
  EXPECT_EQ(object, Json::parse(text));
  EXPECT_THAT(duplicates, IsEmpty());
}

TEST(Body, ThatIsNotUtf8IsReadAsGoReadsIt) {
  Json object;
  std::vector<std::string> duplicates;
  ASSERT_FALSE(ParseBody("{\"a\": \"x\xff\"}", "Pod", &object, &duplicates));
  EXPECT_EQ(object["a"], "x\xEF\xBF\xBD");
}

TEST(Body, OfAFieldThatComesTwiceHasTheLast) {
  Json object;
  std::vector<std::string> duplicates;
  ASSERT_FALSE(ParseBody(R"({"a": 1, "b": [{}, {"c": {"d": 1, "d": 2}, "c": 3}], "a": 4, "a": 5})",
                         "Pod", &object, &duplicates));
  EXPECT_EQ(object, Json::parse(R"({"a": 5, "b": [{}, {"c": 3}]})"));
  EXPECT_THAT(duplicates, ElementsAre("duplicate field \"b[1].c.d\"", "duplicate field \"b[1].c\"",
                                      "duplicate field \"a\""));
}

struct BodyRow {
  const char* name;
  const char* text;
  const char* problem;  // in what is behind "json parse error: "
};

constexpr BodyRow kBrokenBodies[] = {
    {"nothing", "", "unexpected end of input"},
    {"cut off", R"({"kind":"Pod","apiVersion":"v1",)", "unexpected end of input"},
    {"no JSON", "hello", "at line 1, column 1"},
    {"a comma too many", R"({"a":[{},]})", "unexpected ']'"},
    {"no colon", R"({"a" 1})", "expected ':'"},
    {"more behind it", "{} x", "at line 1, column 4"},
    {"a character that is not ASCII", "\xC3\xA9", "at line 1, column 1"},
    {"a number that is too large", R"({"a":1e999})", "overflow"},
    {"a number", "5", "an object is wanted, this is a JSON number"},
};

TEST(Body, ThatIsBrokenIsRefused) {
  for (const BodyRow& row : kBrokenBodies) {
    SCOPED_TRACE(row.name);
    Json object;
    std::vector<std::string> duplicates;
    const auto failure = ParseBody(row.text, "Pod", &object, &duplicates);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, 400);
    EXPECT_NO_THROW(failure->Body().dump());
    EXPECT_THAT(failure->message,
                ::testing::StartsWith(
                    "the object provided is unrecognized (must be of type Pod): couldn't get "
                    "version/kind; json parse error: "));
    EXPECT_THAT(failure->message, ::testing::HasSubstr(row.problem));
  }
}

TEST(Body, IsNotNestedTooDeeply) {
  const auto nested = [](int depth) {
    return "{\"a\":" + std::string(static_cast<size_t>(depth - 1), '[') +
           std::string(static_cast<size_t>(depth - 1), ']') + "}";
  };
  Json object;
  std::vector<std::string> duplicates;
  EXPECT_FALSE(ParseBody(nested(kMaxDepth), "Pod", &object, &duplicates));
  const auto failure = ParseBody(nested(kMaxDepth + 1), "Pod", &object, &duplicates);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, ::testing::HasSubstr("exceeded max depth"));
  EXPECT_TRUE(ParseBody(std::string(3'000'000, '['), "Pod", &object, &duplicates));
}

}  // namespace
}  // namespace outrigger::apiserver
