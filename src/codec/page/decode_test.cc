#include <limits>

#include "codec/page/page.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::page {
namespace {

using ::testing::HasSubstr;
using Type = PageColumn::Type;

TEST(PageDecode, ReadsWhatEncodeWrites) {
  Page page{.agent = "qos",
            .name = "queue",
            .table = PageTable({{"pod", Type::kText, "as \"namespace/name\""},
                                {"place", Type::kInteger},
                                {"share", Type::kNumber},
                                {"gated", Type::kBoolean}},
                               100)};
  page.table.Add({"\"a\"\n\xC3\xA4", std::numeric_limits<int64_t>::min(), 0.1, true});
  page.table.Add({"", std::numeric_limits<int64_t>::max(), 1e300, false});
  page.table.Add({"", 0, -3.0, {}});
  page.table.Add({{}, {}, {}, {}});
  page.table.Count(7);
  std::string json;
  Encode(page, kMaxBytes, &json);
  const auto read = Decode(json);
  ASSERT_TRUE(read.ok()) << read.status() << json;
  EXPECT_EQ(read->agent, "qos");
  EXPECT_EQ(read->name, "queue");
  EXPECT_EQ(read->table.columns(), page.table.columns());
  EXPECT_EQ(read->table.rows(), page.table.rows());
  EXPECT_EQ(read->table.total(), 11U);
  EXPECT_TRUE(read->table.truncated());
  EXPECT_EQ(read->table.fault(), "");
}

TEST(PageDecode, SkipsKeysThatItDoesNotKnow) {
  const auto read = Decode(R"({"new":[1,{"a":[[[]]]}],"version":1,"agent":"a","page":"p",)"
                           R"("columns":[{"name":"c","type":"text","unit":"s"}],)"
                           R"("rows":[{"c":"x","d":{"e":1}}],"total":1})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->table.rows()[0], std::vector<PageCell>{"x"});
}

TEST(PageDecode, RefusesAPageOfAnotherVersion) {
  const auto read = Decode(R"({"version":2,"lines":[]})");
  EXPECT_EQ(read.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("a page of version 2, and this program reads version 1"));
}

std::string With(const std::string& columns, const std::string& rows) {
  return R"({"version":1,"agent":"a","page":"p","columns":[)" + columns + R"(],"rows":)" + rows +
         R"(,"total":1})";
}
std::string Row(const std::string& type, const std::string& value) {
  return With(R"({"name":"c","type":")" + type + R"("})", R"([{"c":)" + value + "}]");
}

struct WrongRow {
  const char* name;
  std::string json;
  const char* text;
};
class PageDecodeRefusal : public ::testing::TestWithParam<WrongRow> {};

TEST_P(PageDecodeRefusal, SaysWhatIsWrong) {
  const auto read = Decode(GetParam().json);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(read.status().message()), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PageDecodeRefusal,
    ::testing::Values(
        WrongRow{"Empty", "", "it is not a JSON object"},
        WrongRow{"Html", "<html>", "it is not a JSON object"},
        WrongRow{"Array", "[]", "it is not a JSON object"},
        WrongRow{"CutOff", R"({"version":1)", "it is not a JSON object"},
        WrongRow{"Deep", std::string(1'000'000, '['), "it is not a JSON object"},
        WrongRow{"NoVersion", "{}", "\"version\" is not an integer"},
        WrongRow{"NoAgent", R"({"version":1})", "\"agent\" is not a text"},
        WrongRow{"NoPage", R"({"version":1,"agent":"a"})", "\"page\" is not a text"},
        WrongRow{"NoColumns", R"({"version":1,"agent":"a","page":"p"})", "\"columns\" is not"},
        WrongRow{"ColumnText", With("\"c\"", "[]"), "a column is not an object"},
        WrongRow{"ColumnType", With(R"({"name":"c","type":"date"})", "[]"),
                 "column \"c\": type \"date\" is not known"},
        WrongRow{"RowsObject", With("", "{}"), "\"rows\" is not an array"},
        WrongRow{"RowText", With("", "[1]"), "row 0 is not an object"},
        WrongRow{"Total", With("", "[{},{}]"), "\"total\" is not the number of rows or more"},
        WrongRow{"NotText", Row("text", "1"), "row 0: column \"c\" is not of type text"},
        WrongRow{"NotInteger", Row("integer", "1.5"), "is not of type integer"},
        WrongRow{"AboveIntegers", Row("integer", "9223372036854775808"), "is not of type integer"},
        WrongRow{"NotNumber", Row("number", "\"1\""), "is not of type number"},
        WrongRow{"NotBoolean", Row("boolean", "0"), "is not of type boolean"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::page
