#include "kube/stream/list_page.h"

#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  absl::Status status;
  ListPage page;
  std::vector<std::string> items;  // "d/a = x"
};

Read ReadPieces(const std::vector<std::string_view>& pieces) {
  Read read;
  ListPageReader reader;
  MapSink sink;
  const auto on_item = [&](const ListItem& item) {
    read.items.push_back(item.head.namespace_ + "/" + item.head.name);
    sink.objects.clear();
    absl::Status status = sink.Upsert(item.head, item.object, json::Path("item"));
    for (const auto& [name, value] : sink.objects) {
      if (!value.empty()) read.items.back() += " = " + value;
    }
    return status;
  };
  for (const std::string_view piece : pieces) {
    read.status = reader.Feed(piece, on_item);
    if (!read.status.ok()) return read;
  }
  absl::StatusOr<ListPage> page = reader.Finish();
  read.status = page.status();
  if (page.ok()) read.page = *std::move(page);
  return read;
}

struct Row {
  const char* name;
  std::string json;
  std::vector<std::string> items;
  std::string version;
  std::string continue_token = {};
  std::optional<int64_t> remaining = {};
};
class Pages : public ::testing::TestWithParam<Row> {};

const Row kRows[] = {
    {"Empty", List(5, {}), {}, "5"},
    {"One", List(5, {Json("a", 3, "x")}), {"d/a = x"}, "5"},
    {"Two", List(5, {Json("a", 3, "x"), Json("b", 4, "y")}), {"d/a = x", "d/b = y"}, "5"},
    {"Continued",
     R"({"metadata":{"resourceVersion":"5","continue":"tok\"en","remainingItemCount":12},)"
     R"("items":[{"metadata":{"name":"a"}}]})",
     {"/a"},
     "5",
     "tok\"en",
     12},
    {"MetadataBehindItems",
     R"({"apiVersion":"v1","items":[{"metadata":{"name":"a"}}],"kind":"L","metadata":)"
     R"({"resourceVersion":"7"}})",
     {"/a"},
     "7"},
    {"NullItems", R"({"metadata":{"resourceVersion":"7"},"items":null})", {}, "7"},
    {"Blanks",
     " { \"items\" :\n[ {\"metadata\":{\"name\":\"a\"}} ,\t{\"metadata\":{\"name\":\"b\"}} ] , "
     "\"metadata\" : {\"resourceVersion\":\"7\"} } \n",
     {"/a", "/b"},
     "7"},
    {"BracketsInStrings",
     R"({"x":"\"items\":[{}","items":[{"metadata":{"name":"a"},"spec":{"value":"}]\\\"{"}}],)"
     R"("metadata":{"resourceVersion":"7"}})",
     {"/a = }]\\\"{"},
     "7"},
    {"ItemsElsewhere",
     R"({"metadata":{"items":[{}],"resourceVersion":"7"},"x":"items","y":[{"items":[1]}],)"
     R"("items":[{"metadata":{"name":"a"}}]})",
     {"/a"},
     "7"},
};

TEST_P(Pages, GiveTheirItems) {
  const Row& row = GetParam();
  const Read read = ReadPieces({row.json});
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.items, row.items);
  EXPECT_EQ(read.page.items, row.items.size());
  EXPECT_EQ(read.page.resource_version, row.version);
  EXPECT_EQ(read.page.continue_token, row.continue_token);
  EXPECT_EQ(read.page.remaining_items, row.remaining);
}

TEST_P(Pages, AreTheSameWhereverTheyAreSplit) {
  const std::string_view json = GetParam().json;
  for (size_t cut = 0; cut <= json.size(); ++cut) {
    const Read read = ReadPieces({json.substr(0, cut), json.substr(cut)});
    EXPECT_TRUE(read.status.ok()) << read.status << " at " << cut;
    EXPECT_EQ(read.items, GetParam().items) << cut;
    EXPECT_EQ(read.page.resource_version, GetParam().version);
  }
  std::vector<std::string_view> bytes;
  for (const char& c : json) bytes.emplace_back(&c, 1);
  EXPECT_EQ(ReadPieces(bytes).items, GetParam().items);
}

TEST_P(Pages, AreRefusedWhereverTheyEndTooSoon) {
  const std::string_view json = GetParam().json;
  const size_t end = json.find_last_of('}');
  for (size_t cut = 0; cut <= end; ++cut) {
    EXPECT_FALSE(ReadPieces({json.substr(0, cut)}).status.ok()) << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Kube, Pages, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

struct Refusal {
  const char* name;
  const char* json;
  const char* text;
};
class RefusedPages : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedPages, SayWhy) {
  const Read read = ReadPieces({GetParam().json});
  EXPECT_EQ(read.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(read.status.message()), HasSubstr(GetParam().text));
}

const Refusal kRefusals[] = {
    {"Nothing", "", "expected a JSON object, found nothing"},
    {"Html", "<html></html>", "expected a JSON object"},
    {"Array", R"([{"items":[]}])", "expected a JSON object"},
    {"Status", R"({"kind":"Status","metadata":{},"code":200})",
     "list.items: expected an array, found nothing"},
    {"NoItems", R"({"metadata":{"resourceVersion":"5"}})",
     "list.items: expected an array, found nothing"},
    {"HiddenItems", R"({"metadata":{"resourceVersion":"5"},"\u0069tems":[{}]})",
     "list.items[0]: an item after a key that is not written as"},
    {"ItemsTwice", R"({"metadata":{"resourceVersion":"5"},"items":[],"items":[]})",
     "list.items: given twice"},
    {"ItemsAreObject", R"({"metadata":{"resourceVersion":"5"},"items":{}})",
     "list.items: expected an array, found an object"},
    {"NoVersion", R"({"metadata":{},"items":[]})",
     "list.metadata.resourceVersion: expected a version, found nothing"},
    {"VersionIsNumber", R"({"metadata":{"resourceVersion":5},"items":[]})",
     "list.metadata.resourceVersion: expected a string, found a number"},
    {"ItemIsNumber", R"({"items":[7],"metadata":{"resourceVersion":"5"}})",
     "items[0]: expected an object"},
    {"ItemIsNull", R"({"items":[null]})", "items[0]: expected an object"},
    {"CommaBeforeEnd", R"({"items":[{"metadata":{"name":"a"}},]})", "items[1]: expected an object"},
    {"NoComma", R"({"items":[{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}]})",
     "items[1]: expected a comma or the end of the items"},
    {"ItemWithoutName", R"({"items":[{"metadata":{"name":"a"}},{"metadata":{}}]})",
     "items[1].metadata.name: expected a name, found nothing"},
    {"BrokenItem", R"({"items":[{"metadata" {"name":"a"}}]})", "broken JSON"},
    {"SomethingBehind", R"({"metadata":{"resourceVersion":"5"},"items":[]}{})", "broken JSON"},
};
INSTANTIATE_TEST_SUITE_P(Kube, RefusedPages, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST(ListPage, TakesTheMemoryOfAnItemOnly) {
  ListSplitter splitter;
  size_t items = 0;
  const auto count = [&items](json::Body) {
    ++items;
    return absl::OkStatus();
  };
  ASSERT_TRUE(splitter.Feed(R"({"items":[{}])", count).ok());
  ListSplitter long_list;
  ASSERT_TRUE(long_list.Feed(R"({"items":[{})", count).ok());
  const std::string item = "," + Json("a", 5, std::string(5000, 'x'));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(long_list.Feed(item, count).ok());
  EXPECT_EQ(items, 1002U);
  EXPECT_LE(long_list.capacity(), 20'000U);
}

TEST(ListPage, GivesTheMemoryOfAHugeItemBack) {
  ListSplitter splitter;
  const auto take = [](json::Body) { return absl::OkStatus(); };
  const std::string huge = Json("a", 5, std::string(size_t{12} << 20U, 'x'));
  ASSERT_TRUE(splitter.Feed("{\"items\":[" + huge, take).ok());
  EXPECT_LE(splitter.capacity(), ListSplitter::kKeptBytes);
  EXPECT_EQ(splitter.items(), 1U);
}

TEST(ListPage, LimitsItemsAndWhatIsAroundThem) {
  const auto take = [](json::Body) { return absl::OkStatus(); };
  const std::string much(ListSplitter::kMaxItem, 'x');
  ListSplitter item;
  EXPECT_EQ(item.Feed("{\"items\":[{\"x\":\"" + much, take).code(),
            absl::StatusCode::kResourceExhausted);
  ListSplitter frame;
  EXPECT_EQ(frame.Feed("{\"x\":\"" + much, take).code(), absl::StatusCode::kResourceExhausted);
}

TEST(ListPage, EndsWithTheErrorOfWhoTakesTheItems) {
  ListPageReader reader;
  const absl::Status status = reader.Feed(
      List(5, {Json("a", 3, "x")}), [](const ListItem&) { return absl::CancelledError("enough"); });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace outrigger::kube
