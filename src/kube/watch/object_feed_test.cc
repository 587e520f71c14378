#include "kube/watch/object_feed.h"

#include "kube/stream/list_page.h"
#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class ObjectFeedTest : public ::testing::Test {
 protected:
  // Hands over items as a page does.
  absl::Status Put(const std::vector<std::string>& items) {
    ListPageReader reader;
    return reader.Feed(List(1, items), [this](const ListItem& item) {
      return feed.Upsert(item.head, item.object, item.document);
    });
  }
  void Replace(const std::vector<std::string>& items) {
    feed.BeginReplace();
    const absl::Status put = Put(items);
    EXPECT_TRUE(put.ok()) << put;
    feed.EndReplace("1");
  }

  MapSink sink;
  std::vector<std::string> problems;
  ObjectFeed feed{
      kPods, &sink, [this](const ObjectProblem& problem) {
        problems.push_back(fmt::format(
            "{} {}/{}: {}", problem.resource, problem.namespace_, problem.name,
            problem.value == nullptr ? std::string(problem.error)
                                     : problem.value->field + "=" + problem.value->value));
      }};
};

TEST_F(ObjectFeedTest, RemovesWhatANewListDoesNotHave) {
  Replace({Json("a", 1, "x"), Json("b", 1, "x")});
  Replace({Json("b", 2, "y"), Json("c", 2, "z")});
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/b", "y"), Pair("d/c", "z")));
  EXPECT_EQ(feed.objects(), 2U);
}

TEST_F(ObjectFeedTest, RemovesNothingWhereAListBreaksOff) {
  Replace({Json("a", 1, "x"), Json("b", 1, "x")});
  feed.BeginReplace();
  EXPECT_TRUE(Put({Json("b", 2, "y")}).ok());
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y")));
  Replace({Json("a", 3, "z")});
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/a", "z")));
}

TEST_F(ObjectFeedTest, AnEmptyListEmpties) {
  Replace({Json("a", 1, "x")});
  Replace({});
  EXPECT_THAT(sink.objects, IsEmpty());
  EXPECT_EQ(feed.objects(), 0U);
}

constexpr char kUnreadable[] =
    R"({"metadata":{"name":"a","namespace":"d","resourceVersion":"2"},"spec":{"value":7}})";

TEST_F(ObjectFeedTest, KeepsTheLastStateOfAnObjectThatCannotBeRead) {
  Replace({Json("a", 1, "x"), Json("b", 1, "x")});
  Replace({kUnreadable, Json("b", 2, "y")});
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/a", "x"), Pair("d/b", "y")));
  EXPECT_THAT(problems, ElementsAre("pods d/a: Pod.spec.value: expected a string, found a number"));
  EXPECT_EQ(feed.unreadable(), 1U);
  EXPECT_EQ(feed.objects(), 2U);
  Replace({Json("a", 3, "z")});
  EXPECT_EQ(feed.unreadable(), 0U);
}

TEST_F(ObjectFeedTest, CountsNoUnreadableObjectThatIsGone) {
  Replace({kUnreadable});
  EXPECT_EQ(feed.unreadable(), 1U);
  Replace({});
  EXPECT_EQ(feed.unreadable(), 0U);
  Replace({kUnreadable});
  ObjectHead head;
  head.namespace_ = "d";
  head.name = "a";
  feed.Remove(head);
  EXPECT_EQ(feed.unreadable(), 0U);
}

TEST_F(ObjectFeedTest, ReportsAMalformedValueAndKeepsTheOthers) {
  Replace({R"({"metadata":{"name":"a","namespace":"d"},"spec":{"value":"x",)"
           R"("amounts":{"cpu":"many"}}})"});
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_THAT(problems, ElementsAre("pods d/a: spec.amounts.cpu=many"));
  EXPECT_EQ(feed.unreadable(), 0U);
}

TEST_F(ObjectFeedTest, DoesNotTakeDamagedBytesForAnObject) {
  Replace({Json("a", 1, "x")});
  const absl::Status status =
      Put({R"({"metadata":{"name":"a","namespace":"d"},"spec":{"value":"y" "q":1}})"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Pod \"a\": broken JSON"));
  EXPECT_THAT(sink.objects, UnorderedElementsAre(Pair("d/a", "x")));
  EXPECT_THAT(problems, IsEmpty());
}

TEST(KeyTable, TellsNamesOfNamespacesApart) {
  KeyTable keys;
  keys.See("a", "b", true);
  keys.See("", "a/b", true);
  keys.See("ab", "", true);
  EXPECT_EQ(keys.size(), 3U);
  EXPECT_TRUE(keys.Forget("a", "b"));
  EXPECT_FALSE(keys.Forget("a", "b"));
  keys.BeginReplace();
  std::vector<std::string> gone;
  keys.EndReplace([&gone](std::string_view namespace_, std::string_view name) {
    gone.push_back(fmt::format("{}|{}", namespace_, name));
  });
  EXPECT_THAT(gone, UnorderedElementsAre("|a/b", "ab|"));
}

}  // namespace
}  // namespace outrigger::kube
