#include "apiserver/select/columns.h"

#include <set>
#include <string>
#include <utility>

#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// What is shown in fewer words than upstream's: parts that a lab has none of.
bool IsSimpler(const std::string& kind, const std::string& title) {
  static const std::set<std::pair<std::string, std::string>> simpler = {
      {"Node", "Roles"},       {"Node", "Kernel-Version"},
      {"Node", "Internal-IP"}, {"PersistentVolume", "Access Modes"},
      {"Service", "Port(s)"},  {"Service", "External-IP"},
      {"Event", "Source"},     {"Event", "Message"}};
  return simpler.contains({kind, title});
}

// Where upstream has a column of the title: "*#Title!".
size_t IndexOf(const Column& column, const Json& titles) {
  const std::string wide(static_cast<size_t>(column.priority), '*');
  const std::string name = column.name + (column.format == "name" ? "!" : "");
  for (size_t i = 0; i < titles.size(); ++i) {
    for (const char* type : {"", "#", "?"}) {
      if (titles[i] == wide + type + name) return i;
    }
  }
  ADD_FAILURE() << "no column " << wide << name << " of " << titles;
  return 0;
}

// Titles and cells are what upstream's printers make of the same objects; not all are shown.
TEST(Columns, AreThoseOfUpstream) {
  const Json table = testing::LoadGolden("upstream_columns.json");
  size_t compared = 0;
  for (const Json& row : table.at("objects")) {
    SCOPED_TRACE(row.dump());
    const std::string version = row[0].at("apiVersion");
    const std::string kind = row[0].at("kind");
    // Signals, lost nodes, and restarts of init containers.
    static const std::set<std::string> other = {"lost", "signal", "init-signal", "init-initialized",
                                                "sidecar"};
    if (kind == "Pod" && other.contains(row[0]["metadata"]["name"])) continue;
    const size_t slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const Columns& columns = Columns::OfKind(group, kind);
    if (columns.all().back().type == "date") continue;  // the name and the age
    const Json cells = columns.CellsOf(row[0], kNow);
    size_t last = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t index = IndexOf(columns.all()[i], row[1]);
      EXPECT_GE(index, last);
      last = index;
      if (IsSimpler(kind, columns.all()[i].name)) continue;
      EXPECT_EQ(cells[i], row[2][index]) << columns.all()[i].name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(Columns, OfOtherKindsAreNameAndAge) {
  const Json object = {
      {"metadata", {{"name", "x"}, {"creationTimestamp", "2027-01-15T07:59:50Z"}}}};
  EXPECT_EQ(Columns::OfKind("", "LimitRange").CellsOf(object, kNow), Json({"x", "10s"}));
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
