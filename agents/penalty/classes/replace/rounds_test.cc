#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/replace/replace_testing.h"
#include "penalty/classes/replacement.h"

// Rounds of several replacements with faults at random, with people who edit, delete and apply the
// class in between, and with leaders that are deposed in the middle of a call: the call is sent
// when the next leader has already acted. Each round has its seed.

namespace outrigger::penalty {
namespace {

using outrigger::testing::CallFate;
using outrigger::testing::FakeObjects;
using outrigger::testing::ObjectCall;

class Round {
 public:
  Round(uint64_t seed, bool logs) : random_(seed), fault_percent_(Upto(4) * 4), logs_(logs) {
    server_.SetOwner("owner-1", true);
    server_.Put(Batch());
    server_.OnCall([this](const ObjectCall& call) { return OnCall(call); });
  }

  // Returns what is wrong at its end; empty: nothing.
  std::string Play() {
    for (int turn = 0; turn < 4; ++turn) Lead(/*depth=*/0);
    is_over_ = true;
    server_.DeliverLate();
    TestProcess last(&server_, "last");
    last.Recover();
    std::string wrong = Judge(values_);
    if (last.HasOpenIntents() || Intents(server_) > 0) wrong += "; an intent is left";
    if (!wrong.empty() || !server_.Find(kClassName)) return wrong;
    // And it can be brought back.
    const auto back = last.Replace(kBase);
    if (!back.ok()) return std::string(back.status().message());
    return Judge({kBase});
  }

  std::string Text() const {
    std::string text;
    for (const std::string& line : log_) text += "\n  " + line;
    return text;
  }

 private:
  template <typename... Args>
  void Log(fmt::format_string<Args...> format, Args&&... args) {
    if (logs_) log_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  int Upto(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool Happens(int percent) { return Upto(100) < percent; }

  // One term of a process, or two replacements of it.
  void Lead(int depth) {
    TestProcess leader(&server_, fmt::format("p{}", ++processes_),
                       Happens(50) ? RunInTurns : RunCreateFirst);
    TestProcess* const before = std::exchange(acting_, &leader);
    const int depth_before = std::exchange(depth_, depth);
    leader.Recover();
    for (int i = 0; i < 2; ++i) {
      const int64_t target = kBase - 100 * Upto(8);
      values_.push_back(target);
      const auto result = leader.Replace(target);
      log_.push_back(fmt::format(
          "# {} -> {}", target,
          result.ok() ? fmt::format("{} {}", static_cast<int>(result->outcome), result->message)
                      : result.status().ToString()));
    }
    acting_ = before;
    depth_ = depth_before;
  }

  CallFate OnCall(const ObjectCall& call) {
    if (is_over_) return CallFate::Done();
    if (logs_) Log("{}: {}", call.client, call.Text());
    if (Happens(3)) Act();
    if (Happens(3) && server_.DeliverLate() > 0) Log("# late requests arrive");
    if (depth_ < 2 && Happens(1)) {
      Log("# {} loses the Lease", call.client);
      acting_->EndTerm();
      Lead(depth_ + 1);
      Log("# {} goes on: {}", call.client, call.Text());
    }
    if (!Happens(fault_percent_)) return CallFate::Done();
    const Fault fault = static_cast<Fault>(Upto(kFaults));
    Log("# that call: {}", FaultName(fault));
    return FaultyFate(fault, call);
  }

  // A person, or a tool.
  void Act() {
    const int act = Upto(10);
    if (act == 0) {
      Log("# a person deletes the class");
      is_removed_ = server_.Remove(kClassName).ok() || is_removed_;
    } else if (act < 4) {
      Log("# a tool makes the class again, with its base");
      expected_ = Batch();
      expected_.managers = {"gitops"};
      server_.Put(expected_);
      is_removed_ = false;
    } else if (!IsStale()) {
      const std::string label = fmt::format("edit-{}", ++edits_);
      Log("# a person sets the label {}", label);
      const absl::Status edited = server_.Edit(kClassName, [&](PriorityClass* c) {
        c->labels.Set(label, "x");
        c->managers.emplace_back("kubectl-edit");
      });
      if (edited.ok()) expected_.labels.Set(label, "x");
    }
  }

  // Whether the class is one that a late CREATE has made in a gap, and that is about to be replaced
  // by what its intent has. What a person edits in that moment makes it look like another writer's.
  bool IsStale() const {
    const auto there = server_.Find(kClassName);
    return there && there->managers == std::vector<std::string>{"outrigger"} &&
           there->labels != expected_.labels;
  }

  std::string Judge(const std::vector<int64_t>& values) {
    const auto there = server_.Find(kClassName);
    if (!there) return is_removed_ ? "" : "the class is lost";
    // An intent that was under way when a person deleted the class has made it as it knew it.
    if (is_removed_) {
      expected_ = *there;
      expected_.annotations = AnnotationsAt(there->annotations, kBase, kBase);
    }
    std::string wrong = WrongWithClass(server_, values, expected_);
    // What a tool has made is the agent's to see, by its view.
    const bool is_of_tool = !there->managers.empty() && there->managers.front() == "gitops";
    const int64_t accounted = AccountedValue(server_).value_or(kBase);
    if (accounted != there->value && !is_of_tool && !is_removed_) {
      wrong += fmt::format("; the account has {}, the class {}", accounted, there->value);
    }
    return wrong;
  }

  std::mt19937_64 random_;
  const int fault_percent_;
  const bool logs_;
  FakeObjects server_;
  PriorityClass expected_ = Batch();
  std::vector<int64_t> values_ = {kBase};
  TestProcess* acting_ = nullptr;
  int depth_ = 0;
  int processes_ = 0;
  int edits_ = 0;
  bool is_removed_ = false;  // by a person
  bool is_over_ = false;
  std::vector<std::string> log_;
};

TEST(ReplaceRoundsTest, NothingIsLost) {
  const char* const text = std::getenv("OUTRIGGER_REPLACE_ROUNDS");
  const int rounds = text == nullptr ? 10'000 : std::atoi(text);
  int failures = 0;
  for (int seed = 1; seed <= rounds; ++seed) {
    if (Round(static_cast<uint64_t>(seed), /*logs=*/false).Play().empty()) continue;
    if (++failures > 3) continue;
    Round again(static_cast<uint64_t>(seed), /*logs=*/true);
    ADD_FAILURE() << "seed " << seed << ": " << again.Play() << again.Text();
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace outrigger::penalty
