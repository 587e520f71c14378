#include "apiserver/store/store.h"

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::apiserver {
namespace {

using ::testing::ElementsAre;

class StoreTest : public ::testing::Test {
 protected:
  static Json Object(const std::string& name, const std::string& value = "a",
                     const std::string& namespace_ = "default") {
    return {{"metadata", {{"name", name}, {"namespace", namespace_}, {"uid", "uid-" + name}}},
            {"value", value}};
  }
  StoredPtr Create(const std::string& name, const std::string& namespace_ = "default") {
    StoredPtr stored;
    EXPECT_EQ(store_.Create(things_, Object(name, "a", namespace_), &stored), Written::kDone);
    return stored;
  }
  StoredPtr Replace(const StoredPtr& base, const std::string& value) {
    StoredPtr stored;
    EXPECT_EQ(store_.Replace(things_, base, Object(base->name.name, value), &stored),
              Written::kDone);
    return stored;
  }
  static std::vector<std::string> Names(const Listing& listing) {
    std::vector<std::string> names;
    for (const StoredPtr& object : listing.objects) names.push_back(object->name.name);
    return names;
  }

  Store store_;
  Collection* const things_ = store_.Open("things", nullptr);
};

TEST_F(StoreTest, VersionsOfAllCollectionsAreOneSequence) {
  Collection* const others = store_.Open("others", nullptr);
  const uint64_t first = Create("a")->version;
  StoredPtr other;
  ASSERT_EQ(store_.Create(others, Object("a"), &other), Written::kDone);
  EXPECT_EQ(other->version, first + 1);
  EXPECT_EQ(store_.version(), first + 1);
  EXPECT_EQ(store_.Open("things", nullptr), things_);
}

TEST_F(StoreTest, AWriteHoldsOnlyOnTheVersionThatItWasBasedOn) {
  const StoredPtr first = Create("a");
  StoredPtr stored;
  EXPECT_EQ(store_.Create(things_, Object("a"), &stored), Written::kExists);
  EXPECT_EQ(store_.Replace(things_, first, Object("a"), &stored), Written::kNothing);
  EXPECT_EQ(stored->version, first->version) << "the same text is no change";
  const StoredPtr second = Replace(first, "b");
  EXPECT_EQ(store_.Replace(things_, first, Object("a", "c"), &stored), Written::kConflict);
  EXPECT_EQ(store_.Remove(things_, first, &stored), Written::kConflict);
  EXPECT_EQ(store_.Remove(things_, second, &stored), Written::kDone);
  EXPECT_EQ(stored->version, second->version + 1) << "that of its removal";
  EXPECT_EQ(store_.Remove(things_, second, &stored), Written::kMissing);
  EXPECT_EQ(store_.Replace(things_, second, Object("a", "d"), &stored), Written::kMissing);
}

TEST_F(StoreTest, AListIsInTheOrderOfNamesAndOfOneNamespace) {
  Create("b");
  Create("a");
  Create("c", "else");
  Create("d", "default-2");
  EXPECT_THAT(Names(store_.List(*things_, "default")), ElementsAre("a", "b"));
  EXPECT_THAT(Names(store_.List(*things_, "")), ElementsAre("a", "b", "d", "c"));
}

TEST_F(StoreTest, AnEarlierStateIsListedAsItWas) {
  const StoredPtr a = Create("a");
  const uint64_t then = Create("b")->version;
  Replace(a, "changed");
  Create("c");
  StoredPtr last;
  ASSERT_EQ(store_.Remove(things_, store_.Get(*things_, {"default", "b"}), &last), Written::kDone);
  const auto listing = store_.ListAt(*things_, "default", then);
  ASSERT_TRUE(listing);
  EXPECT_THAT(Names(*listing), ElementsAre("a", "b"));
  EXPECT_EQ(listing->objects[0]->Parse()["value"], "a");
  EXPECT_EQ(listing->version, then);
  EXPECT_FALSE(store_.ListAt(*things_, "", store_.version() + 1)) << "the future";
}

TEST_F(StoreTest, OfThePastOnlySoMuchIsKept) {
  Store store({.changes = 3, .bytes = size_t{1} << 20});
  Collection* const things = store.Open("things", nullptr);
  StoredPtr stored;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(store.Create(things, Object(fmt::format("a{}", i)), &stored), Written::kDone);
  }
  std::vector<Change> changes;
  EXPECT_FALSE(store.ChangesAfter(store.version() - 4, 10, &changes));
  EXPECT_TRUE(store.ChangesAfter(store.version() - 3, 10, &changes));
  EXPECT_EQ(changes.size(), 3U);
  EXPECT_FALSE(store.ListAt(*things, "", store.version() - 4));
}

TEST_F(StoreTest, BytesOfReplacedObjectsAreBounded) {
  Store store({.changes = 1000, .bytes = 10'000});
  Collection* const things = store.Open("things", nullptr);
  StoredPtr stored;
  ASSERT_EQ(store.Create(things, Object("a"), &stored), Written::kDone);
  for (int i = 0; i < 100; ++i) {
    const StoredPtr base = stored;
    Json next = Object("a", std::string(1000, static_cast<char>('a' + i % 26)));
    next["i"] = i;
    ASSERT_EQ(store.Replace(things, base, std::move(next), &stored), Written::kDone);
  }
  std::vector<Change> changes;
  EXPECT_FALSE(store.ChangesAfter(store.version() - 20, 100, &changes));
  EXPECT_TRUE(store.ChangesAfter(store.version() - 5, 100, &changes));
}

TEST_F(StoreTest, OwnersAreKnownByTheirUid) {
  Json owned = Object("pod");
  owned["metadata"]["ownerReferences"] = {{{"uid", "uid-job"}, {"name", "job"}}};
  StoredPtr stored;
  ASSERT_EQ(store_.Create(things_, owned, &stored), Written::kDone);
  ASSERT_EQ(store_.OwnedBy("uid-job").size(), 1U);
  EXPECT_EQ(store_.OwnedBy("uid-job")[0].second.name, "pod");
  EXPECT_TRUE(store_.HasUid("uid-pod"));
  StoredPtr freed;
  ASSERT_EQ(store_.Replace(things_, stored, Object("pod"), &freed), Written::kDone);
  EXPECT_TRUE(store_.OwnedBy("uid-job").empty());
  StoredPtr last;
  ASSERT_EQ(store_.Remove(things_, freed, &last), Written::kDone);
  EXPECT_FALSE(store_.HasUid("uid-pod"));
}

TEST_F(StoreTest, TheTextNamesNoVersionOfTheApi) {
  Json object = Object("a");
  object["apiVersion"] = "v1";
  object["kind"] = "Thing";
  StoredPtr stored;
  ASSERT_EQ(store_.Create(things_, object, &stored), Written::kDone);
  EXPECT_TRUE(stored->text.starts_with("\"metadata\":{")) << stored->text;
  EXPECT_EQ(stored->Parse()["metadata"]["resourceVersion"], std::to_string(stored->version));
}

}  // namespace
}  // namespace outrigger::apiserver
