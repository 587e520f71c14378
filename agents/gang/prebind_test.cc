// The agent gang and one that prepares pods, in one process at the merged paths.
#include <chrono>
#include <deque>
#include <future>
#include <thread>

#include "agent_under_test.h"
#include "builders.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/engine/fake_agents_testing.h"
#include "serve/engine/preparing_agents_testing.h"

namespace outrigger::gang {
AgentFactory MakeFactory();
}

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

Pod Member(int index) {
  return testing::MakePod(fmt::format("train-{}", index))
      .Label("podGroup", "train")
      .Label("minAvailable", "2")
      .Requests({{"cpu", "3"}});
}

class GangAndPreBind : public ::testing::Test {
 protected:
  GangAndPreBind() {
    CurrentStage() = &stage_;
    std::vector<Node> nodes = {testing::MakeNode("n0"), testing::MakeNode("n1")};
    for (const Node& node : nodes) cluster_.Put(node);
    AgentInfo gang{
        .name = "gang", .summary = "", .port = 1, .factory = outrigger::gang::MakeFactory()};
    SettingsValues settings = testing::SettingsFrom(gang.factory, {{"scheduler-lease", "none"}});
    engine_.Add(std::move(gang), 1, std::move(settings));
    engine_.Add(InfoOf<Prepares>("devices")).Nodes(std::move(nodes)).Cluster(&cluster_);
  }
  ~GangAndPreBind() override {
    (*engine_).Stop();
    calls_.clear();
    CurrentStage() = nullptr;
  }
  void SetUp() override { ASSERT_TRUE(engine_.Make().ok()); }
  void Start(const std::vector<Pod>& pods) {
    for (const Pod& pod : pods) cluster_.Put(pod);
    ASSERT_TRUE((*engine_).Start().ok());
  }

  template <typename Condition>
  void Await(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not come true";
      std::this_thread::yield();
    }
  }

  /// The node that passes for the pod, once one does.
  std::string PlaceOf(const Pod& pod) {
    json args = NamesArgs({"n0", "n1"});
    args["Pod"] = {{"metadata",
                    {{"name", pod.name},
                     {"namespace", pod.namespace_},
                     {"uid", cluster_.Get(pod.name).uid},
                     {"labels", json::object()}}}};
    for (const auto& [key, value] : pod.labels) {
      args["Pod"]["metadata"]["labels"][std::string(key)] = value;
    }
    std::string place;
    Await([&] {
      const json answer = engine_.CallJson("/filter", args);
      if (answer["Error"].get<std::string>().empty() && !answer["NodeNames"].empty()) {
        place = answer["NodeNames"][0];
      }
      return !place.empty();
    });
    return place;
  }

  /// Begins a bind call at the merged path, on a thread of its own.
  void Bind(const Pod& pod, const std::string& node) {
    const json args = {{"PodName", pod.name},
                       {"PodNamespace", pod.namespace_},
                       {"PodUID", cluster_.Get(pod.name).uid},
                       {"Node", node}};
    Call& call = calls_.emplace_back();
    call.answer = std::async(std::launch::async, [this, &call, body = args.dump()] {
      return json::parse(engine_.Call("/bind", body, call.caller.get_token()).body)["Error"]
          .get<std::string>();
    });
  }
  std::string Answer(size_t call) {
    if (calls_[call].answer.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      return "still waits";
    }
    return calls_[call].answer.get();
  }

  struct Call {
    std::stop_source caller;
    std::future<std::string> answer;
  };
  Stage stage_;
  testing::FakeCluster cluster_;
  TestEngine engine_;
  std::deque<Call> calls_;
};

TEST_F(GangAndPreBind, ASinglePodIsPreparedAndBoundByGang) {
  const Pod single = testing::MakePod("single").Requests({{"cpu", "1"}});
  Start({single});
  const std::string place = PlaceOf(single);
  Bind(single, place);
  EXPECT_EQ(Answer(0), "");
  EXPECT_THAT(stage_.Done(), ElementsAre("devices prebind", "devices postbind"));
  EXPECT_THAT(cluster_.bindings(), ElementsAre(std::pair(std::string("single"), place)))
      << "gang binds, the engine does not";
}

TEST_F(GangAndPreBind, AGangIsBoundOnceEachMemberIsPrepared) {
  Start({Member(0), Member(1)});
  const std::string first = PlaceOf(Member(0));
  Bind(Member(0), first);
  Await([&] { return stage_.Done().size() == 1; });
  const std::string second = PlaceOf(Member(1));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  Bind(Member(1), second);
  EXPECT_EQ(Answer(0), "");
  EXPECT_EQ(Answer(1), "");
  EXPECT_THAT(cluster_.bindings(), UnorderedElementsAre(std::pair(std::string("train-0"), first),
                                                        std::pair(std::string("train-1"), second)));
  EXPECT_THAT(stage_.Done(), UnorderedElementsAre("devices prebind", "devices prebind",
                                                  "devices postbind", "devices postbind"));
}

TEST_F(GangAndPreBind, ABarrierThatFailsHasWhatWasPreparedUndone) {
  Start({Member(0), Member(1)});
  Bind(Member(0), PlaceOf(Member(0)));
  Await([&] { return stage_.Done().size() == 1; });
  // The gang cannot get complete any more.
  (*engine_).Stop();
  EXPECT_THAT(Answer(0), StartsWith("gang: "));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  ASSERT_EQ(stage_.Done().size(), 2U);
  EXPECT_THAT(stage_.Done()[1], StartsWith("devices undo: "));
  EXPECT_THAT(stage_.Done()[1], Not(HasSubstr("may be bound")))
      << "gang has not asked for the binding, and says so by its code";
}

TEST_F(GangAndPreBind, AMemberWhoseCallerGoesLeavesTheBarrierAndIsUndone) {
  Start({Member(0), Member(1)});
  Bind(Member(0), PlaceOf(Member(0)));
  Await([&] { return stage_.Done().size() == 1; });
  calls_[0].caller.request_stop();
  EXPECT_NE(Answer(0), "");
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  ASSERT_EQ(stage_.Done().size(), 2U);
  EXPECT_THAT(stage_.Done()[1], StartsWith("devices undo: "));
}

TEST_F(GangAndPreBind, AMemberThatCannotBePreparedDoesNotReachTheBarrier) {
  Start({Member(0), Member(1)});
  stage_.does["devices prebind"] = Says(absl::AbortedError("no device is free"));
  Bind(Member(0), PlaceOf(Member(0)));
  EXPECT_EQ(Answer(0), "devices: no device is free");
  EXPECT_THAT(stage_.Done(), ElementsAre("devices prebind", "devices undo: no device is free"));
}

}  // namespace
}  // namespace outrigger::engine
