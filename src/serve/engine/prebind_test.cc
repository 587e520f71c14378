// What prepares pods before they are bound, and hears how that ended.
#include "fake_agents_testing.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "preparing_agents_testing.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json Answer(const char* error) {
  return {{"Error", error}};
}

class EnginePreBind : public ::testing::Test {
 protected:
  EnginePreBind() {
    CurrentStage() = &stage_;
    Pod pod;
    pod.name = "p";
    pod.namespace_ = "default";
    pod.uid = "u";
    cluster_.Show(pod);
    engine_.Cluster(&cluster_);
  }
  ~EnginePreBind() override { CurrentStage() = nullptr; }

  void Serve(std::vector<AgentInfo> agents) {
    for (AgentInfo& agent : agents) engine_.Add(std::move(agent));
    ASSERT_TRUE(engine_.Make().ok());
  }
  json Bind(const char* path = "/bind") { return engine_.CallJson(path, BindArgs("a")); }

  Stage stage_;
  testing::FakeCluster cluster_;
  TestEngine engine_;
};

TEST_F(EnginePreBind, OneAgentThatPreparesIsCalledAtItsPathAndTheEngineBinds) {
  Serve({InfoOf<Prepares>("x")});
  for (const char* path : {"/x/bind", "/bind"}) {
    EXPECT_TRUE(engine_.Serves(path)) << path;
    EXPECT_EQ(Bind(path), Answer("")) << path;
  }
  EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "x postbind", "x prebind", "x postbind"));
  EXPECT_THAT(cluster_.bindings(), ElementsAre(std::pair("p", "a"), std::pair("p", "a")));
  EXPECT_EQ(cluster_.Get("p").node_name, "a");
}

TEST_F(EnginePreBind, AllPrepareInTheirOrderThenTheOneThatBindsBinds) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Binds>("b"), InfoOf<Prepares>("y")});
  EXPECT_EQ(Bind(), Answer(""));
  EXPECT_THAT(stage_.Done(),
              ElementsAre("x prebind", "y prebind", "b bind", "x postbind", "y postbind"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty()) << "the engine does not bind where an agent does";
}

TEST_F(EnginePreBind, PathsOfAgentsRunTheAgentAlone) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Binds>("b")});
  EXPECT_EQ(Bind("/b/bind"), Answer(""));
  EXPECT_EQ(Bind("/x/bind"), Answer(""));
  EXPECT_THAT(stage_.Done(), ElementsAre("b bind", "x prebind", "x postbind"));
  EXPECT_THAT(cluster_.bindings(), ElementsAre(std::pair("p", "a")));
}

TEST_F(EnginePreBind, AnAgentMayPrepareAndBind) {
  Serve({InfoOf<PreparesAndBinds>("x")});
  EXPECT_EQ(Bind("/x/bind"), Answer(""));
  EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "x bind", "x postbind"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(EnginePreBind, OneThatFailsUndoesItselfAndThoseBeforeItAndNothingIsBound) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Prepares>("y"), InfoOf<Prepares>("z")});
  stage_.does["y prebind"] = Says(absl::UnavailableError("pool p is gone"));
  EXPECT_EQ(Bind(), Answer("y: pool p is gone"));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAgent);
  EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "y prebind", "y undo: pool p is gone",
                                         "x undo: pool p is gone"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

struct FailureRow {
  absl::Status error;
  bool may_be_bound;
};

TEST_F(EnginePreBind, ABindingThatFailsUndoesAllInReverseAndSaysWhatIsKnown) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Prepares>("y"), InfoOf<Binds>("b")});
  const FailureRow rows[] = {{absl::AbortedError("no"), false},
                             {absl::NotFoundError("no"), false},
                             {absl::FailedPreconditionError("no"), false},
                             {absl::PermissionDeniedError("no"), false},
                             {absl::ResourceExhaustedError("no"), false},
                             {absl::UnavailableError("no"), true},
                             {absl::DeadlineExceededError("no"), true},
                             {absl::CancelledError("no"), true},
                             {absl::InternalError("no"), true},
                             {absl::UnknownError("no"), true}};
  for (const FailureRow& row : rows) {
    stage_.done.clear();
    stage_.does["b bind"] = Says(row.error);
    EXPECT_EQ(Bind(), Answer("b: no"));
    const std::string known = row.may_be_bound ? ", may be bound" : "";
    EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "y prebind", "b bind", "y undo: no" + known,
                                           "x undo: no" + known))
        << row.error;
  }
}

TEST_F(EnginePreBind, ThePlainBindingsErrorIsNamedAsThat) {
  Serve({InfoOf<Prepares>("x")});
  cluster_.OnBind([](const std::string&) { return absl::DeadlineExceededError("no answer"); });
  EXPECT_EQ(Bind("/x/bind"), Answer("binding: no answer"));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAgent);
  cluster_.OnBind([](const std::string&) { return absl::AbortedError("bound to b"); });
  EXPECT_EQ(Bind("/x/bind"), Answer("binding: bound to b"));
  EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "x undo: no answer, may be bound",
                                         "x prebind", "x undo: bound to b"));
}

TEST_F(EnginePreBind, NothingIsPreparedForACallerThatHasGone) {
  Serve({InfoOf<Prepares>("x")});
  engine_.abandoned = Stopped();
  EXPECT_EQ(Bind(), Answer("the caller disconnected"));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAbandoned);
  EXPECT_THAT(stage_.Done(), IsEmpty());
}

TEST_F(EnginePreBind, ACallerThatGoesBeforeTheBindingHasItUndone) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Prepares>("y"), InfoOf<Binds>("b")});
  std::stop_source caller;
  for (const char* last : {"x prebind", "y prebind"}) {
    caller = std::stop_source();
    engine_.abandoned = caller.get_token();
    stage_.does.clear();
    stage_.does[last] = [&caller](const BindRequest&) {
      caller.request_stop();
      return absl::OkStatus();
    };
    EXPECT_EQ(Bind(), Answer("the caller disconnected"));
    EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAbandoned);
  }
  EXPECT_THAT(stage_.Done(),
              ElementsAre("x prebind", "x undo: the caller disconnected", "x prebind", "y prebind",
                          "y undo: the caller disconnected", "x undo: the caller disconnected"));
}

TEST_F(EnginePreBind, ACallerThatGoesDuringTheBindingChangesNothingIfThatSucceeds) {
  Serve({InfoOf<Prepares>("x")});
  std::stop_source caller;
  engine_.abandoned = caller.get_token();
  cluster_.OnBind([&caller](const std::string&) {
    caller.request_stop();
    return absl::OkStatus();
  });
  EXPECT_EQ(Bind(), Answer(""));
  EXPECT_THAT(stage_.Done(), ElementsAre("x prebind", "x postbind"));
}

TEST_F(EnginePreBind, WhatIsThrownIsAnErrorLikeOthersAndSaysNothing) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Prepares>("y"), InfoOf<Binds>("b")});
  stage_.does["y prebind"] = Throws();
  EXPECT_EQ(Bind(), Answer("y: internal error, see the log"));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kInternal);
  stage_.does = {{"b bind", Throws()}};
  EXPECT_EQ(Bind(), Answer("b: internal error, see the log"));
  const std::string why = "internal error, see the log";
  EXPECT_THAT(stage_.Done(),
              ElementsAre("x prebind", "y prebind", "y undo: " + why, "x undo: " + why, "x prebind",
                          "y prebind", "b bind", "y undo: " + why + ", may be bound",
                          "x undo: " + why + ", may be bound"));
}

TEST_F(EnginePreBind, WhatIsThrownAfterwardsKeepsNoAgentFromHearingOfIt) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Prepares>("y"), InfoOf<Binds>("b")});
  stage_.does = {{"x postbind", Throws()}};
  EXPECT_EQ(Bind(), Answer("")) << "the pod is bound";
  stage_.does = {{"y undo", Throws()}, {"b bind", Says(absl::AbortedError("no"))}};
  EXPECT_EQ(Bind(), Answer("b: no"));
  EXPECT_THAT(stage_.Done(),
              ElementsAre("x prebind", "y prebind", "b bind", "x postbind", "y postbind",
                          "x prebind", "y prebind", "b bind", "y undo: no", "x undo: no"));
}

TEST_F(EnginePreBind, WithoutAClusterThereIsNothingToBindAt) {
  engine_.Cluster(nullptr);
  Serve({InfoOf<Prepares>("x")});
  EXPECT_EQ(
      (*engine_).Start(),
      absl::FailedPreconditionError(
          "agent x: needs the API server to bind pods: set --kubeconfig FILE, or run in a pod"));
  EXPECT_EQ(Bind("/x/bind"),
            Answer("x: needs the API server to bind pods: set --kubeconfig FILE, or run in a pod"));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kUnanswerable);
  EXPECT_THAT(stage_.Done(), IsEmpty()) << "nothing is prepared in vain";
}

TEST_F(EnginePreBind, TwoThatBindAreStillRefused) {
  engine_.Add(InfoOf<PreparesAndBinds>("x")).Add(InfoOf<Binds>("b"));
  EXPECT_THAT(std::string(engine_.Make().message()), HasSubstr("agents x and b both bind"));
}

class Recovers final : public Agent, public Controller {
 public:
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
  absl::Status Ready() const override { return absl::UnavailableError("recovers"); }
};

TEST_F(EnginePreBind, ReadinessIsThatOfAgentsWithAController) {
  Serve({InfoOf<Prepares>("x"), InfoOf<Recovers>("r")});
  const std::vector<AgentReadiness> all = (*engine_).Readiness();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].agent, "r");
  EXPECT_EQ(all[0].ready, absl::UnavailableError("recovers"));
}

TEST_F(EnginePreBind, TheRequestIsTheOneOfTheCall) {
  Serve({InfoOf<Prepares>("x")});
  std::string seen;
  stage_.does["x prebind"] = [&seen](const BindRequest& request) {
    seen = fmt::format("{}/{} {} {}", request.pod_namespace, request.pod_name, request.pod_uid,
                       request.node);
    return absl::OkStatus();
  };
  Bind();
  EXPECT_EQ(seen, "default/p u a");
}

}  // namespace
}  // namespace outrigger::engine
