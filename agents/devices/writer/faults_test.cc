// Processes that write at the same time, die, and get no answers. After each round of chance the
// custodian puts all in order, and a judge looks at the objects.
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device_world_testing.h"
#include "fault_process_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "judge_testing.h"

namespace outrigger::devices {
namespace {

using testing::Below;
using testing::Faults;
using ::testing::IsEmpty;
using testing::Judge;
using testing::LateWrites;
using testing::OneIn;
using testing::Process;
using testing::Random;
using testing::World;

constexpr int kPods = 6;
constexpr int kDeepest = 2;  // processes that act in the middle of others' writes

/// One round.
class Round {
 public:
  Round(uint64_t seed, const Faults& faults)
      : random_(seed),
        faults_(faults),
        judge_(&world_),
        clocks_differ_(faults.clocks_differ),
        pools_change_(faults.pools_change),
        one_pool_(faults.one_pool),
        claims_change_(faults.claims_change) {
    Build();
    for (Process*& process : processes_) process = Start();
    world_.api.After([this](const outrigger::testing::CustomWrite&) {
      judge_.LookAt();
      return absl::OkStatus();
    });
    world_.on_served = [this] { judge_.LookAt(); };
  }

  void Run() {
    const int64_t steps = 8 + Below(random_, 12);
    for (int64_t i = 0; i < steps; ++i) Act();
    faults_ = Faults();
    ArriveLate(/*all=*/true);
    Settle();
    judge_.LookAtRest();
  }

  std::vector<std::string> faults() const {
    std::vector<std::string> all = judge_.faults();
    all.insert(all.end(), world_.broken_promises.begin(), world_.broken_promises.end());
    return all;
  }
  /// All of the round, in order.
  std::string Writes() const {
    std::string text;
    for (const outrigger::testing::CustomWrite& write : world_.api.Writes()) {
      text += fmt::format("{} {}: {} {}\n", write.kind, write.name, write.body,
                          write.answer.ToString());
    }
    return text;
  }
  /// Devices that are free in the end, and without any pod.
  void ExpectAllFreeOnceAllPodsHaveEnded() {
    for (auto& [name, pod] : world_.pods) pod.finished = true;
    Settle();
    for (const PoolObject& pool : world_.Pools()) {
      EXPECT_THAT(pool.entries, IsEmpty());
      EXPECT_EQ(pool.free, pool.total);
    }
    for (const ClaimObject& claim : world_.Claims()) {
      EXPECT_FALSE(IsAllocated(claim));
      EXPECT_THAT(claim.pods, IsEmpty());
    }
  }

 private:
  void Build() {
    if (one_pool_) {
      world_.AddPool("n-devices", "n", {"a", "b", "c", "d"});
      AddPods(/*with_memory=*/false);
      return;
    }
    for (const char* node : {"n", "m"}) {
      world_.AddPool(fmt::format("{}-devices", node), node, {"a", "b"});
      world_.AddPool(fmt::format("{}-more", node), node, {"c"});
      world_.AddCountPool(fmt::format("{}-count", node), node, 2);
      world_.AddSharedPool(fmt::format("{}-shared", node), node);
    }
    AddPods(/*with_memory=*/true);
  }

  void AddPods(bool with_memory) {
    world_.AddClaim("shared", 1);
    world_.AddMemoryClaim("memory", "5Gi");
    world_.AddMemoryClaim("more-memory", "4Gi");
    for (int i = 0; i < kPods; ++i) {
      const std::string own = fmt::format("claim-{}", i);
      world_.AddClaim(own, 1 + i % 3);
      std::vector<std::string> claims = {own};
      if (i % 3 == 1) claims.push_back("shared");
      if (i == 2 && with_memory) claims.push_back("memory");
      if (i == 5 && with_memory) claims.push_back("more-memory");
      world_.AddPod(fmt::format("pod-{}", i), claims);
    }
  }

  // What dies stays where it is, since it may be in the middle of a call.
  Process* Start() {
    constexpr int64_t kMost = testing::kMostAhead.count();
    const int64_t ahead = clocks_differ_ ? Below(random_, 2 * kMost + 1) - kMost : 0;
    all_.push_back(std::make_unique<Process>(
        fmt::format("process-{}", all_.size()), &world_, &random_, &faults_, &late_,
        [this] { ActBetween(); }, std::chrono::seconds(ahead)));
    return all_.back().get();
  }

  Process& AnyProcess() {
    Process*& process = processes_.at(static_cast<size_t>(Below(random_, 2)));
    if (process->is_dead()) process = Start();
    return *process;
  }

  std::string AnyPod() { return fmt::format("pod-{}", Below(random_, kPods)); }
  // Of its pod alone, or shared.
  std::string AnyClaim() {
    constexpr const char* kShared[] = {"shared", "memory", "more-memory"};
    if (OneIn(random_, 3)) return kShared[Below(random_, 3)];
    return fmt::format("claim-{}", Below(random_, kPods));
  }
  std::string AnyNode() { return one_pool_ || OneIn(random_, 2) ? "n" : "m"; }

  void ActBetween() {
    if (depth_ >= kDeepest) return;
    ++depth_;
    for (int64_t acts = 1 + Below(random_, 3); acts > 0; --acts) Act();
    --depth_;
  }

  void Act() {
    const int64_t what = Below(random_, 20);
    if (what < 8) {
      BindAny();
    } else if (what < 12) {
      Process& process = AnyProcess();
      if (OneIn(random_, 2)) process.Refresh();
      process.Keep();
    } else if (what < 14) {
      AnyProcess().Refresh();
    } else if (what < 16) {
      world_.now += std::chrono::seconds(Below(random_, 50));
    } else if (what < 17) {
      ArriveLate(/*all=*/false);
    } else {
      Disturb();
    }
    judge_.LookAt();
  }

  void BindAny() {
    const std::string name = AnyPod();
    const auto pod = world_.pods.find(name);
    if (pod == world_.pods.end() || pod->second.finished) return;
    // A scheduler that does not know yet that a pod is bound, or that has lost its mind.
    const std::string bound_to = pod->second.node;
    if (!bound_to.empty() && !OneIn(random_, 3)) return;
    // Pods of a scheduler are bound one call at a time.
    if (!binding_.insert(name).second) return;
    AnyProcess().BindPod(name, bound_to.empty() || OneIn(random_, 3) ? AnyNode() : bound_to);
    binding_.erase(name);
  }

  // What users do.
  void Disturb() {
    const std::string name = AnyPod();
    const auto pod = world_.pods.find(name);
    if (pools_change_ && OneIn(random_, 3)) return ChangePool();
    if (claims_change_ && OneIn(random_, 2)) return EditClaim();
    switch (Below(random_, 5)) {
      case 0:
        if (pod != world_.pods.end()) pod->second.finished = true;
        break;
      case 1:
        world_.pods.erase(name);
        break;
      case 2: {
        const std::string claim = AnyClaim();
        judge_.IsDeleted(claim);
        world_.api.Delete(kClaimKind, "ns", claim);
        break;
      }
      case 3: {
        auto claim =
            world_.api.Get(kClaimKind, "ns", fmt::format("claim-{}", Below(random_, kPods)));
        if (!claim.has_value()) break;
        (*claim)["metadata"]["annotations"]["touched"] = std::to_string(Below(random_, 1000));
        world_.api.Put(kClaimKind, *claim);
        break;
      }
      default:  // past the agent
        if (pod != world_.pods.end() && !pod->second.finished) (void)world_.Bind(name, AnyNode());
        break;
    }
  }

  // Another count or amount than what it has, or the other kind of request.
  void EditClaim() {
    auto claim = world_.api.Get(kClaimKind, "ns", AnyClaim());
    if (!claim.has_value()) return;
    if (OneIn(random_, 3)) {
      (*claim)["spec"] = {
          {"claims",
           {{{"deviceClass", "other"},
             {"requests", {{"memory", fmt::format("{}Gi", 1 + Below(random_, 8))}}}}}}};
    } else {
      (*claim)["spec"] = {{"deviceClass", "other"}, {"minDeviceCount", 1 + Below(random_, 3)}};
    }
    world_.api.Put(kClaimKind, *claim);
  }

  // What drivers do. Who looks for devices after that has seen the claims that there are.
  void ChangePool() {
    constexpr const char* kPools[] = {"devices", "more", "count", "shared"};
    const std::string pool =
        fmt::format("{}-{}", AnyNode(), kPools[one_pool_ ? 0 : Below(random_, 4)]);
    if (OneIn(random_, 3)) {
      judge_.Shrinks(pool);
      world_.ShrinkPool(pool);
      return;
    }
    judge_.IsMadeAgain(pool);
    world_.MakePoolAgain(pool);
    for (const auto& process : all_) process->Refresh();
  }

  void ArriveLate(bool all) {
    LateWrites arriving = std::exchange(late_, {});
    for (auto& write : arriving) {
      if (all || OneIn(random_, 2)) {
        write();
      } else {
        late_.push_back(std::move(write));
      }
    }
  }

  // Time passes, and a new process keeps on until nothing more happens.
  void Settle() {
    // Of the clocks one may be ahead and the other one late.
    constexpr int kIdle = 1 + (60 + 2 * static_cast<int>(testing::kMostAhead.count())) / 61;
    Process& process = *Start();
    for (int i = 0; i < 40; ++i) {
      world_.now += std::chrono::seconds(61);
      process.Refresh();
      const size_t before = world_.api.Writes().size();
      process.Keep();
      if (world_.api.Writes().size() == before && i > kIdle) return;
    }
    ADD_FAILURE() << "the custodian does not come to rest";
  }

  World world_;
  Random random_;
  Faults faults_;
  LateWrites late_;
  Judge judge_;
  std::vector<std::unique_ptr<Process>> all_;
  std::vector<Process*> processes_ = {nullptr, nullptr};
  std::set<std::string> binding_;
  int depth_ = 0;
  // Also after the last fault.
  const bool clocks_differ_;
  const bool pools_change_;
  const bool one_pool_;
  const bool claims_change_;
};

struct Kind {
  const char* name;
  Faults faults;
  int share = 1;  // of rounds; 0: few in a short run
};

// An eighth of kinds that are much like others, unless there is time for a long run.
int RoundsOf(const Kind& kind) {
  if (kind.share > 0) return kind.share * DEVICE_ROUNDS;
  return DEVICE_ROUNDS < 1000 ? DEVICE_ROUNDS / 8 : DEVICE_ROUNDS;
}

class FaultRounds : public ::testing::TestWithParam<Kind> {};

TEST_P(FaultRounds, EndInOrder) {
  for (int seed = 0; seed < RoundsOf(GetParam()); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Round round(static_cast<uint64_t>(seed), GetParam().faults);
    round.Run();
    ASSERT_THAT(round.faults(), IsEmpty()) << round.Writes();
    round.ExpectAllFreeOnceAllPodsHaveEnded();
    ASSERT_FALSE(HasFailure());
  }
}

Faults Make(const std::function<void(Faults*)>& set) {
  Faults faults;
  set(&faults);
  return faults;
}

const Kind kKinds[] = {
    {"None", {}},
    {"TwoAtOnce", Make([](Faults* f) { f->interleave = 2; })},
    {"KilledAfterEachWrite", Make([](Faults* f) {
       f->kill_after = 4;
       f->kill_before = 20;
       f->interleave = 4;
     })},
    {"Refused", Make([](Faults* f) {
       f->conflict = 4;
       f->busy = 8;
       f->broken_before = 8;
     })},
    {"NoAnswer", Make([](Faults* f) {
       f->lost = 4;
       f->broken_after = 6;
       f->unreadable = 10;
       f->interleave = 4;
     })},
    {"Late", Make([](Faults* f) {
       f->late = 4;
       f->interleave = 4;
       f->kill_after = 30;
     })},
    {"Clocks", Make([](Faults* f) {
       f->clocks_differ = true;
       f->lost = 6;
       f->late = 8;
       f->interleave = 3;
     })},
    {"Abandoned", Make([](Faults* f) {
       f->abandoned = 3;
       f->lost = 6;
       f->late = 8;
       f->conflict = 8;
       f->interleave = 4;
     })},
    {"Pools", Make([](Faults* f) {
       f->pools_change = true;
       f->conflict = 8;
       f->interleave = 3;
     })},
    {"PoolsAndDeaths", Make([](Faults* f) {
       f->pools_change = true;
       f->clocks_differ = true;
       f->kill_after = 8;
       f->lost = 8;
       f->late = 10;
       f->interleave = 3;
     })},
    {"PoolsUnderLoad", Make([](Faults* f) {
       f->pools_change = true;
       f->interleave = 1;
       f->conflict = 5;
       f->kill_after = 20;
     }),
     0},
    {"TwoSchedulersOfOnePool", Make([](Faults* f) {
       f->one_pool = true;
       f->interleave = 1;
       f->kill_after = 12;
       f->lost = 10;
       f->late = 12;
     }),
     0},
    {"OnePoolMadeAgain", Make([](Faults* f) {
       f->one_pool = true;
       f->pools_change = true;
       f->interleave = 2;
       f->conflict = 10;
       f->lost = 10;
     }),
     0},
    {"ClaimsEdited", Make([](Faults* f) {
       f->claims_change = true;
       f->interleave = 3;
       f->conflict = 10;
       f->kill_after = 15;
       f->lost = 10;
     }),
     0},
    {"ClaimsEditedAndPoolsMadeAgain", Make([](Faults* f) {
       f->claims_change = true;
       f->pools_change = true;
       f->clocks_differ = true;
       f->interleave = 3;
       f->late = 10;
       f->kill_after = 15;
     }),
     0},
    {"All", Make([](Faults* f) {
       f->conflict = 15;
       f->busy = 20;
       f->broken_before = 15;
       f->broken_after = 15;
       f->lost = 10;
       f->late = 10;
       f->kill_before = 30;
       f->kill_after = 20;
       f->unreadable = 30;
       f->interleave = 3;
       f->abandoned = 10;
       f->clocks_differ = true;
     }),
     3},
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultRounds, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace outrigger::devices
