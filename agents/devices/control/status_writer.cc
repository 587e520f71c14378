#include "control/status_writer.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fmt/format.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {

/// What is to be said of a claim without devices.
struct ClaimJudgement {
  ClaimState state = ClaimState::kPending;  ///< or kInvalid: its spec must change
  std::string message;                      ///< empty: nothing is in its way
  /// What to say all the same: devices on which its constraints fail. It changes with the pools.
  std::string note = {};
  friend bool operator==(const ClaimJudgement&, const ClaimJudgement&) = default;
};

namespace {

/// What is to be said of a class.
struct ClassJudgement {
  bool ready = false;
  std::string reason;  ///< "DriverFound", "PoolsFound", "NoDriver", "Invalid"
  std::string message;
  std::vector<std::string> drivers;
};

bool HasClassOfType(const Contents& contents, const std::string& type) {
  bool has = false;
  contents.classes().ForEach([&](const std::string&, const auto& of) {
    has = has || (of->of.device_type == type && !of->of.admin_access);
  });
  return has;
}

// A class that the claim names and that may come; empty: all are there.
std::string MissingOf(const Contents& contents, const Claim& claim) {
  for (const Request& request : claim.requests) {
    for (const Detail& detail : request.details) {
      const std::string& name = detail.device_class;
      if (!name.empty() && contents.FindClass(name) == nullptr) {
        return fmt::format("there is no DeviceClass \"{}\"", name);
      }
      const std::string& type = detail.device_type;
      if (name.empty() && !type.empty() && !HasClassOfType(contents, type)) {
        return fmt::format("there is no DeviceClass of type \"{}\"", type);
      }
    }
  }
  return {};
}

// A class with a driver needs no DeviceDriver: pools are enough.
ClassJudgement JudgeNamed(const Contents& contents, const std::string& driver) {
  if (contents.drivers().contains(driver)) return {true, "DriverFound", "", {driver}};
  const std::string missing = fmt::format("there is no DeviceDriver \"{}\"", driver);
  if (contents.HasPoolsOf(driver)) {
    return {true, "PoolsFound", fmt::format("{}, but pools of it", missing), {driver}};
  }
  return {false, "NoDriver", fmt::format("{}, and no DevicePool of it", missing), {}};
}

std::vector<std::string> DriversOfType(const Contents& contents, const Class& of) {
  std::vector<std::string> names;
  for (const auto& [name, driver] : contents.drivers()) {
    const std::vector<std::string>& types = driver.device_types;
    if (std::find(types.begin(), types.end(), of.device_type) != types.end()) names.push_back(name);
  }
  return names;
}

// Pending: expressions are to be compiled first, or evaluated, where no lock is held.
std::variant<ClaimJudgement, Pending> JudgeClaim(const Contents& contents,
                                                 const Allocator& allocator,
                                                 const ClaimObject& claim) {
  const absl::Status itself = CheckClaim(claim.claim);
  if (!itself.ok()) return ClaimJudgement{ClaimState::kInvalid, std::string(itself.message())};
  std::string missing = MissingOf(contents, claim.claim);
  if (missing.empty()) missing = contents.AdminAccessFault(claim);
  if (!missing.empty()) return ClaimJudgement{ClaimState::kPending, std::move(missing)};
  const Claim* const claims[] = {&claim.claim};
  auto checked = allocator.TryCheck(contents.inventory(), claims);
  if (auto* pending = std::get_if<Pending>(&checked)) return std::move(*pending);
  const auto& invalid = std::get<std::vector<InvalidClaim>>(checked);
  if (!invalid.empty()) return ClaimJudgement{ClaimState::kInvalid, invalid.front().fault};
  auto resolved = allocator.TryResolve(contents.inventory(), claims);
  if (auto* pending = std::get_if<Pending>(&resolved)) return std::move(*pending);
  const Demand& demand = std::get<Demand>(resolved);
  // To evaluate its constraints costs too much.
  if (!demand.invalid().empty()) {
    return ClaimJudgement{ClaimState::kInvalid, demand.invalid().front().fault};
  }
  return ClaimJudgement{ClaimState::kPending, "", DescribeFailures(contents.inventory(), demand)};
}

ClassJudgement JudgeClass(const Contents& contents, const Selectors& selectors, const Class& of) {
  const auto invalid = [](const absl::Status& fault) {
    return ClassJudgement{false, "Invalid", std::string(fault.message()), {}};
  };
  const absl::Status itself = CheckClass(of);
  if (!itself.ok()) return invalid(itself);
  if (!of.constraints.empty()) {
    const auto compiled = selectors.Compile(of.constraints, Environment::kPrototype);
    if (!compiled.ok()) return invalid(compiled.status());
  }
  if (!of.driver.empty()) return JudgeNamed(contents, of.driver);
  std::vector<std::string> drivers = DriversOfType(contents, of);
  if (drivers.empty()) {
    return {
        false, "NoDriver", fmt::format("no DeviceDriver has the type \"{}\"", of.device_type), {}};
  }
  return {true, "DriverFound", "", std::move(drivers)};
}

// Most claims are allocated at once: a status before that would be one write more, and in the way
// of the allocation.
constexpr std::chrono::seconds kSettling{1};
constexpr std::chrono::seconds kRetry{2};
constexpr std::chrono::seconds kJudging{1};  // of claims, in one round: custody waits meanwhile
constexpr std::chrono::seconds kConfigs{30};
constexpr std::chrono::seconds kNotes{30};
constexpr std::chrono::seconds kReading{3};  // of configs in one round: the custodian waits
constexpr std::chrono::seconds kCall{10};
constexpr size_t kMostWrites = 200;  // of one round, so that the others of this thread get a turn

const std::string& MessageOf(const ClaimJudgement& judged) {
  return judged.message.empty() ? judged.note : judged.message;
}

bool IsSaid(const ClaimObject& claim, const ClaimJudgement& judged, const std::string& text) {
  return claim.state == judged.state && claim.message == MessageOf(judged) &&
         claim.class_text == text && claim.observed_generation == claim.version.generation;
}

bool IsSaid(const ClassObject& of, const ClassJudgement& judged) {
  return of.ready == judged.ready && of.ready_reason == judged.reason &&
         of.ready_message == judged.message && of.drivers == judged.drivers;
}

}  // namespace

void StatusWriter::DueIn(Clock::Duration time) {
  due_ = due_.has_value() ? std::min(*due_, time) : time;
}

StatusWriter::Seen* StatusWriter::Look(const std::string& key, const ObjectVersion& version,
                                       uint64_t class_epoch, SeenObjects* objects) {
  Seen& seen = (*objects)[key];
  seen.round = round_;
  if (seen.uid != version.uid) {
    seen = {};
    seen.since = terms_.clock.now();
    seen.round = round_;
  }
  const bool is_same = seen.uid == version.uid &&
                       seen.resource_version == version.resource_version &&
                       seen.class_epoch == class_epoch;
  const bool is_known = is_same && seen.is_settled;
  if (!is_same) seen.configs_due = seen.note_due = {};
  seen.uid = version.uid;
  seen.resource_version = version.resource_version;
  seen.class_epoch = class_epoch;
  seen.is_settled = is_known;
  return is_known ? nullptr : &seen;
}

void StatusWriter::AddClaim(const Contents& contents, const std::string& name,
                            const std::shared_ptr<const ClaimObject>& claim) {
  const size_t table = claim->privileged ? 1 : 0;
  if (claim->state == ClaimState::kAllocated || !claim->claim.allocations.empty() ||
      claim->version.deleting || !contents.HeldBy(name).empty()) {
    claims_[table].erase(name);
    return;
  }
  Seen* seen = Look(name, claim->version, contents.class_epoch(), &claims_[table]);
  if (seen == nullptr) return;
  const Clock::Duration age = terms_.clock.now() - seen->since;
  if (age < kSettling) return DueIn(kSettling - age);
  unjudged_.push_back({claim, seen});
}

std::optional<ClaimJudgement> StatusWriter::Judge(const ClaimObject& claim,
                                                  const std::stop_token& stop,
                                                  ConfigNames* configs) {
  // Expressions are compiled, then evaluated.
  for (int found_out = 0;; ++found_out) {
    std::variant<ClaimJudgement, Pending> judged;
    store_.Look([&](const Contents& contents) {
      judged = JudgeClaim(contents, allocator_, claim);
      const auto* said = std::get_if<ClaimJudgement>(&judged);
      if (said != nullptr && said->message.empty()) *configs = ConfigNamesOf(contents, claim, {});
    });
    if (auto* said = std::get_if<ClaimJudgement>(&judged)) return std::move(*said);
    if (found_out == 2 || !allocator_.FindOut(std::get<Pending>(judged), stop).ok()) return {};
  }
}

// One by one: what one namespace writes holds up no other.
void StatusWriter::JudgeClaims(const std::stop_token& stop, std::vector<Job>* jobs) {
  const Clock::TimePoint until = terms_.clock.now() + kJudging;
  for (const Unjudged& one : std::exchange(unjudged_, {})) {
    const ClaimObject& claim = *one.claim;
    const Clock::TimePoint now = terms_.clock.now();
    if (now >= until) {
      DueIn(kRetry);
      break;
    }
    if (now < one.seen->note_due) {
      DueIn(one.seen->note_due - now);
      continue;
    }
    ConfigNames configs;
    const std::optional<ClaimJudgement> judged = Judge(claim, stop, &configs);
    if (!judged.has_value()) {  // later, then
      DueIn(kRetry);
      continue;
    }
    if (configs.empty()) {
      Say(claim, *judged, one.seen, jobs);
      if (!judged->note.empty()) JudgeAgain(one.seen);
      continue;
    }
    if (now < one.seen->configs_due) {
      DueIn(one.seen->configs_due - now);
      continue;
    }
    one.seen->configs_due = now + kConfigs;
    configured_.push_back({claim, std::move(configs), judged->note, one.seen});
  }
}

// Pools change, which is no reason to look at all claims.
void StatusWriter::JudgeAgain(Seen* seen) {
  seen->is_settled = false;
  seen->note_due = terms_.clock.now() + kNotes;
  DueIn(kNotes);
}

void StatusWriter::Say(const ClaimObject& claim, const ClaimJudgement& judged, Seen* seen,
                       std::vector<Job>* jobs) {
  ClaimStatus status;
  status.state = judged.state;
  status.class_text = ClassText(claim.claim);
  status.message = MessageOf(judged);
  status.observed_generation = claim.version.generation;
  if (IsSaid(claim, judged, status.class_text)) {
    seen->is_settled = true;
    return;
  }
  Job job{claim.privileged ? &kPrivilegedClaimKind : &kClaimKind,
          claim.claim.namespace_,
          claim.claim.name,
          claim.version,
          ClaimStatusPatch(status),
          "",
          status.message};
  if (!status.message.empty()) {
    job.event = judged.state == ClaimState::kInvalid ? "ClaimInvalid" : "ClaimWaits";
  }
  jobs->push_back(std::move(job));
}

// What is missing may come, which no watch says.
void StatusWriter::CheckConfigs(const std::stop_token& stop, std::vector<Job>* jobs) {
  ConfigReader reader(terms_.api,
                      CallBudget({.timeout = kReading, .stop = stop}, terms_.clock.now));
  for (const Configured& one : configured_) {
    if (stop.stop_requested()) break;
    one.seen->is_settled = false;
    if (reader.IsOver()) {
      one.seen->configs_due = {};  // those before it have theirs later
      DueIn(kRetry);
      continue;
    }
    const absl::Status fault = reader.Read(one.configs).status();
    if (fault.ok() || absl::IsFailedPrecondition(fault)) {
      Say(one.claim, {ClaimState::kPending, std::string(fault.message()), one.note}, one.seen,
          jobs);
    }
    one.seen->is_settled = false;
    DueIn(kConfigs);
  }
  configured_.clear();
}

void StatusWriter::AddClass(const Contents& contents, const ClassObject& of,
                            std::vector<Job>* jobs) {
  Seen* seen = Look(of.of.name, of.version, contents.class_epoch(), &classes_);
  if (seen == nullptr) return;
  const ClassJudgement judged = JudgeClass(contents, selectors_, of.of);
  if (IsSaid(of, judged)) {
    seen->is_settled = true;
    return;
  }
  const std::string patch = ClassStatusPatch(of, judged.ready, judged.reason, judged.message,
                                             judged.drivers, terms_.clock.wall());
  jobs->push_back({&kClassKind, "", of.of.name, of.version, patch,
                   judged.reason == "Invalid" ? "ClassInvalid" : "", judged.message});
}

void StatusWriter::AddPool(const PoolObject& pool, std::vector<Job>* jobs) {
  Seen* seen = Look(pool.pool.name, pool.version, 0, &pools_);
  if (seen == nullptr) return;
  const PoolTotals totals = TotalsOf(pool, pool.entries);
  if (pool.total == totals.total && pool.free == totals.free) {
    seen->is_settled = true;
    return;
  }
  jobs->push_back(
      {&kPoolKind, "", pool.pool.name, pool.version, PoolStatusPatch(pool, pool.entries), "", ""});
}

void StatusWriter::Collect(const Contents& contents, std::vector<Job>* jobs) {
  contents.classes().ForEach(
      [&](const std::string&, const auto& of) { AddClass(contents, *of, jobs); });
  contents.pools().ForEach([&](const std::string&, const auto& pool) { AddPool(*pool, jobs); });
  for (const bool privileged : {false, true}) {
    contents.claims(privileged).ForEach([&](const std::string& name, const auto& claim) {
      AddClaim(contents, name, claim);
    });
  }
  for (SeenObjects* objects : {&claims_[0], &claims_[1], &classes_, &pools_}) {
    std::erase_if(*objects, [&](const auto& entry) { return entry.second.round != round_; });
  }
}

void StatusWriter::Learn(const Job& job, const std::string& json) {
  if (job.kind == &kPoolKind) {
    (void)store_.LearnPool(json);
  } else if (job.kind == &kClassKind) {
    (void)store_.LearnClass(json);
  } else {
    (void)store_.LearnClaim(json);
  }
}

void StatusWriter::Write(const Job& job, const std::stop_token& stop) {
  const auto written = terms_.api->PatchCustomStatus(
      *job.kind, {job.namespace_, job.name, job.version.uid, job.version.resource_version},
      job.patch, {.timeout = kCall, .stop = stop});
  if (!written.ok()) {
    // Another version is there, or none: the watch brings it.
    if (absl::IsAborted(written.status()) || absl::IsNotFound(written.status())) return;
    terms_.metrics->Add(metric::kStatusWrites, "failed", 1);
    failures_.Say(fmt::format("status of {} {}", job.kind->kind, job.name), written.status(),
                  terms_.clock.now());
    return DueIn(kRetry);
  }
  terms_.metrics->Add(metric::kStatusWrites, "written", 1);
  Learn(job, *written);
  if (job.event.empty()) return;
  ClusterEvent event;
  event.api_version = fmt::format("{}/{}", job.kind->group, job.kind->version);
  event.kind = job.kind->kind;
  event.namespace_ = job.namespace_;
  event.name = job.name;
  event.uid = job.version.uid;
  event.warning = true;
  event.reason = job.event;
  event.action = "Checking";
  event.note = job.note;
  terms_.cluster->Record(std::move(event));
}

std::optional<Clock::Duration> StatusWriter::Round(const std::stop_token& stop) {
  ++round_;
  due_.reset();
  std::vector<Job> jobs;
  store_.Look([&](const Contents& contents) { Collect(contents, &jobs); });
  JudgeClaims(stop, &jobs);
  CheckConfigs(stop, &jobs);
  for (size_t i = 0; i < jobs.size() && !stop.stop_requested(); ++i) {
    if (i == kMostWrites) {
      DueIn({});
      break;
    }
    Write(jobs[i], stop);
  }
  return due_;
}

}  // namespace outrigger::devices::agent
