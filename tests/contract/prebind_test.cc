// How agents must prepare pods, whatever they prepare.
#include <string>

#include "acting.h"
#include "builders.h"
#include "fake_cluster.h"
#include "gtest/gtest.h"
#include "outrigger/agent/registry.h"
#include "preparing.h"
#include "questions.h"

namespace outrigger::contract {
namespace {

TEST(PreBindContract, HoldsForEveryAgentThatPrepares) {
  for (const AgentInfo& info : Registry()) {
    if (!info.factory.prebinds) continue;
    testing::FakeCluster cluster;
    PutInCharge(&cluster);
    cluster.Put(testing::MakeNode("n"));
    AgentDeps deps;
    deps.name = info.name;
    deps.cluster = &cluster;
    const auto agent = info.factory.make(deps, info.factory.settings.Defaults());
    ASSERT_TRUE(agent.ok()) << info.name << ": " << agent.status();
    StartAndAwait(agent->get());
    for (const Pod& pod : Pods()) {
      EXPECT_EQ(PreBindFaultOf(dynamic_cast<PreBinder&>(**agent), pod, &cluster), "")
          << info.name << " " << pod.name;
    }
    Stop(agent->get());
  }
}

/// Keeps the contract; what breaks it below differs in one thing.
class Prepares : public PreBinder {
 public:
  explicit Prepares(testing::FakeCluster* cluster) : cluster_(*cluster) {}
  absl::Status PreBind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
  void UndoPreBind(const BindRequest& /*request*/, const BindFailure& /*failure*/) override {}
  void PostBind(const BindRequest& /*request*/) override {}

 protected:
  testing::FakeCluster& cluster_;
};
class BindsToo final : public Prepares {
 public:
  using Prepares::Prepares;
  absl::Status PreBind(const BindRequest& request) override {
    return cluster_.Bind({request.pod_namespace, request.pod_name, request.pod_uid}, request.node,
                         {}, {});
  }
};
class PreparesOnce final : public Prepares {
 public:
  using Prepares::Prepares;
  absl::Status PreBind(const BindRequest& /*request*/) override {
    return asked_++ == 0 ? absl::OkStatus() : absl::AbortedError("it has that already");
  }

 private:
  int asked_ = 0;
};
class WantsSomething final : public Prepares {
 public:
  using Prepares::Prepares;
  absl::Status PreBind(const BindRequest& /*request*/) override {
    return absl::NotFoundError("the pod has no claim");
  }
};

template <typename AgentType>
std::string PreBindFault() {
  testing::FakeCluster cluster;
  AgentType agent(&cluster);
  return PreBindFaultOf(agent, testing::MakePod("p"), &cluster);
}

TEST(PreBindContract, FindsWhatBreaksIt) {
  EXPECT_EQ(PreBindFault<Prepares>(), "");
  EXPECT_EQ(PreBindFault<BindsToo>(), "PreBind binds");
  EXPECT_EQ(PreBindFault<PreparesOnce>(), "PreBind again: it has that already");
  EXPECT_EQ(PreBindFault<WantsSomething>(), "PreBind first: the pod has no claim");
}

}  // namespace
}  // namespace outrigger::contract
