#include "load/annotate/annotator.h"

#include <thread>

#include "annotate_testing.h"
#include "builders.h"

namespace outrigger::annotate {
namespace {

using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;

/// Has the values that a test sets.
class FakeSource final : public ValueSource {
 public:
  absl::StatusOr<std::vector<NodeValues>> Compute(std::shared_ptr<const ClusterSnapshot> /*of*/,
                                                  Scope scope, std::stop_token /*stop*/) override {
    scopes.push_back(scope);
    if (meanwhile) meanwhile();
    if (!failure.ok()) return failure;
    return values;
  }
  const std::vector<std::string>& Keys() const override { return keys_; }
  Needs Reads() const override { return Needs(); }
  bool FollowsCluster() const override { return true; }
  bool NeedsHistory() const override { return false; }

  std::vector<NodeValues> values;
  std::vector<Scope> scopes;
  absl::Status failure;
  std::function<void()> meanwhile;  // what happens while it computes; may be empty

 private:
  const std::vector<std::string> keys_ = {"x", "y"};
};

class AnnotatorTest : public ::testing::Test {
 protected:
  AnnotatorTest() { Make(std::chrono::seconds(600)); }
  ~AnnotatorTest() override { term_ = {}; }

  void Make(std::chrono::seconds forget) {
    AnnotatorOptions options;
    options.forget = forget;
    options.patcher.qps = 10'000;
    options.patcher.workers = 1;
    options.warn = [this](const std::string& line) { warnings_.push_back(line); };
    annotator_ = std::make_unique<Annotator>(&cluster_, &source_, &writer_, &counters_, options);
  }
  void Lead() {
    term_ = std::jthread([this](const std::stop_token& term) { annotator_->Lead(term); });
    while (!counters_.Read().is_leader) std::this_thread::yield();
  }
  void Round(Scope scope = Scope::kAll) {
    ASSERT_TRUE(annotator_->Round(scope, {}).ok());
    while (annotator_->Pending() > 0) std::this_thread::yield();
  }
  void Put(Node node) {
    node.resource_version = "1";
    cluster_.Put(node);
  }
  static NodeValues Values(std::string node, Annotations values) {
    NodeValues wanted;
    wanted.node = std::move(node);
    wanted.values = std::move(values);
    return wanted;
  }

  FakeCluster cluster_;
  FakeSource source_;
  FakeWriter writer_{&cluster_};
  Counters counters_;
  std::vector<std::string> warnings_;
  std::unique_ptr<Annotator> annotator_;
  std::jthread term_;
};

TEST_F(AnnotatorTest, WritesWhatDiffersAndNothingTwice) {
  Put(MakeNode("a").Annotation("x", "1").Annotation("others", "5"));
  Put(MakeNode("b").Annotation("x", "2").Annotation("y", "3"));
  source_.values = {Values("a", {{"x", "2"}, {"y", "3"}}), Values("b", {{"x", "2"}, {"y", "3"}})};
  Lead();
  Round();
  ASSERT_EQ(writer_.writes.size(), 1U);
  EXPECT_EQ(writer_.writes[0].first, "a");
  EXPECT_EQ(writer_.writes[0].second, (NodeChange{{"x", "2"}, {"y", "3"}}));
  Round();
  EXPECT_EQ(writer_.writes.size(), 1U);
}

TEST_F(AnnotatorTest, WhatTheViewDoesNotShowYetIsNotWrittenAgain) {
  Put(MakeNode("a"));
  source_.values = {Values("a", {{"x", "2"}})};
  writer_.shows = false;
  Lead();
  Round();
  Round();
  EXPECT_EQ(writer_.writes.size(), 1U);
}

TEST_F(AnnotatorTest, MendsWhatSomebodyElseWrote) {
  Put(MakeNode("a").Annotation("x", "2"));
  source_.values = {Values("a", {{"x", "2"}})};
  Lead();
  Round();
  EXPECT_THAT(writer_.writes, IsEmpty());
  Put(MakeNode("a").Annotation("x", "7"));
  Round(Scope::kChanged);
  EXPECT_EQ(writer_.writes.size(), 1U);
}

TEST_F(AnnotatorTest, WithoutTheLeaseNothingIsWritten) {
  Put(MakeNode("a"));
  source_.values = {Values("a", {{"x", "2"}})};
  Round();
  EXPECT_THAT(writer_.writes, IsEmpty());
}

TEST_F(AnnotatorTest, ALostValueIsRemovedAfterItsTimeAndOneNotKnownYetNever) {
  Make(std::chrono::seconds(0));
  Put(MakeNode("a").Annotation("x", "1").Annotation("y", "2").Annotation("others", "3"));
  NodeValues wanted = Values("a", {});
  wanted.missing = {{.annotation = "x", .cause = "too-young", .detail = {}, .lack = Lack::kNotYet},
                    {.annotation = "y", .cause = "no-series", .detail = {}, .lack = Lack::kLost}};
  source_.values = {wanted};
  Lead();
  Round();
  ASSERT_EQ(writer_.writes.size(), 1U);
  EXPECT_EQ(writer_.writes[0].second, (NodeChange{{"y", std::nullopt}}));
  const Figures figures = counters_.Read();
  EXPECT_EQ(figures.missing.at({"a", "too-young"}), 1U);
  EXPECT_EQ(figures.missing.at({"a", "no-series"}), 1U);
  EXPECT_EQ(figures.removed, 1U);
  EXPECT_EQ(figures.nodes_without, 1U);
}

TEST_F(AnnotatorTest, AFailureOfTheSourceChangesNothingAndIsWarnedAboutOnce) {
  Put(MakeNode("a").Annotation("x", "1"));
  source_.failure = absl::UnavailableError("Prometheus does not answer");
  Lead();
  EXPECT_FALSE(annotator_->Round(Scope::kAll, {}).ok());
  EXPECT_FALSE(annotator_->Round(Scope::kAll, {}).ok());
  EXPECT_THAT(writer_.writes, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre("Prometheus does not answer"));
  EXPECT_THAT(annotator_->Trouble(), HasSubstr("Prometheus"));
  EXPECT_EQ(counters_.Read().failed_rounds, 2U);
  source_.failure = absl::OkStatus();
  Round();
  EXPECT_EQ(annotator_->Trouble(), "");
}

TEST_F(AnnotatorTest, AValueThatFailsForThreeRoundsIsTrouble) {
  Put(MakeNode("a"));
  NodeValues wanted = Values("a", {{"x", "1"}});
  wanted.missing = {
      {.annotation = "y", .cause = "failed", .detail = "422: too much", .lack = Lack::kFailed}};
  source_.values = {wanted};
  Round();
  Round();
  EXPECT_EQ(annotator_->Trouble(), "");
  Round();
  EXPECT_EQ(annotator_->Trouble(), "1 values failed in each of 3 rounds, y first: 422: too much");
  source_.values = {Values("a", {{"x", "1"}, {"y", "2"}})};
  Round();
  EXPECT_EQ(annotator_->Trouble(), "");
}

TEST_F(AnnotatorTest, AViewThatIsTooOldIsNotWrittenBy) {
  Put(MakeNode("a"));
  source_.values = {Values("a", {{"x", "2"}})};
  cluster_.SetUsable(absl::UnavailableError("what is known of the nodes is older than 90s"));
  Lead();
  EXPECT_FALSE(annotator_->Round(Scope::kAll, {}).ok());
  EXPECT_THAT(source_.scopes, IsEmpty());
  EXPECT_THAT(writer_.writes, IsEmpty());
}

TEST_F(AnnotatorTest, NodesThatGoInMidPassAreDropped) {
  Put(MakeNode("a"));
  Put(MakeNode("b"));
  source_.values = {Values("a", {{"x", "2"}}), Values("b", {{"x", "2"}}),
                    Values("never", {{"x", "2"}})};
  writer_.answers = {absl::NotFoundError("nodes \"a\" not found")};
  Lead();
  Round();
  EXPECT_EQ(counters_.Read().patches.at("gone"), 1U);
  EXPECT_EQ(counters_.Read().patches.at("patched"), 1U);
}

TEST_F(AnnotatorTest, AnotherMachineOfTheSameNameDoesNotGetTheValuesOfTheFirst) {
  Put(MakeNode("a"));
  Put(MakeNode("b"));
  source_.values = {Values("a", {{"x", "2"}}), Values("b", {{"x", "2"}})};
  source_.meanwhile = [this] {
    Node node = MakeNode("a");
    node.addresses = {{"InternalIP", "10.0.0.9"}};
    Put(node);
    Put(MakeNode("b").Annotation("x", "2"));
  };
  Lead();
  Round();
  EXPECT_THAT(writer_.writes, IsEmpty());
  source_.meanwhile = nullptr;
  Round();
  ASSERT_EQ(writer_.writes.size(), 1U);
  EXPECT_EQ(writer_.writes[0].first, "a");
}

TEST_F(AnnotatorTest, OnceWritesAllAndSaysWhatItCouldNot) {
  Put(MakeNode("a"));
  source_.values = {Values("a", {{"x", "2"}})};
  EXPECT_TRUE(annotator_->Once({}).ok());
  EXPECT_EQ(writer_.writes.size(), 1U);
  source_.failure = absl::UnavailableError("no source");
  EXPECT_EQ(annotator_->Once({}).message(), "no source");
}

TEST_F(AnnotatorTest, OnceEndsAtOnceWithoutTheRightToPatch) {
  for (const char* node : {"a", "b", "c"}) {
    Put(MakeNode(node));
    source_.values.push_back(Values(node, {{"x", "2"}}));
  }
  writer_.answers.assign(3, absl::PermissionDeniedError("403: cannot patch"));
  EXPECT_TRUE(absl::IsPermissionDenied(annotator_->Once({})));
  EXPECT_EQ(writer_.writes.size(), 1U);
}

TEST_F(AnnotatorTest, AReplicaThatWaitsLeavesTheSourceAloneAndHasNoTrouble) {
  source_.failure = absl::UnavailableError("no source");
  EXPECT_FALSE(annotator_->Round(Scope::kAll, {}).ok());
  EXPECT_NE(annotator_->Trouble(), "");
  {
    const std::jthread rounds([&](const std::stop_token& stop) { annotator_->Run(stop); });
    while (!annotator_->Trouble().empty()) std::this_thread::yield();
  }
  EXPECT_EQ(source_.scopes.size(), 1U);
}

TEST_F(AnnotatorTest, RunsARoundWhenTheClusterChanges) {
  Put(MakeNode("a"));
  source_.values = {Values("a", {{"x", "2"}})};
  Lead();
  {
    const std::jthread rounds([&](const std::stop_token& stop) { annotator_->Run(stop); });
    while (counters_.Read().rounds < 1) std::this_thread::yield();
    Put(MakeNode("b"));
    while (counters_.Read().rounds < 2) std::this_thread::yield();
  }
  while (annotator_->Pending() > 0) std::this_thread::yield();
  EXPECT_EQ(source_.scopes.front(), Scope::kAll);
  EXPECT_GE(writer_.writes.size(), 1U);
}

TEST(Counters, SeriesByNodeAreBounded) {
  Counters counters;
  for (size_t i = 0; i < 5000; ++i) counters.Missing("n" + std::to_string(i), "failed");
  const Figures figures = counters.Read();
  EXPECT_EQ(figures.missing.size(), Counters::kMostSeries + 1);
  EXPECT_EQ(figures.missing.at({"other", "failed"}), 5000 - Counters::kMostSeries);
}

}  // namespace
}  // namespace outrigger::annotate
