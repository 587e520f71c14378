#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/replace/replace_testing.h"
#include "penalty/classes/replacement.h"

// One replacement, with every fault at every call, and with every pair of them: the first process
// replaces, loses the Lease if a request of it is late, and others recover. Faults count the calls
// of all of them.

namespace outrigger::penalty {
namespace {

using outrigger::testing::CallFate;
using outrigger::testing::FakeObjects;
using outrigger::testing::ObjectCall;

struct Planned {
  int call = 0;  // from 1, of all calls
  Fault fault = Fault::kDeathBefore;
};

struct Scene {
  std::vector<Planned> faults;
  int arrival = 0;  // late requests arrive right before that call; 0: after the recovery
  bool create_first = false;
  int64_t target = kTarget;  // from kBase; kBase: from kTarget
};

struct Report {
  std::string wrong;               // empty: nothing
  std::vector<std::string> calls;  // all that were sent
  bool was_hit = false;            // the last fault of the plan met a call
  bool was_late = false;
};

class World {
 public:
  explicit World(const Scene& run) : scene_(run) {
    server_.SetOwner("owner-1", true);
    server_.Put(Batch());
    if (run.target == kBase) {
      TestProcess before(&server_, "before");
      EXPECT_TRUE(before.Replace(kTarget).ok());
    }
    server_.OnCall([this](const ObjectCall& call) { return OnCall(call); });
  }

  Report Play() {
    TestProcess first(&server_, "first", scene_.create_first ? RunCreateFirst : RunInTurns);
    acting_ = &first;
    first.Recover();
    if (first.Replace(scene_.target).ok() && first.HasOpenIntents()) first.Recover();
    for (int i = 0; i < 5; ++i) {
      TestProcess next(&server_, fmt::format("next-{}", i));
      acting_ = &next;
      next.Recover();
      if (!next.client()->is_dead() && !next.HasOpenIntents()) break;
    }
    server_.OnCall(nullptr);
    report_.was_late = report_.was_late || server_.late_calls() > 0;
    server_.DeliverLate();
    TestProcess last(&server_, "last");
    last.Recover();
    Judge(last.HasOpenIntents());
    return std::move(report_);
  }

 private:
  CallFate OnCall(const ObjectCall& call) {
    report_.calls.push_back(fmt::format("{}: {}", call.client, call.Text()));
    const int number = static_cast<int>(report_.calls.size());
    if (number == scene_.arrival) report_.was_late = server_.DeliverLate() > 0;
    for (const Planned& planned : scene_.faults) {
      if (planned.call != number) continue;
      report_.calls.back() += fmt::format(" [{}]", FaultName(planned.fault));
      if (planned.call == scene_.faults.back().call) report_.was_hit = true;
      if (planned.fault == Fault::kLate) acting_->EndTerm();
      return FaultyFate(planned.fault, call);
    }
    return CallFate::Done();
  }

  void Judge(bool has_open_intents) {
    report_.wrong = WrongWithClass(server_, {kBase, kTarget});
    if (has_open_intents || Intents(server_) > 0) report_.wrong += "; an intent is left";
    const auto there = server_.Find(kClassName);
    const int64_t accounted =
        AccountedValue(server_).value_or(scene_.target == kBase ? kTarget : kBase);
    if (there && there->value != accounted) {
      report_.wrong += fmt::format("; the account has {}, the class {}", accounted, there->value);
    }
  }

  const Scene scene_;
  FakeObjects server_;
  TestProcess* acting_ = nullptr;
  Report report_;
};

std::string TextOf(const Scene& run, const Report& report) {
  std::string text =
      fmt::format("{} (target {}, {}, late arrival before call {})", report.wrong, run.target,
                  run.create_first ? "CREATE first" : "DELETE first", run.arrival);
  for (size_t i = 0; i < report.calls.size(); ++i) {
    text += fmt::format("\n  {:2} {}", i + 1, report.calls[i]);
  }
  return text;
}

// Plays a run, at each arrival of what is late; returns how many were played.
class Sweep {
 public:
  // Returns false if the last fault met no call.
  bool Play(Scene run) {
    const Report report = Once(run);
    if (!report.was_hit) return false;
    if (!report.was_late) return true;
    const int first = run.faults.front().call + 1;
    const int last = static_cast<int>(report.calls.size());
    for (run.arrival = first; run.arrival <= last; ++run.arrival) Once(run);
    return true;
  }
  int runs() const { return runs_; }
  int failures() const { return failures_; }

 private:
  Report Once(const Scene& run) {
    ++runs_;
    Report report = World(run).Play();
    if (!report.wrong.empty() && ++failures_ <= 3) ADD_FAILURE() << TextOf(run, report);
    return report;
  }
  int runs_ = 0;
  int failures_ = 0;
};

// The calls of one replacement without faults: reads of empty slots but the first are all alike,
// and left out.
std::vector<int> CallsThatDiffer(const Scene& run) {
  const Report report = World(run).Play();
  EXPECT_EQ(report.wrong, "");
  std::vector<int> calls;
  for (size_t i = 0; i < report.calls.size(); ++i) {
    const std::string& text = report.calls[i];
    const bool is_slot = text.find("get ConfigMap outrigger-penalty-intent-") != std::string::npos;
    if (!is_slot || text.ends_with("-0")) calls.push_back(static_cast<int>(i) + 1);
  }
  return calls;
}

const std::vector<Scene>& Kinds() {
  static const std::vector<Scene> kKinds = {
      {},
      {.faults = {}, .arrival = 0, .create_first = true},
      {.faults = {}, .arrival = 0, .create_first = false, .target = kBase}};
  return kKinds;
}

TEST(ReplaceFaultsTest, EveryFaultAtEveryCall) {
  Sweep sweep;
  for (Scene run : Kinds()) {
    const size_t calls = World(run).Play().calls.size();
    ASSERT_GE(calls, 18U);
    for (size_t call = 1; call <= calls; ++call) {
      for (int fault = 0; fault < kFaults; ++fault) {
        run.faults = {{static_cast<int>(call), static_cast<Fault>(fault)}};
        EXPECT_TRUE(sweep.Play(run));
      }
    }
  }
  EXPECT_EQ(sweep.failures(), 0);
  RecordProperty("runs", sweep.runs());
}

// Of all pairs every which one is tried: all, but for sanitizers.
int PairStep() {
  const char* const step = std::getenv("OUTRIGGER_REPLACE_PAIR_STEP");
  return step == nullptr ? 1 : std::max(1, std::atoi(step));
}

TEST(ReplaceFaultsTest, EveryPairOfFaults) {
  Sweep sweep;
  const int step = PairStep();
  int pairs = 0;
  // The other kinds differ by few calls, and take a minute.
  const size_t kinds = std::getenv("OUTRIGGER_ALL_PAIRS") == nullptr ? 1 : Kinds().size();
  for (Scene run :
       std::vector<Scene>(Kinds().begin(), Kinds().begin() + static_cast<std::ptrdiff_t>(kinds))) {
    const std::vector<int> firsts = CallsThatDiffer(run);
    for (const int first : firsts) {
      for (int fault = 0; fault < kFaults; ++fault) {
        run.faults = {{first, static_cast<Fault>(fault)}};
        const Report alone = World(run).Play();
        // The second at each call that differs of what follows upon the first.
        for (int second = first + 1; second <= static_cast<int>(alone.calls.size()); ++second) {
          const std::string& text = alone.calls[static_cast<size_t>(second) - 1];
          if (text.find("get ConfigMap outrigger-penalty-intent-") != std::string::npos &&
              !text.ends_with("-0")) {
            continue;
          }
          for (int other = 0; other < kFaults; ++other) {
            if (++pairs % step != 0) continue;
            run.faults = {{first, static_cast<Fault>(fault)}, {second, static_cast<Fault>(other)}};
            sweep.Play(run);
          }
        }
      }
    }
  }
  EXPECT_EQ(sweep.failures(), 0);
  EXPECT_GT(sweep.runs(), 10'000 / step);
  RecordProperty("runs", sweep.runs());
}

}  // namespace
}  // namespace outrigger::penalty
