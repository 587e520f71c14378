#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fake_objects.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/replace/passage.h"
#include "penalty/classes/replacement.h"

// What the tests of replacements share: one class, its account, and processes that die.

namespace outrigger::penalty {

inline constexpr const char* kClassName = "batch";
inline constexpr int64_t kBase = 1000;
inline constexpr int64_t kTarget = 500;

/// A class with all that has to survive.
PriorityClass Batch();

/// DELETE, then CREATE: one thread, the same each time.
void RunInTurns(const SwapCalls& calls);
/// CREATE once before DELETE, as if it had been quicker.
void RunCreateFirst(const SwapCalls& calls);

/// A process that replaces classes and keeps the account of each in a ConfigMap, through calls that
/// can fail.
class TestProcess {
 public:
  explicit TestProcess(testing::FakeObjects* server, std::string name = "a",
                       std::function<void(const SwapCalls&)> run_swap = RunInTurns);

  absl::StatusOr<Replacement> Replace(int64_t target, int64_t base = kBase);
  absl::StatusOr<Replacement> Restore(int64_t base = kBase);
  std::vector<Replacer::Recovered> Recover() { return replacer_->Recover(term_.get_token()); }
  bool HasOpenIntents() const { return replacer_->HasOpenIntents(); }
  void EndTerm() { term_.request_stop(); }
  testing::FakeObjects::Client* client() { return client_.get(); }
  const std::vector<Replacement>& accounted() const { return accounted_; }

  std::optional<int64_t> written;  // ReplaceRequest::written of what follows
  Millis now = 1'000;

 private:
  absl::Status Account(const Replacement& replacement);

  std::unique_ptr<testing::FakeObjects::Client> client_;
  std::stop_source term_;
  std::unique_ptr<Replacer> replacer_;
  std::vector<Replacement> accounted_;
  std::chrono::steady_clock::time_point steady_;
  int64_t epoch_ = 0;
};

/// What can go wrong with a call.
enum class Fault : uint8_t {
  kDeathBefore,
  kDeathAfter,
  kConflict,
  kForbidden,
  kTooMany,
  kInternal,
  kTimeOutAfterSuccess,
  kLate,  // it is performed by FakeObjects::DeliverLate()
};
inline constexpr int kFaults = 8;
testing::CallFate FaultyFate(Fault fault, const testing::ObjectCall& call);
/// "death before", "409".
const char* FaultName(Fault fault);

/// The value that the account has of the class; nothing: no account.
std::optional<int64_t> AccountedValue(const testing::FakeObjects& server);
/// How many ConfigMaps with intents there are.
size_t Intents(const testing::FakeObjects& server);

/// What is wrong with the class: it is not there, has a value other than `values`, or has lost
/// something else that Batch() has. Empty: nothing.
std::string WrongWithClass(const testing::FakeObjects& server, const std::vector<int64_t>& values,
                           const PriorityClass& expected = Batch());

}  // namespace outrigger::penalty
