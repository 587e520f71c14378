#include "penalty/classes/replace/replace_testing.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "penalty/classes/base_value.h"

namespace outrigger::penalty {
namespace {

constexpr const char* kNamespace = "kube-system";
constexpr const char* kAccounts = "outrigger-penalty-classes-0";

}  // namespace

PriorityClass Batch() {
  PriorityClass batch;
  batch.name = kClassName;
  batch.value = kBase;
  batch.preemption_policy = "Never";
  batch.description = "jobs of the night; \"quoted\"\nand more";
  batch.labels = {{"team", "a"}, {"tier", "low"}};
  batch.annotations = {{"example.com/note", "keep=me"}};
  batch.owners = {{"Tenant", "blue", "owner-1", "example.com/v1"}};
  batch.manifest = R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","future":[1,2]})";
  return batch;
}

void RunInTurns(const SwapCalls& calls) {
  calls.remove();
  while (!calls.create()) {
  }
}

void RunCreateFirst(const SwapCalls& calls) {
  const bool is_over = calls.create();
  calls.remove();
  while (!is_over && !calls.create()) {
  }
}

TestProcess::TestProcess(testing::FakeObjects* server, std::string name,
                         std::function<void(const SwapCalls&)> run_swap)
    : client_(server->Process(std::move(name))) {
  Replacer::Options options;
  options.clock.now = [this] { return steady_; };
  options.clock.sleep = [this](Clock::Duration time, const std::stop_token& stop) {
    steady_ += time;
    return !stop.stop_requested();
  };
  options.run_swap = std::move(run_swap);
  replacer_ = std::make_unique<Replacer>(
      client_.get(), client_.get(),
      [this](const Replacement& replacement) { return Account(replacement); }, options);
}

// As the agent does: one key a class, written by compare-and-swap.
absl::Status TestProcess::Account(const Replacement& replacement) {
  const CallLimits limits{.stop = term_.get_token()};
  absl::StatusOr<ConfigMap> map = client_->ReadConfigMap(kNamespace, kAccounts, limits);
  if (absl::IsNotFound(map.status())) {
    map = ConfigMap();
    map->namespace_ = kNamespace;
    map->name = kAccounts;
  }
  if (!map.ok()) return map.status();
  if (replacement.outcome == Replacement::Outcome::kAbsent) {
    map->data.erase(replacement.class_name);
  } else {
    map->data[replacement.class_name] = fmt::format("{} {}", replacement.value, replacement.base);
  }
  if (auto answer = client_->WriteConfigMap(*map, limits); !answer.ok()) return answer.status();
  accounted_.push_back(replacement);
  return absl::OkStatus();
}

absl::StatusOr<Replacement> TestProcess::Replace(int64_t target, int64_t base) {
  return replacer_->Replace({.class_name = kClassName,
                             .base = base,
                             .target = target,
                             .written = written,
                             .cause = "start default/job-1",
                             .epoch = ++epoch_,
                             .now = now},
                            term_.get_token());
}

absl::StatusOr<Replacement> TestProcess::Restore(int64_t base) {
  return replacer_->Restore({.class_name = kClassName,
                             .base = base,
                             .target = base,
                             .written = written,
                             .cause = "restore",
                             .epoch = ++epoch_,
                             .now = now},
                            term_.get_token());
}

const char* FaultName(Fault fault) {
  constexpr const char* kNames[] = {"death before", "death after", "409",      "403",
                                    "429",          "500",         "time-out", "late arrival"};
  return kNames[static_cast<size_t>(fault)];
}

testing::CallFate FaultyFate(Fault fault, const testing::ObjectCall& call) {
  using testing::CallFate;
  switch (fault) {
    case Fault::kDeathBefore:
      return CallFate::DieBefore();
    case Fault::kDeathAfter:
      return CallFate::DieAfter();
    case Fault::kConflict:
      return CallFate::FailBefore(call.verb == testing::ObjectCall::Verb::kCreate
                                      ? absl::AlreadyExistsError("409")
                                      : absl::AbortedError("409"));
    case Fault::kForbidden:
      return CallFate::FailBefore(absl::PermissionDeniedError("403"));
    case Fault::kTooMany:
      return CallFate::FailBefore(absl::ResourceExhaustedError("429"));
    case Fault::kInternal:
      return CallFate::FailBefore(absl::InternalError("500"));
    case Fault::kTimeOutAfterSuccess:
      return CallFate::FailAfter(absl::DeadlineExceededError("time-out"));
    case Fault::kLate:
      break;
  }
  return CallFate::Late();
}

std::optional<int64_t> AccountedValue(const testing::FakeObjects& server) {
  const auto map = server.FindMap(kNamespace, kAccounts);
  if (!map || !map->data.contains(kClassName)) return std::nullopt;
  return std::stoll(map->data.find(kClassName)->second);
}

size_t Intents(const testing::FakeObjects& server) {
  const std::vector<ConfigMap> maps = server.Maps();
  return static_cast<size_t>(std::count_if(maps.begin(), maps.end(), [](const ConfigMap& map) {
    return map.name.starts_with("outrigger-penalty-intent-");
  }));
}

std::string WrongWithClass(const testing::FakeObjects& server, const std::vector<int64_t>& values,
                           const PriorityClass& expected) {
  const std::optional<PriorityClass> there = server.Find(expected.name);
  if (!there) return "the class is lost";
  if (std::find(values.begin(), values.end(), there->value) == values.end()) {
    return fmt::format("the class has value {}", there->value);
  }
  if (there->annotations != AnnotationsAt(expected.annotations, kBase, there->value)) {
    return fmt::format("the annotations have changed: {}", there->manifest);
  }
  if (there->labels != expected.labels || there->owners != expected.owners ||
      there->description != expected.description ||
      there->preemption_policy != expected.preemption_policy || there->is_deleted ||
      there->global_default != expected.global_default) {
    return fmt::format("the class has changed: {}", there->manifest);
  }
  if (there->manifest.find(R"("future":[1,2])") == std::string::npos) {
    return fmt::format("a field that is not known was lost: {}", there->manifest);
  }
  return "";
}

}  // namespace outrigger::penalty
