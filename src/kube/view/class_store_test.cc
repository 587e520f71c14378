#include "kube/view/object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace outrigger::kube {
namespace {

using Change = ClassStore::Change;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr ClassStore::TimePoint kRemoved{std::chrono::hours(1)};

PriorityClass Batch(int32_t value, const std::string& description = "") {
  PriorityClass made;
  made.name = "batch";
  made.value = value;
  made.description = description;
  return made;
}

TEST(ClassStore, TellsWhatHasChanged) {
  ClassStore store;
  EXPECT_EQ(store.Put(Batch(7)), Change::kValue);
  EXPECT_EQ(store.Put(Batch(7)), Change::kNone);
  EXPECT_EQ(store.Put(Batch(7, "of the night")), Change::kClass);
  EXPECT_EQ(store.Put(Batch(6, "of the day")), Change::kValue);
  EXPECT_THAT(store.values(), ElementsAre(Pair("batch", 6)));
  EXPECT_THAT(store.Classes(), ElementsAre(Batch(6, "of the day")));
}

TEST(ClassStore, HasOfValuesAloneNoClasses) {
  ClassStore store;
  EXPECT_EQ(store.PutValue("batch", 7), Change::kValue);
  EXPECT_EQ(store.PutValue("batch", 7), Change::kNone);
  EXPECT_EQ(store.Remove("batch", kRemoved), Change::kNone) << "its value stays for now";
  EXPECT_THAT(store.values(), ElementsAre(Pair("batch", 7)));
  EXPECT_THAT(store.Classes(), IsEmpty());
  EXPECT_EQ(store.Remove("other", kRemoved), Change::kNone);
  EXPECT_EQ(store.next_due(), kRemoved + ClassStore::kGrace);
}

TEST(ClassStore, KeepsTheValueOfAClassThatIsCreatedAgainInTime) {
  ClassStore store;
  store.Put(Batch(7));
  EXPECT_EQ(store.Remove("batch", kRemoved), Change::kClass);
  EXPECT_THAT(store.Classes(), IsEmpty());
  EXPECT_FALSE(store.Forget(kRemoved + ClassStore::kGrace - milliseconds(1)));
  EXPECT_THAT(store.values(), ElementsAre(Pair("batch", 7)));
  EXPECT_EQ(store.Put(Batch(7)), Change::kClass) << "the value has never changed";
  EXPECT_EQ(store.next_due(), std::nullopt);
  EXPECT_FALSE(store.Forget(kRemoved + ClassStore::kGrace));
  EXPECT_THAT(store.values(), ElementsAre(Pair("batch", 7)));
}

TEST(ClassStore, ForgetsTheValueOfAClassThatStaysAway) {
  ClassStore store;
  store.Put(Batch(7));
  store.PutValue("other", 1);
  store.Remove("batch", kRemoved);
  store.Remove("other", kRemoved + milliseconds(400));
  store.Remove("batch", kRemoved + milliseconds(900));  // once more: it counts from the first
  EXPECT_EQ(store.next_due(), kRemoved + ClassStore::kGrace);
  EXPECT_TRUE(store.Forget(kRemoved + ClassStore::kGrace));
  EXPECT_THAT(store.values(), ElementsAre(Pair("other", 1)));
  EXPECT_EQ(store.next_due(), kRemoved + milliseconds(1400));
}

}  // namespace
}  // namespace outrigger::kube
