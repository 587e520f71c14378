#include "apiserver/select/columns.h"

#include <string>

#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

std::string Flagged(const Column& column) {
  return std::string(static_cast<size_t>(column.priority), '*') +
         (column.type == "integer"   ? "#"
          : column.type == "boolean" ? "?"
                                     : "") +
         column.name + (column.format == "name" ? "!" : "");
}

// Titles, types and cells are what upstream's printers make of the same objects.
TEST(Columns, AreThoseOfUpstream) {
  const Json table = testing::LoadGolden("upstream_columns.json");
  ASSERT_GT(table.at("objects").size(), 70);
  for (const Json& row : table.at("objects")) {
    SCOPED_TRACE(row.dump());
    const std::string version = row[0].at("apiVersion");
    const size_t slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const Columns& columns = Columns::OfKind(group, row[0].at("kind").get<std::string>());
    if (row[1].is_null()) {
      EXPECT_EQ(columns.CellsOf(row[0], kNow), Json({"l", "2020-01-01T00:00:00Z"}));
      EXPECT_EQ(columns.all()[1].type, "date");
      continue;
    }
    Json titles = Json::array();
    for (const Column& column : columns.all()) titles.push_back(Flagged(column));
    EXPECT_EQ(titles, row[1]);
    EXPECT_EQ(columns.CellsOf(row[0], kNow), row[2]);
  }
}

TEST(Columns, AgesAreThoseOfKubectl) {
  const std::pair<int64_t, const char*> kAges[] = {{-2, "<invalid>"},
                                                   {-1, "0s"},
                                                   {0, "0s"},
                                                   {119, "119s"},
                                                   {120, "2m"},
                                                   {192, "3m12s"},
                                                   {600, "10m"},
                                                   {3 * 3600 - 1, "179m"},
                                                   {3 * 3600, "3h"},
                                                   {3 * 3600 + 300, "3h5m"},
                                                   {8 * 3600 + 300, "8h"},
                                                   {47 * 3600, "47h"},
                                                   {48 * 3600, "2d"},
                                                   {49 * 3600, "2d1h"},
                                                   {8 * 86400, "8d"},
                                                   {729 * 86400, "729d"},
                                                   {730 * 86400, "2y"},
                                                   {731 * 86400, "2y1d"},
                                                   {3000 * 86400LL, "8y"}};
  for (const auto& [seconds, text] : kAges) EXPECT_EQ(AgeText(absl::Seconds(seconds)), text);

  const Json pod =
      Json::parse(R"({"metadata":{"name":"p","creationTimestamp":"2027-01-15T07:58:20Z"},
      "spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","containerStatuses":[
      {"name":"a","restartCount":2,"state":{"running":{}},
       "lastState":{"terminated":{"finishedAt":"2027-01-15T07:59:50Z"}}}]}})");
  const Json cells = Columns::OfKind("", "Pod").CellsOf(pod, kNow);
  EXPECT_EQ(cells[3], "2 (10s ago)");
  EXPECT_EQ(cells[4], "100s");
}

TEST(Columns, OfCustomResourcesAreReadByTheirPaths) {
  const Columns columns = Columns::OfCustomResource(Json::parse(R"([
      {"name":"Size","type":"integer","jsonPath":".spec.size","priority":1},
      {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},
      {"name":"First","type":"string","jsonPath":".spec.items[0].name","description":"the first"},
      {"name":"All","type":"string","jsonPath":".spec.items[*]"},
      {"name":"Dotted","type":"string","jsonPath":".metadata.labels.a\\.b"},
      {"name":"Quoted","type":"string","jsonPath":".metadata.labels['a.b']"},
      {"name":"Since","type":"date","jsonPath":".spec.since"},
      {"name":"Bad date","type":"date","jsonPath":".spec.size2"},
      {"name":"On","type":"boolean","jsonPath":".spec.on"},
      {"name":"Wrong","type":"boolean","jsonPath":".spec.size"},
      {"name":"None","type":"number","jsonPath":".spec.none"}])"));
  const Json object = Json::parse(R"({"metadata":{"name":"x","labels":{"a.b":"c"}},
      "spec":{"size":3,"size2":"z","items":[{"name":"i"}],"since":"2027-01-15T07:59:50Z","on":true},
      "status":{"conditions":[{"type":"Other","status":"a"},{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(columns.CellsOf(object, kNow),
            Json::parse(R"(["x",3,"True","i","{\"name\":\"i\"}","c","c","10s","<invalid>",true,null,
                            null])"));
  const Json definitions = columns.Definitions();
  EXPECT_EQ(definitions[0]["format"], "name");
  EXPECT_EQ(definitions[1]["priority"], 1);
  EXPECT_EQ(definitions[1]["description"],
            "Custom resource definition column (in JSONPath format): .spec.size");
  EXPECT_EQ(definitions[3]["description"], "the first");
}

TEST(Columns, OfCustomResourcesAreTheAgeWhereNoneAreGiven) {
  const Columns columns = Columns::OfCustomResource(nullptr);
  const Json object = {
      {"metadata", {{"name", "x"}, {"creationTimestamp", "2027-01-15T07:59:50Z"}}}};
  EXPECT_EQ(columns.CellsOf(object, kNow), Json({"x", "10s"}));
}

TEST(JsonPath, RefusesWhatItCannotRead) {
  JsonPath path;
  for (const char* text :
       {"", "spec", ".a..b", ".a[", ".a[x]", ".a[?(@.b)]", ".a[?(@.b==x)]", "..a"}) {
    EXPECT_FALSE(path.Parse(text)) << text;
  }
  for (const char* text :
       {".", ".a", ".a[0]", ".a[-1].b", "['a']", ".a[?(@.b=='x')].c", ".a.*.b"}) {
    EXPECT_TRUE(path.Parse(text)) << text;
  }
}

}  // namespace
}  // namespace outrigger::apiserver
