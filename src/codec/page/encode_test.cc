#include <cmath>
#include <limits>

#include "codec/page/page.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace outrigger::page {
namespace {

using ::testing::HasSubstr;
using Type = PageColumn::Type;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Page MakePage(size_t max_rows = 100) {
  return {.agent = "qos",
          .name = "queue",
          .table = PageTable({{"pod", Type::kText, "its name"},
                              {"place", Type::kInteger},
                              {"share", Type::kNumber},
                              {"gated", Type::kBoolean}},
                             max_rows)};
}

std::string Encoded(const Page& page, size_t max_bytes = kMaxBytes) {
  std::string out;
  Encode(page, max_bytes, &out);
  return out;
}

TEST(PageEncode, WritesARowALineWithTheColumnsInTheirOrder) {
  Page page = MakePage();
  page.table.Add({"default/a", 1, 0.5, true});
  page.table.Add({"default/b", {}, 3.0, false});
  EXPECT_EQ(
      Encoded(page),
      R"({"version":1,"agent":"qos","page":"queue","columns":[{"name":"pod","type":"text","help":"its name"},)"
      R"({"name":"place","type":"integer"},{"name":"share","type":"number"},)"
      R"({"name":"gated","type":"boolean"}],"rows":[
{"pod":"default/a","place":1,"share":0.5,"gated":true},
{"pod":"default/b","place":null,"share":3,"gated":false}
],"total":2,"truncated":false}
)");
}

TEST(PageEncode, WritesAPageWithoutRows) {
  const auto json = nlohmann::json::parse(Encoded(MakePage()));
  EXPECT_EQ(json["rows"], nlohmann::json::array());
  EXPECT_EQ(json["total"], 0);
  EXPECT_EQ(json["truncated"], false);
}

TEST(PageEncode, EscapesTextsAndReplacesWhatIsNotUtf8) {
  Page page = MakePage();
  page.table.Add({"\"\n\x01\xff", {}, {}, {}});
  const auto json = nlohmann::json::parse(Encoded(page));
  EXPECT_EQ(json["rows"][0]["pod"], "\"\n\x01\xEF\xBF\xBD");
}

TEST(PageEncode, ShowsNumbersThatAreNotFiniteAsAbsent) {
  Page page = MakePage();
  for (const double number : {kInfinity, -kInfinity, std::nan("")}) {
    page.table.Add({{}, {}, number, {}});
  }
  const auto json = nlohmann::json::parse(Encoded(page));
  for (const auto& row : json["rows"]) EXPECT_TRUE(row["share"].is_null()) << row;
}

TEST(PageEncode, SaysHowManyRowsThereAreIfSomeAreNotKept) {
  Page page = MakePage(1);
  page.table.Add({"a", {}, {}, {}});
  page.table.Count(41);
  EXPECT_THAT(Encoded(page), HasSubstr(R"("total":42,"truncated":true})"));
}

TEST(PageEncode, LeavesRowsOutAboveTheBytes) {
  Page page = MakePage();
  for (int i = 0; i < 100; ++i) page.table.Add({std::string(100, 'a'), i, {}, {}});
  std::string out = "before";
  Encode(page, 2000, &out);
  EXPECT_LE(out.size(), 2000 + std::string("before").size());
  EXPECT_GT(out.size(), 1500U);
  const auto json = nlohmann::json::parse(out.substr(std::string("before").size()));
  EXPECT_EQ(json["total"], 100);
  EXPECT_EQ(json["truncated"], true);
  EXPECT_EQ(json["rows"].back()["place"], json["rows"].size() - 1);
}

}  // namespace
}  // namespace outrigger::page
