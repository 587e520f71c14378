// Calls that come before the news that caused them.
#include "serve/engine/catch_up.h"

#include <thread>

#include "builders.h"
#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "serve/engine/snapshot_nodes.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

Pod PodOfVersion(const std::string& version) {
  Pod pod = testing::MakePod("giant");
  pod.uid = "u";
  pod.resource_version = version;
  return pod;
}

class CatchUpTest : public ::testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::time_point(seconds(100));
  CatchUp catch_up_{[this] { return now_; }};
};

TEST_F(CatchUpTest, WaitsWhereNothingHasChangedSinceThePodWasRejected) {
  EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7)) << "the first time";
  EXPECT_TRUE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7));
}

TEST_F(CatchUpTest, WaitsNotWhereAChangeOfThePodOrOfNodesIsWhyItIsAskedAbout) {
  EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7));
  EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion("2"), 7));
  EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion("2"), 8));
  EXPECT_TRUE(catch_up_.IsWorthWaiting(PodOfVersion("2"), 8));
}

TEST_F(CatchUpTest, WaitsNotForAPodThatNoApiServerHasSeen) {
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion(""), 7));
}

TEST_F(CatchUpTest, WaitsTheSeldomerTheMoreOftenNothingCame) {
  (void)catch_up_.IsWorthWaiting(PodOfVersion("1"), 7);
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_TRUE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7)) << pause;
    catch_up_.Waited(false);
    now_ += seconds(pause) - milliseconds(1);
    EXPECT_FALSE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7)) << pause;
    now_ += milliseconds(1);
  }
  EXPECT_TRUE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7));
  catch_up_.Waited(true);
  EXPECT_TRUE(catch_up_.IsWorthWaiting(PodOfVersion("1"), 7)) << "it was worth it";
}

TEST_F(CatchUpTest, RemembersABoundedNumberOfPods) {
  Pod pod = PodOfVersion("1");
  for (int i = 0; i < 10'001; ++i) {
    pod.uid = std::to_string(i);
    (void)catch_up_.IsWorthWaiting(pod, 7);
  }
  EXPECT_TRUE(catch_up_.IsWorthWaiting(pod, 7));
  pod.uid = "0";
  EXPECT_FALSE(catch_up_.IsWorthWaiting(pod, 7)) << "forgotten with the rest";
}

/// Those nodes, as of a generation.
class View final : public NodeView {
 public:
  View(std::shared_ptr<const NodeView> nodes, uint64_t generation)
      : nodes_(std::move(nodes)), generation_(generation) {}
  const Node* Find(std::string_view name) const override { return nodes_->Find(name); }
  bool FindAll(std::span<const std::string_view> names, std::span<NodeRef> found) const override {
    return nodes_->FindAll(names, found);
  }
  uint64_t generation() const override { return generation_; }

 private:
  const std::shared_ptr<const NodeView> nodes_;
  const uint64_t generation_;
};

/// Nodes that are rejected until somebody waits for their change.
class LateNews final : public NodeSource {
 public:
  /// Something else changes `others` times before.
  explicit LateNews(bool comes, int others = 0) : comes_(comes), others_(others) {}
  absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const override {
    return std::make_shared<View>(awaited_ > others_ && comes_ ? after_ : before_, awaited_);
  }
  bool AwaitChange(uint64_t generation, milliseconds limit, const std::stop_token&) const override {
    EXPECT_EQ(generation, static_cast<uint64_t>(awaited_));
    EXPECT_LE(limit, CatchUp::kWait);
    EXPECT_TRUE(awaited_ > 0 || limit == CatchUp::kWait);
    ++awaited_;
    return comes_ || awaited_ <= others_;
  }
  int awaited() const { return awaited_; }

 private:
  static std::shared_ptr<const NodeView> Table(const char* reject) {
    std::vector<Node> nodes;
    nodes.push_back(testing::MakeNode("a").Annotation("reject", reject));
    return std::make_shared<NodeTable>(std::move(nodes));
  }

  const bool comes_;
  const int others_;
  const std::shared_ptr<const NodeView> before_ = Table("no");
  const std::shared_ptr<const NodeView> after_ = Table("");
  mutable int awaited_ = 0;
};

json ArgsOf(const std::string& version) {
  return {{"Pod", {{"metadata", {{"name", "p"}, {"uid", "u"}, {"resourceVersion", version}}}}},
          {"Nodes", nullptr},
          {"NodeNames", {"a"}}};
}

struct World {
  explicit World(bool news_comes, int others = 0,
                 const AgentInfo& agent = InfoOf<ByAnnotation>("notes")) {
    auto source = std::make_unique<LateNews>(news_comes, others);
    news = source.get();
    engine.Add(agent).From(std::move(source));
    EXPECT_TRUE(engine.Make().ok());
  }
  json Ask(const std::string& version = "1") {
    return engine.CallJson("/notes/filter", ArgsOf(version));
  }
  TestEngine engine;
  LateNews* news = nullptr;
};

TEST(EngineNews, ThatComeWhileACallWaitsForThemDecideIt) {
  World world(true);
  EXPECT_EQ(world.Ask()["NodeNames"], json::array());
  EXPECT_EQ(world.news->awaited(), 0) << "the first answer is given at once";
  EXPECT_EQ(world.Ask()["NodeNames"], json({"a"}));
  EXPECT_EQ(world.news->awaited(), 1);
}

// Pods are followed, too, and change all the time.
TEST(EngineNews, OfOtherThingsThanNodesAreNotWhatWasWaitedFor) {
  World world(true, 3);
  EXPECT_EQ(world.Ask()["NodeNames"], json::array());
  EXPECT_EQ(world.Ask()["NodeNames"], json({"a"}));
  EXPECT_EQ(world.news->awaited(), 4);

  World nothing(false, 3);
  nothing.Ask();
  EXPECT_EQ(nothing.Ask()["NodeNames"], json::array());
  EXPECT_EQ(nothing.news->awaited(), 4);
}

TEST(EngineNews, ThatDoNotComeChangeNothing) {
  World world(false);
  const json first = world.Ask();
  EXPECT_EQ(world.Ask(), first);
  EXPECT_EQ(world.news->awaited(), 1);
  EXPECT_EQ(world.Ask(), first);
  EXPECT_EQ(world.news->awaited(), 1) << "not again at once";
}

TEST(EngineNews, AreNotWaitedForIfThePodHasChanged) {
  World world(true);
  world.Ask("1");
  world.Ask("2");
  EXPECT_EQ(world.news->awaited(), 0);
}

/// As ByAnnotation, with something to do while it serves.
template <bool kPlans>
class Busy final : public Agent, public Filterer, public Controller {
 public:
  Needs Reads() const override { return judge_.Reads(); }
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    return judge_.Filter(request, verdicts);
  }
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
  bool IsNeededToAnswer() const override { return kPlans; }

 private:
  ByAnnotation judge_;
};

TEST(EngineNews, AreWaitedForUnlessTheAnswerComesFromWhatAnAgentDoes) {
  World keeps_books(true, 0, InfoOf<Busy<false>>("notes"));
  keeps_books.Ask();
  EXPECT_EQ(keeps_books.Ask()["NodeNames"], json({"a"}));
  World plans(true, 0, InfoOf<Busy<true>>("notes"));
  plans.Ask();
  EXPECT_EQ(plans.Ask()["NodeNames"], json::array());
  EXPECT_EQ(plans.news->awaited(), 0);
}

/// A cluster in which only pods change, as often as `changes` says, once a call waits.
class PodNews final : public NodeSource {
 public:
  explicit PodNews(uint64_t changes) : changes_(changes) {
    std::vector<Node> nodes;
    nodes.push_back(testing::MakeNode("a").Annotation("reject", "no"));
    table_ = std::make_shared<NodeTable>(std::move(nodes));
  }
  absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const override {
    return std::make_shared<View>(table_, generation_);
  }
  bool AwaitChange(uint64_t generation, milliseconds, const std::stop_token&) const override {
    EXPECT_EQ(generation, generation_);
    if (generation_ == changes_) return false;
    ++generation_;
    return true;
  }

 private:
  const uint64_t changes_;
  std::shared_ptr<const NodeView> table_;
  mutable uint64_t generation_ = 0;
};

/// Rejects every node the first two times, for pods that go then.
class FitsAtTheThirdLook final : public Agent, public Filterer {
 public:
  Needs Reads() const override { return Needs().NodeAnnotations({"reject"}); }
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> verdicts) const override {
    const bool fits = ++looks_ > 2;
    for (Verdict& verdict : verdicts) {
      verdict = fits ? Verdict() : Verdict::Rejected("full", "look {}", looks_);
    }
    return absl::OkStatus();
  }

 private:
  mutable int looks_ = 0;
};

TEST(EngineNews, OfPodsAreJudgedOnceWhenTheWaitIsOver) {
  const auto ask_twice = [](uint64_t changes) {
    TestEngine engine;
    engine.Add(InfoOf<FitsAtTheThirdLook>("notes")).From(std::make_unique<PodNews>(changes));
    EXPECT_TRUE(engine.Make().ok());
    EXPECT_EQ(engine.CallJson("/notes/filter", ArgsOf("1"))["NodeNames"], json::array());
    return engine.CallJson("/notes/filter", ArgsOf("1"));
  };
  EXPECT_EQ(ask_twice(5)["NodeNames"], json({"a"}));
  EXPECT_THAT(ask_twice(0)["FailedNodes"]["a"], ::testing::HasSubstr("look 2"))
      << "the same view is judged once";
}

TEST(SnapshotNodes, AwaitAChangeOfTheCluster) {
  cluster::Cluster cluster({});
  cluster.UpsertNode(testing::MakeNode("a"));
  const SnapshotNodes nodes(&cluster, [] { return absl::OkStatus(); });
  const uint64_t generation = (*nodes.Pin())->generation();
  EXPECT_FALSE(nodes.AwaitChange(generation, milliseconds(0), {}));
  std::stop_source gone;
  gone.request_stop();
  EXPECT_FALSE(nodes.AwaitChange(generation, std::chrono::hours(1), gone.get_token()));
  std::jthread later([&] { cluster.UpsertNode(testing::MakeNode("b")); });
  EXPECT_TRUE(nodes.AwaitChange(generation, std::chrono::hours(1), {}));
  EXPECT_NE((*nodes.Pin())->generation(), generation);
}

}  // namespace
}  // namespace outrigger::engine
