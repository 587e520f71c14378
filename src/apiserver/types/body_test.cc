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
  const char* problem;  // behind "json parse error: "
};

// As kube-apiserver 1.37 says them.
constexpr BodyRow kBrokenBodies[] = {
    {"nothing", "", "unexpected end of JSON input (<empty>)"},
    {"cut off", R"({"kind":"Pod","apiVersion":"v1",)",
     R"(unexpected end of JSON input ({"kind":"Pod","apiVersion":"v1 ...))"},
    {"no JSON", "hello", "invalid character 'h' looking for beginning of value (68656c6c6f)"},
    {"a comma too many", R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"a":[{},]})",
     R"(invalid character ']' looking for beginning of value ({"kind":"Pod","apiVersion":"v1 ...))"},
    {"a comma too many in an object", R"({"a":1,})",
     R"(invalid character '}' looking for beginning of object key string ({"a":1,}))"},
    {"no colon", R"({"a" 1})", R"(invalid character '1' after object key ({"a" 1}))"},
    {"no comma", R"({"a":[1 2]})", R"(invalid character '2' after array element ({"a":[1 2]}))"},
    {"no comma in an object", R"({"a":1 "b"})",
     R"(invalid character '"' after object key:value pair ({"a":1 "b"}))"},
    {"more behind it", "{} x", "invalid character 'x' after top-level value ({} x)"},
    {"a character that is not ASCII", "\xC3\xA9",
     "invalid character '\\u00c3' looking for beginning of value (c3a9)"},
    {"a character that is cut off", R"({"kind":"Pod","a":"0123456789é",)",
     "unexpected end of JSON input ({\"kind\":\"Pod\",\"a\":\"0123456789\xEF\xBF\xBD ...)"},
    {"a number", "5",
     R"(json: cannot unmarshal number into Go value of type struct { APIVersion string )"
     R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (35))"},
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
    EXPECT_EQ(failure->message,
              std::string("the object provided is unrecognized (must be of type Pod): couldn't get "
                          "version/kind; json parse error: ") +
                  row.problem);
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
