// Stand-ins through faults of each call: no pod is ever refused.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fake_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/replace/replace_testing.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kMap = "outrigger-penalty-mapping";
constexpr const char* kSpace = "kube-system";

TEST(StandInNames, AreMadeOfTheClassAndTheValue) {
  EXPECT_EQ(StandInName("gold", 900, "PreemptLowerPriority"), "gold-at-900");
  EXPECT_EQ(StandInName("gold", -5, "Never"), "gold-at-m5-never");
  EXPECT_EQ(StandInName("a.b", 0, ""), "a.b-at-0");
}

TEST(StandInNames, AreCutAtTheLengthOfAName) {
  const std::string longest = std::string(230, 'a') + "." + std::string(22, 'b');
  const std::string name = StandInName(longest, 1'000'000'000, "Never");
  EXPECT_THAT(name, SizeIs(::testing::Le(253U)));
  EXPECT_TRUE(name.ends_with("-at-1000000000-never"));
  EXPECT_NE(name, StandInName(longest.substr(0, 252) + "c", 1'000'000'000, "Never"));
  EXPECT_EQ(name.find(".-"), std::string::npos) << name;
}

TEST(StandInNames, SayWhatIsCarried) {
  for (const int64_t value : {900, 0, -5}) {
    for (const std::string policy : {"Never", "PreemptLowerPriority"}) {
      for (const std::string& of : {std::string("gold"), std::string(253, 'a')}) {
        const auto carried = CarriedBy(StandInName(of, value, policy), of);
        ASSERT_TRUE(carried.has_value());
        EXPECT_EQ(carried->value, value);
        EXPECT_EQ(carried->preemption_policy, policy);
      }
    }
  }
  for (const char* other : {"gold", "gold-at-", "gold-at-m0", "gold-at-+9", "gold-at-900-always",
                            "silver-at-900", "gold-at-99999999999999999999"}) {
    EXPECT_FALSE(CarriedBy(other, "gold").has_value()) << other;
  }
}

PriorityClass StandIn(const std::string& where) {
  PriorityClass made;
  made.name = "gold-at-900";
  made.value = 900;
  made.labels = JournalLabels();
  made.annotations.Set(std::string(kStandsForAnnotation), "gold");
  made.annotations.Set(std::string(kMappedInAnnotation), where);
  return made;
}

// A person may export one, and apply it with changes.
TEST(StandsFor, IsNotBelievedOfACopy) {
  EXPECT_EQ(StandsFor(StandIn(kSpace)), "gold");
  const std::vector<std::function<void(PriorityClass*)>> changes = {
      [](PriorityClass* one) { one->name = "team-x"; },
      [](PriorityClass* one) { one->value = 950; },
      [](PriorityClass* one) { one->preemption_policy = "Never"; },
      [](PriorityClass* one) { one->labels = {}; },
      [](PriorityClass* one) { one->annotations = {}; }};
  for (const auto& change : changes) {
    PriorityClass one = StandIn(kSpace);
    change(&one);
    EXPECT_EQ(StandsFor(one), "");
  }
}

TEST(EntriesOfAMap, AreClassesWithTheirStandIns) {
  ConfigMap map;
  map.data = {{"_fence", "a"},
              {"gold", "gold-at-900"},
              {"gold-at-950", "gold-at-900"},
              {"silver-at-400", "silver"}};
  EXPECT_THAT(EntriesOf(map), ElementsAre(::testing::Pair("gold", "gold-at-900")));
}

// As `penalty restore` does, too.
TEST(DeleteIdle, DeletesItsOwnStandInsThatHaveBeenIdleLongEnough) {
  testing::FakeObjects server;
  PriorityClass used = StandIn(kSpace), copy = StandIn(kSpace);
  used.name = "gold-at-800", used.value = 800;
  copy.name = "team-x";
  for (const PriorityClass& one : {StandIn(kSpace), used, copy}) server.Put(one);
  PriorityClass other = StandIn("elsewhere");
  other.name = "gold-at-700", other.value = 700;
  server.Put(other);
  const auto is_used = [](const PriorityClass& one) { return one.name == "gold-at-800"; };
  const auto process = server.Process("p");
  Mapper mapper(process.get(), process.get(), kSpace);
  ASSERT_TRUE(mapper.Begin(false, {}).ok());
  ASSERT_TRUE(mapper.DeleteIdle(server.Classes(), is_used, 1'000, {}).ok());
  EXPECT_EQ(mapper.NextIdle(), 1'000 + Mapper::kKept);
  ASSERT_TRUE(mapper.DeleteIdle(server.Classes(), is_used, 999 + Mapper::kKept, {}).ok());
  EXPECT_TRUE(server.Find("gold-at-900").has_value());
  ASSERT_TRUE(mapper.DeleteIdle(server.Classes(), is_used, 1'000 + Mapper::kKept, {}).ok());
  EXPECT_FALSE(server.Find("gold-at-900").has_value());
  for (const char* stays : {"gold-at-800", "gold-at-700", "team-x"}) {
    EXPECT_TRUE(server.Find(stays).has_value()) << stays;
  }
}

// To know whether one is used may take a walk over all pods.
TEST(DeleteIdle, AsksForAllThatAreUsedAtOneTime) {
  testing::FakeObjects server;
  Mapper mapper(&server, &server, kSpace);
  ASSERT_TRUE(mapper.Begin(false, {}).ok());
  Millis now = 1'000;
  std::vector<std::pair<Millis, std::string>> asked;
  const auto is_used = [&](const PriorityClass& one) {
    asked.emplace_back(now, one.name);
    return true;
  };
  PriorityClass other = StandIn(kSpace);
  other.name = "gold-at-800", other.value = 800;
  ASSERT_TRUE(mapper.DeleteIdle({StandIn(kSpace)}, is_used, now, {}).ok());
  now = 11'000;
  for (int looks = 0; looks < 5; ++looks, now = *mapper.NextIdle()) {
    ASSERT_TRUE(mapper.DeleteIdle({StandIn(kSpace), other}, is_used, now, {}).ok());
  }
  ASSERT_GE(asked.size(), 4U);
  EXPECT_EQ(asked[asked.size() - 2].first, asked.back().first);
}

TEST(ClassesOfQuota, AreThoseThatAScopeNames) {
  const auto of = [](const std::string& terms) {
    return ClassesOfQuota(R"({"spec":{"scopeSelector":{"matchExpressions":[)" + terms + "]}}}");
  };
  EXPECT_THAT(of(R"({"scopeName":"PriorityClass","operator":"In","values":["a","b"]})"),
              ElementsAre("a", "b"));
  EXPECT_THAT(of(R"({"scopeName":"PriorityClass","operator":"NotIn","values":["a"]})"),
              ElementsAre("a"));
  EXPECT_THAT(of(R"({"scopeName":"PriorityClass","operator":"Exists"})"), IsEmpty());
  EXPECT_THAT(of(R"({"scopeName":"Other","operator":"In","values":["a"]},7,{"scopeName":7,)"
                 R"("values":["a"]})"),
              IsEmpty());
  EXPECT_THAT(ClassesOfQuota("no JSON"), IsEmpty());
}

/// Takes class gold (1000) through values, by processes that may die, and looks at what a pod gets
/// at each call.
class Drive {
 public:
  Drive() {
    PriorityClass gold;
    gold.name = "gold";
    gold.value = 1000;
    server_.Put(gold);
    server_.SetPolicy(kSpace, kMap);
  }

  /// That happens to the call of that number; 0: to none.
  void Break(Fault fault, int number) {
    server_.OnCall([this, fault, number](const testing::ObjectCall& call) {
      Look();
      const bool is_it = ++calls_ == number;
      if (is_it) broken_ = call.Text();
      return is_it ? FaultyFate(fault, call) : testing::CallFate::Done();
    });
  }
  int calls() const { return calls_; }
  const std::string& broken() const { return broken_; }

  /// Until new pods have the value; false: they do not get it.
  bool Bring(int64_t target) {
    for (int round = 0; round < 100; ++round) {
      Round(target);
      if (Priority() == target) return true;
    }
    return false;
  }
  /// Time passes at a value.
  void Pass(Millis time, int64_t target) {
    for (const Millis until = now_ + time; now_ < until; now_ += 5'000) Round(target);
  }
  int DeliverLate() {
    const int delivered = server_.DeliverLate();
    Look();
    return delivered;
  }
  std::vector<std::string> StandIns() const {
    std::vector<std::string> names;
    for (const PriorityClass& one : server_.Classes()) {
      if (!StandsFor(one).empty()) names.push_back(one.name);
    }
    return names;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  int64_t Priority() const {
    const auto pod = server_.Admit("gold");
    return pod.ok() ? pod->priority : -1;
  }
  void Look() {
    const auto pod = server_.Admit("gold");
    if (!pod.ok() && wrong_.empty()) wrong_ = std::string(pod.status().message());
    if (server_.Find("gold")->value != 1000) wrong_ = "the class has changed";
    for (const std::string& name : StandIns()) {
      if (!server_.Admit(name).ok()) wrong_ = "a pod of " + name + " is refused, which is there";
    }
  }
  void Round(int64_t target) {
    now_ += 500;
    if (process_ == nullptr || process_->is_dead()) {
      mapper_.reset();
      process_ = server_.Process("p");
      mapper_ = std::make_unique<Mapper>(process_.get(), process_.get(), kSpace);
      has_begun_ = false;
    }
    if (!has_begun_) has_begun_ = mapper_->Begin(true, term_.get_token()).ok();
    if (!has_begun_) return;
    const auto none = [](const PriorityClass&) { return false; };
    mapper_->Tidy(server_.Classes(), none, now_, term_.get_token()).IgnoreError();
    ReplaceRequest request{.class_name = "gold", .base = 1000, .target = target};
    request.now = now_;
    mapper_->Map(request, "PreemptLowerPriority", term_.get_token()).IgnoreError();
    Look();
  }

  testing::FakeObjects server_;
  std::unique_ptr<testing::FakeObjects::Client> process_;
  std::unique_ptr<Mapper> mapper_;
  std::stop_source term_;
  bool has_begun_ = false;
  Millis now_ = 1'000;
  int calls_ = 0;
  std::string broken_;
  std::string wrong_;
};

// Down, up, to base, and until nothing is left. Late calls arrive at one of these times.
std::string Fails(Fault fault, int number, int late_at, int* calls) {
  Drive drive;
  drive.Break(fault, number);
  int step = 0;
  const auto arrive = [&] {
    if (++step == late_at) drive.DeliverLate();
  };
  for (const int64_t target : {900, 800, 900, 1000}) {
    if (!drive.Bring(target)) return "no pod gets " + std::to_string(target);
    arrive();
  }
  drive.Pass(3 * Mapper::kKept, 1000);
  arrive();
  if (!drive.Bring(900)) return "no pod gets 900 again";
  arrive();
  if (!drive.Bring(1000)) return "no pod gets its base";
  drive.Pass(3 * Mapper::kKept, 1000);
  arrive();
  drive.Pass(3 * Mapper::kKept, 1000);
  *calls = drive.calls();
  if (!drive.wrong().empty()) return drive.broken() + ": " + drive.wrong();
  const auto left = drive.StandIns();
  return left.empty() ? "" : drive.broken() + ": it leaves " + left.front();
}

TEST(PenaltyMapperFaults, RefuseNoPodAndLeaveNothing) {
  int calls = 0;
  ASSERT_EQ(Fails(Fault::kInternal, 0, 0, &calls), "");
  ASSERT_GT(calls, 20);
  for (int fault = 0; fault < kFaults; ++fault) {
    const bool is_late = static_cast<Fault>(fault) == Fault::kLate;
    for (int number = 1; number <= calls; ++number) {
      for (int late_at = is_late ? 1 : 7; late_at <= 7; ++late_at) {
        int unused = 0;
        ASSERT_EQ(Fails(static_cast<Fault>(fault), number, late_at, &unused), "")
            << FaultName(static_cast<Fault>(fault)) << " of call " << number << ", late at "
            << late_at;
      }
    }
  }
}

}  // namespace
}  // namespace outrigger::penalty
