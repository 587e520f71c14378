#include "gang/desk/nominations/nomination_writer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>

#include "fake_cluster.h"
#include "fmt/format.h"
#include "gang/desk/nominations/memory_testing.h"
#include "gang/desk/writes/pod_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::chrono::seconds kPatience{60};

class NominationWriterTest : public ::testing::Test {
 protected:
  NominationWriterTest() {
    for (const char* pod : {"a", "b"}) cluster_.Put(testing::MakePod(pod));
  }
  Nomination Wish(const std::string& pod, const std::string& node) {
    return {std::make_shared<const Pod>(cluster_.Get(pod)), node};
  }
  // Writes begin, and end when Open() lets them, or the writer stops.
  void HoldWrites() {
    cluster_.OnNominate([this](const std::string& /*pod*/, const CallLimits& limits) {
      std::unique_lock<std::mutex> lock(mutex_);
      ++begun_;
      wake_.notify_all();
      const bool open = wake_.wait_for(lock, limits.stop, kPatience, [this] { return open_; });
      return open ? absl::OkStatus() : absl::CancelledError("stopped");
    });
  }
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    wake_.notify_all();
  }
  void AwaitBegun(int writes) {
    std::unique_lock<std::mutex> lock(mutex_);
    ASSERT_TRUE(wake_.wait_for(lock, kPatience, [&] { return begun_ >= writes; }));
  }
  // Results until there are so many.
  std::vector<NominationWriter::Result> AwaitResults(size_t count) {
    std::vector<NominationWriter::Result> results;
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(wake_.wait_for(lock, kPatience, [&] {
      for (auto& result : writer_.Take().results) results.push_back(std::move(result));
      return results.size() >= count;
    }));
    return results;
  }
  NominationWriter::Hooks Hooks() {
    return {.may_write = [this](const CallLimits& limits) -> absl::StatusOr<WritePermit> {
              if (!in_charge_) return absl::UnavailableError("not in charge");
              return permit_.value_or(WritePermit{.limits = limits});
            },
            .answered = [this](const Nomination&, const absl::Status&) { OnAnswered(); },
            .changed =
                [this] {
                  const std::lock_guard<std::mutex> lock(mutex_);
                  wake_.notify_all();
                }};
  }

  virtual void OnAnswered() {}

  testing::FakeCluster cluster_;
  std::atomic<bool> in_charge_ = true;
  std::optional<WritePermit> permit_;  // as it is asked for, without one
  std::mutex mutex_;                   // guards what follows
  std::condition_variable_any wake_;
  bool open_ = false;
  int begun_ = 0;
  NominationWriter writer_{&cluster_, Hooks()};
};

TEST_F(NominationWriterTest, WritesInOrderOnTheCallersThreadIfNotStarted) {
  writer_.Offer({Wish("b", "n1"), Wish("a", "n2")});
  EXPECT_THAT(cluster_.nominations(), ElementsAre(Pair("b", "n1"), Pair("a", "n2")));
  const NominationWriter::Content content = writer_.Take();
  ASSERT_THAT(content.results, SizeIs(2));
  EXPECT_EQ(content.results[0].nomination.node, "n1");
  EXPECT_TRUE(content.results[0].written);
  EXPECT_THAT(content.under_way, IsEmpty());
  EXPECT_THAT(writer_.Take().results, IsEmpty()) << "once";
}

TEST_F(NominationWriterTest, OverwritesNothingThatAnotherHasWrittenSince) {
  const std::vector<Nomination> due = {Wish("a", "n1"), Wish("b", "")};
  for (const char* name : {"a", "b"}) {
    Pod pod = cluster_.Get(name);
    pod.nominated_node_name = "n2";
    cluster_.Put(pod);
  }
  writer_.Offer(due);
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(cluster_.Get(name).nominated_node_name, "n2");
  }
}

TEST_F(NominationWriterTest, OfAPodOneWriteIsUnderWayUntilItsResultIsTaken) {
  HoldWrites();
  writer_.Start();
  writer_.Offer({Wish("a", "n1")});
  AwaitBegun(1);
  EXPECT_THAT(writer_.Take().under_way, ElementsAre("uid-a"));
  writer_.Offer({Wish("a", "n2"), Wish("b", "n1")});
  AwaitBegun(2);
  Open();
  EXPECT_THAT(AwaitResults(2), SizeIs(2));
  EXPECT_THAT(cluster_.nominations(), UnorderedElementsAre(Pair("a", "n1"), Pair("b", "n1")));
  writer_.Offer({Wish("a", "n2")});
  EXPECT_EQ(AwaitResults(1)[0].nomination.node, "n2");
}

TEST_F(NominationWriterTest, ANewerOfferTakesThePlaceOfWhatIsQueued) {
  HoldWrites();
  writer_.Start();
  std::vector<Nomination> all;
  for (int i = 0; i < 16; ++i) {
    cluster_.Put(testing::MakePod(fmt::format("busy-{}", i)));
    all.push_back(Wish(fmt::format("busy-{}", i), "n1"));
  }
  writer_.Offer(all);
  AwaitBegun(16);  // all threads are at work
  writer_.Offer({Wish("a", "n1"), Wish("b", "n1")});
  writer_.Offer({Wish("a", "n2")});
  Open();
  AwaitResults(17);
  EXPECT_EQ(cluster_.Get("a").nominated_node_name, "n2");
  EXPECT_EQ(cluster_.Get("b").nominated_node_name, "");
}

TEST_F(NominationWriterTest, WritesNothingWhileItMayNotAndForgetsIt) {
  in_charge_ = false;
  writer_.Offer({Wish("a", "n1"), Wish("b", "n1")});
  in_charge_ = true;
  writer_.Offer({});
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
  const NominationWriter::Content content = writer_.Take();
  EXPECT_THAT(content.results, IsEmpty());
  EXPECT_THAT(content.under_way, IsEmpty());
  writer_.Offer({Wish("a", "n1")});
  EXPECT_THAT(cluster_.nominations(), ElementsAre(Pair("a", "n1")));
}

TEST_F(NominationWriterTest, AWriteTakesAsLongAsItsPermitSays) {
  std::vector<std::chrono::milliseconds> timeouts;
  std::vector<bool> stops;
  cluster_.OnNominate([&](const std::string& /*pod*/, const CallLimits& limits) {
    timeouts.push_back(limits.timeout);
    stops.push_back(limits.stop.stop_possible());
    return absl::OkStatus();
  });
  writer_.Offer({Wish("a", "n1")});
  writer_.Take();
  const std::stop_source term;
  permit_ = WritePermit{.limits = {.timeout = std::chrono::seconds(3), .stop = term.get_token()}};
  writer_.Offer({Wish("a", "n2")});
  EXPECT_THAT(timeouts, ElementsAre(kWriteTimeout, std::chrono::seconds(3)));
  EXPECT_THAT(stops, ElementsAre(false, true)) << "with the term";
}

// And no longer: a term must not wait for what is made of its answer.
class PermitWhileWriting : public NominationWriterTest {
 protected:
  void OnAnswered() override { given_back_ = under_way_.expired(); }

  std::weak_ptr<void> under_way_;
  std::optional<bool> given_back_;
};

TEST_F(PermitWhileWriting, IsKeptAsLongAsTheWriteTakes) {
  auto under_way = std::make_shared<int>();
  under_way_ = under_way;
  bool kept = false;
  cluster_.OnNominate([&](const std::string& /*pod*/, const CallLimits& /*limits*/) {
    permit_.reset();
    kept = !under_way_.expired();
    return absl::OkStatus();
  });
  permit_ = WritePermit{.limits = {}, .under_way = std::move(under_way)};
  writer_.Offer({Wish("a", "n1")});
  EXPECT_TRUE(kept);
  EXPECT_EQ(given_back_, true);
}

TEST_F(NominationWriterTest, StopEndsWritesThatAreUnderWay) {
  HoldWrites();
  writer_.Start();
  writer_.Offer({Wish("a", "n1")});
  AwaitBegun(1);
  writer_.Stop();
  EXPECT_FALSE(AwaitResults(1)[0].written);
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
}

TEST_F(NominationWriterTest, QueuesABoundedNumber) {
  std::vector<Nomination> many(5000, Wish("a", "n1"));
  for (size_t i = 0; i < many.size(); ++i) {
    Pod pod = testing::MakePod(fmt::format("gone-{}", i));
    pod.uid = fmt::format("uid-{}", i);
    many[i].pod = std::make_shared<const Pod>(std::move(pod));
  }
  writer_.Offer(std::move(many));
  const auto results = writer_.Take().results;
  ASSERT_THAT(results, SizeIs(1024));
  EXPECT_EQ(results[1023].nomination.pod->name, "gone-1023") << "the first ones";
  EXPECT_FALSE(results[0].written) << "there is no such pod";
}

// What the planning thread remembers of a write that takes its time.
class UnderWay : public MemoryTest {
 protected:
  UnderWay() {
    board_.AddGang("train", 1, 1);
    Asked("uid-train-0", /*rejected=*/true, kBegin);
  }
  static Time At(int second) { return kBegin + std::chrono::seconds(second); }

  MakeBoard board_;
};

TEST_F(UnderWay, IsNotAskedForAgain) {
  ASSERT_THAT(Learn(*board_.Make(), At(1)), SizeIs(1));
  memory_.SetUnderWay({"uid-train-0"});
  EXPECT_THAT(Learn(*board_.Make(), At(2)), IsEmpty());
  memory_.SetUnderWay({});
  EXPECT_THAT(Learn(*board_.Make(), At(3)), SizeIs(1)) << "it was dropped";
}

TEST_F(UnderWay, ACallThatCameBeforeTheResultHasAnsweredIt) {
  const auto due = Learn(*board_.Make(), At(1));
  ASSERT_THAT(due, SizeIs(1));
  Asked("uid-train-0", /*rejected=*/false, At(3));
  memory_.Nominated(due[0], /*written=*/true, At(4), At(2));
  Learn(*board_.Make(), At(100));
  EXPECT_THAT(Prepare(board_, At(100))[0].members[0].refused, IsEmpty());
}

TEST_F(UnderWay, APlaceThatWasLostMeanwhileIsNominatedAgain) {
  const auto due = Learn(*board_.Make(), At(1));
  ASSERT_THAT(due, SizeIs(1));
  MakeBoard without;
  without.AddGang("train", 1, 1);
  without.Refuse("train", "cpu");
  Learn(*without.Make(), At(2));
  Asked("uid-train-0", /*rejected=*/true, At(3));
  memory_.Nominated(due[0], /*written=*/true, At(4), At(1));
  EXPECT_THAT(Learn(*board_.Make(), At(5)), SizeIs(1));
}

}  // namespace
}  // namespace outrigger::desk
