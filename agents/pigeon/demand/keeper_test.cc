#include "demand/keeper.h"

#include <deque>
#include <thread>

#include "builders.h"
#include "demand/text.h"
#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::pigeon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;

/// A store that several keepers may share, and that fails when a test asks for it.
struct Medium {
  StoredState state;
  int version = 0;
  int loads = 0;
  int saves = 0;
  std::deque<absl::Status> load_errors;  // of the next calls; Ok: none
  std::deque<absl::Status> save_errors;
  int unseen_saves = 0;  // next ones that are stored, and time out
};

class FakeStore final : public StateStore {
 public:
  explicit FakeStore(Medium* medium) : medium_(*medium) {}

  absl::StatusOr<StoredState> Load(const CallLimits& /*limits*/) override {
    ++medium_.loads;
    const absl::Status error = Next(&medium_.load_errors);
    if (!error.ok()) return error;
    return medium_.state;
  }
  absl::StatusOr<std::string> Save(const StoredState& state,
                                   const CallLimits& /*limits*/) override {
    ++medium_.saves;
    const absl::Status error = Next(&medium_.save_errors);
    if (!error.ok()) return error;
    if (state.version != medium_.state.version) return absl::AbortedError("another version");
    medium_.state = {state.data, std::to_string(++medium_.version)};
    if (medium_.unseen_saves > 0) {
      --medium_.unseen_saves;
      return absl::DeadlineExceededError("no answer");
    }
    return medium_.state.version;
  }
  std::string Place() const override { return "the test"; }

 private:
  static absl::Status Next(std::deque<absl::Status>* errors) {
    if (errors->empty()) return absl::OkStatus();
    const absl::Status error = errors->front();
    errors->pop_front();
    return error;
  }
  Medium& medium_;
};

/// A process of its own.
struct Process {
  explicit Process(Medium* medium, const Resources& counted = Resources::First(2, "gpu"))
      : resources(counted), book(resources.size()) {
    AgentDeps deps;
    deps.warn = [this](std::string_view line) { warnings.emplace_back(line); };
    keeper = std::make_unique<DemandKeeper>(std::make_unique<FakeStore>(medium), &book, &resources,
                                            deps);
  }
  bool Count(const std::string& uid, double cpu) {
    Pod pod = MakePod("p");
    pod.uid = uid;
    return book.Count(pod, {cpu, cpu * 1e6});
  }
  void Round() { keeper->Round({}); }

  Resources resources;
  std::vector<std::string> warnings;
  DemandBook book;
  std::unique_ptr<DemandKeeper> keeper;
};

double MeanCpu(const Process& process) {
  return process.book.demand().mean(0);
}

TEST(PigeonDemandBook, CountsAPodOnceHoweverOftenItIsTried) {
  DemandBook book(1);
  Pod pod = MakePod("p");
  pod.uid = "one";
  EXPECT_TRUE(book.Count(pod, {100}));
  EXPECT_FALSE(book.Count(pod, {100}));
  pod.uid = "two";
  EXPECT_TRUE(book.Count(pod, {300}));
  EXPECT_EQ(book.demand().pods(), 2);
  EXPECT_EQ(book.demand().mean(0), 200);
  pod.uid = "";
  EXPECT_TRUE(book.Count(pod, {200}));
  EXPECT_FALSE(book.Count(pod, {200}))
      << "namespace and name are taken for a UID that is not there";
}

TEST(PigeonDemandBook, DropsWhatNoNodeCanTakeAndKeepsWhichPodsWereCounted) {
  Pod pod = MakePod("p");
  pod.uid = "one";
  const DemandState rows[] = {
      {Demand(100, {1e28, 1e28}, {1e58, 1e58, 1e58, 1e58}), {DemandBook::IdOf(pod)}},
      {Demand(100, {500, 1e9}, {1e33, 5e11, 5e11, 1e18}), {DemandBook::IdOf(pod)}},
      {Demand(100, {500, 1e9}, {25e4, 1e30, 1e30, 1e18}), {DemandBook::IdOf(pod)}},
  };
  for (const DemandState& stored : rows) {
    DemandBook book(2);
    book.Adopt(stored);
    EXPECT_FALSE(book.Bound(std::vector<double>{0, 0})) << "no node is known";
    EXPECT_TRUE(book.Bound(std::vector<double>{4000, 16e9}));
    EXPECT_FALSE(book.Bound(std::vector<double>{4000, 16e9})) << "it is said once";
    EXPECT_EQ(book.demand().pods(), 0);
    EXPECT_FALSE(book.Count(pod, {100, 1e9}));
  }
}

// The pool of the large nodes is scaled to 0 tonight.
TEST(PigeonDemandBook, KeepsPodsWhoseNodesAreAwayForNow) {
  DemandBook book(1);
  book.Adopt({Demand(100, {2500}, {26.5e6}), {}});
  EXPECT_FALSE(book.Bound(std::vector<double>{4000}));
  EXPECT_EQ(book.demand().mean(0), 2500);
}

TEST(PigeonDemandBook, KeepsWhatTheLargestNodeCanTake) {
  DemandBook book(2);
  EXPECT_FALSE(book.Bound(std::vector<double>{4000, 0}));
  for (int i = 0; i < 200; ++i) {
    Pod pod = MakePod(std::to_string(i));
    book.Count(pod, {i % 3 == 0 ? 1e30 : 0.1, 1e9});
  }
  EXPECT_LE(book.demand().mean(0), 4000) << "bounded by the largest node";
  EXPECT_FALSE(book.Bound(std::vector<double>{1000, 0})) << "smaller nodes may grow again";
  EXPECT_EQ(book.demand().pods(), 100);
}

TEST(PigeonSeenPods, RemembersTheLastOnesInBoundedMemory) {
  SeenPods seen(100);
  EXPECT_TRUE(seen.Add(10'000));
  for (uint64_t id = 0; id < 10'000; ++id) {
    EXPECT_TRUE(seen.Add(id));
    EXPECT_FALSE(seen.Add(id));
    EXPECT_TRUE(id < 40 || !seen.Add(id - 40)) << id;
    EXPECT_FALSE(seen.Add(10'000)) << "it is tried again and again" << id;
    EXPECT_LE(seen.Last(1000).size(), 100U);
  }
}

TEST(PigeonSeenPods, ListsTheLastOnesFirst) {
  SeenPods seen(100);
  for (uint64_t id = 1; id <= 10; ++id) seen.Add(id);
  seen.Add(2);
  EXPECT_THAT(seen.Last(4), ElementsAre(2, 10, 9, 8));
  EXPECT_THAT(seen.Last(4, {9, 3, 1}), ElementsAre(2, 9, 3, 1));
  EXPECT_THAT(seen.Last(2, {9, 3, 1}), ElementsAre(9, 3));
  EXPECT_THAT(seen.Last(3, {77}), ElementsAre(2, 10)) << "one that is not known has its room";
}

TEST(PigeonDemandKeeper, BringsTheStatisticsOverARestart) {
  Medium medium;
  {
    Process first(&medium);
    first.Count("a", 100);
    first.Count("b", 300);
    first.Round();
  }
  Process second(&medium);
  EXPECT_TRUE(second.Count("c", 500)) << "before it knows what is stored";
  EXPECT_TRUE(second.Count("a", 100)) << "likewise";
  second.Round();
  EXPECT_EQ(second.book.demand().pods(), 3) << "a was counted by the first";
  EXPECT_EQ(MeanCpu(second), 300);
  EXPECT_FALSE(second.Count("b", 300)) << "tried again after the restart";
  EXPECT_THAT(second.warnings, IsEmpty());
}

TEST(PigeonDemandKeeper, BringsTheLastOfManyPodsOverARestart) {
  constexpr int kPods = 10'000;
  Medium medium;
  Process first(&medium);
  first.Round();
  first.Count("pending", 100);
  for (int i = 0; i < kPods; ++i) {
    first.Count(std::to_string(i), 100);
    if (i % 100 == 0) first.Count("pending", 100);
    if (i % 1000 == 999) first.Round();
  }
  Process second(&medium);
  second.Round();
  EXPECT_FALSE(second.Count("pending", 100)) << "it is tried again after the restart";
  for (int i = kPods - 4000; i < kPods; ++i) {
    EXPECT_FALSE(second.Count(std::to_string(i), 100)) << i;
  }
  EXPECT_TRUE(second.Count("0", 100)) << "long ago";
}

TEST(PigeonDemandKeeper, StoresOnlyWhatIsNew) {
  Medium medium;
  Process process(&medium);
  process.Round();
  EXPECT_EQ(medium.saves, 0);
  process.Count("a", 100);
  process.Round();
  process.Count("a", 100);
  process.Round();
  EXPECT_EQ(medium.saves, 1);
  EXPECT_EQ(medium.loads, 1);
}

TEST(PigeonDemandKeeper, AddsItsPodsToWhatAnotherHasStoredMeanwhile) {
  Medium medium;
  Process one(&medium);
  Process other(&medium);
  one.Round();
  other.Round();
  one.Count("a", 100);
  one.Round();
  other.Count("b", 300);
  other.Round();
  EXPECT_EQ(other.book.demand().pods(), 2);
  EXPECT_EQ(MeanCpu(other), 200);
  one.Count("c", 500);
  one.Round();
  EXPECT_EQ(one.book.demand().pods(), 3);
  EXPECT_EQ(MeanCpu(one), 300);
  EXPECT_FALSE(one.Count("b", 300));
  EXPECT_THAT(one.warnings, IsEmpty());
}

TEST(PigeonDemandKeeper, GivesUpARoundInWhichOthersAreAlwaysFaster) {
  Medium medium;
  Process process(&medium);
  process.Count("a", 100);
  medium.save_errors.assign(3, absl::AbortedError("another version"));
  process.Round();
  EXPECT_EQ(medium.saves, 3);
  process.Round();
  EXPECT_EQ(process.book.demand().pods(), 1);
  EXPECT_EQ(MeanCpu(process), 100);
  EXPECT_THAT(medium.state.data.at("demand"), HasSubstr("pods 1"));
}

// The error came, and so did the state.
TEST(PigeonDemandKeeper, CountsNothingTwiceWhereASaveSucceededUnseen) {
  Medium medium;
  Process process(&medium);
  process.Count("a", 100);
  process.Round();
  process.Count("b", 300);
  Process twin(&medium);  // stores what `process` would have
  twin.Round();
  twin.Count("b", 300);
  twin.Round();
  medium.save_errors = {absl::UnavailableError("the connection was cut")};
  process.Round();
  process.Round();
  EXPECT_EQ(process.book.demand().pods(), 2);
  EXPECT_EQ(MeanCpu(process), 200);
}

TEST(PigeonDemandKeeper, CountsNothingTwiceWhereASaveOfManyPodsCameThroughLate) {
  const auto run = [](int unseen_saves) {
    Medium medium;
    Process process(&medium);
    process.Round();
    for (int i = 0; i < 4000; ++i) process.Count(std::to_string(i), i);
    process.Round();
    for (int i = 4000; i < 10'000; ++i) process.Count(std::to_string(i), i);
    // Old pods that wait are tried again after the last new one.
    for (int i = 0; i < 4000; ++i) process.Count(std::to_string(i), i);
    medium.unseen_saves = unseen_saves;
    process.Round();
    process.Count("later", 100);
    process.Round();
    return medium.state.data.at("demand");
  };
  const std::string once = run(0);
  const std::string unseen = run(1);
  EXPECT_TRUE(once.substr(0, once.find("counted")) == unseen.substr(0, unseen.find("counted")))
      << "the moments differ";
}

TEST(PigeonDemandKeeper, StoresNothingBeforeItHasReadAndWarnsOnce) {
  Medium medium;
  medium.load_errors.assign(3, absl::UnavailableError("no API server"));
  Process process(&medium);
  process.Count("a", 100);
  for (int i = 0; i < 3; ++i) process.Round();
  EXPECT_EQ(medium.saves, 0);
  EXPECT_THAT(process.warnings, ElementsAre(HasSubstr("no API server")));
  process.Round();
  EXPECT_EQ(medium.saves, 1);
  medium.save_errors.assign(2, absl::PermissionDeniedError("no right"));
  process.Count("b", 100);
  process.Round();
  process.Round();
  EXPECT_THAT(process.warnings,
              ElementsAre(HasSubstr("no API server"), HasSubstr("cannot be stored: no right")));
  process.Round();
  EXPECT_THAT(medium.state.data.at("demand"), HasSubstr("pods 2"));
}

TEST(PigeonDemandKeeper, StartsFromNothingWhereNothingCanBeRead) {
  const std::map<std::string, StoredState> rows = {
      {"there is no key \"demand\"", {{{"other", "text"}}, "7"}},
      {"version 2, this program reads version 1", {{{"demand", "outrigger-pigeon-demand 2"}}, "7"}},
      {"line 1", {{{"demand", "edited by hand"}}, "7"}},
  };
  for (const auto& [why, stored] : rows) {
    Medium medium;
    medium.state = stored;
    Process process(&medium);
    process.Count("a", 100);
    process.Round();
    EXPECT_THAT(process.warnings,
                ElementsAre(::testing::AllOf(HasSubstr("start from nothing"), HasSubstr(why))));
    EXPECT_THAT(medium.state.data.at("demand"), HasSubstr("pods 1")) << "it was replaced";
  }
}

TEST(PigeonDemandKeeper, ReplacesAStateThatIsLost) {
  Medium medium;
  medium.load_errors = {absl::DataLossError("the file is torn")};
  Process process(&medium);
  process.Count("a", 100);
  process.Round();
  EXPECT_THAT(process.warnings, ElementsAre(HasSubstr("the file is torn")));
  EXPECT_THAT(medium.state.data.at("demand"), HasSubstr("pods 1"));
}

TEST(PigeonDemandKeeper, StartsFromNothingWithOtherResources) {
  Medium medium;
  Process before(&medium);
  before.Count("a", 100);
  before.Round();
  Process after(&medium, Resources::First(3, "gpu"));
  after.Round();
  EXPECT_EQ(after.book.demand().pods(), 0);
  EXPECT_THAT(after.warnings, ElementsAre(HasSubstr("it has nothing of pods")));
}

TEST(PigeonDemandKeeper, RunsARoundEachIntervalUntilItIsStopped) {
  Medium medium;
  Process process(&medium);
  std::vector<std::chrono::milliseconds> waits;
  AgentDeps deps;
  deps.clock.sleep = [&](Clock::Duration time, const std::stop_token& /*stop*/) {
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(time));
    process.Count(std::to_string(waits.size()), 100);
    return waits.size() < 3;
  };
  DemandKeeper keeper(std::make_unique<FakeStore>(&medium), &process.book, &process.resources,
                      deps);
  keeper.Run(std::chrono::seconds(10), {});
  EXPECT_THAT(waits, ::testing::Each(std::chrono::seconds(10)));
  EXPECT_EQ(waits.size(), 3U);
  EXPECT_EQ(medium.saves, 2);
}

}  // namespace
}  // namespace outrigger::pigeon
