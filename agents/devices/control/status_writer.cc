#include "control/status_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

// Most claims are allocated at once: a status before that would be one write more, and in the way
// of the allocation.
constexpr std::chrono::seconds kSettling{1};
constexpr std::chrono::seconds kRetry{2};
constexpr std::chrono::seconds kConfigs{30};
constexpr std::chrono::seconds kReading{3};  // of configs in one round: the custodian waits
constexpr std::chrono::seconds kCall{10};
constexpr size_t kMostWrites = 200;  // of one round, so that the others of this thread get a turn

bool IsSaid(const ClaimObject& claim, const ClaimJudgement& judged, const std::string& text) {
  return claim.state == judged.state && claim.message == judged.message &&
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
  if (!is_same) seen.configs_due = {};
  seen.uid = version.uid;
  seen.resource_version = version.resource_version;
  seen.class_epoch = class_epoch;
  seen.is_settled = is_known;
  return is_known ? nullptr : &seen;
}

void StatusWriter::AddClaim(const Contents& contents, const std::string& name,
                            const ClaimObject& claim, std::vector<Job>* jobs) {
  const size_t table = claim.privileged ? 1 : 0;
  if (claim.state == ClaimState::kAllocated || !claim.claim.allocations.empty() ||
      claim.version.deleting || !contents.HeldBy(name).empty()) {
    claims_[table].erase(name);
    return;
  }
  Seen* seen = Look(name, claim.version, contents.class_epoch(), &claims_[table]);
  if (seen == nullptr) return;
  const Clock::Duration age = terms_.clock.now() - seen->since;
  if (age < kSettling) return DueIn(kSettling - age);
  const ClaimJudgement judged = JudgeClaim(contents, allocator_, claim);
  ConfigNames configs;
  if (judged.message.empty()) configs = ConfigNamesOf(contents, claim, {});
  if (configs.empty()) return Say(claim, judged, seen, jobs);
  const Clock::TimePoint now = terms_.clock.now();
  if (now < seen->configs_due) return DueIn(seen->configs_due - now);
  seen->configs_due = now + kConfigs;
  configured_.push_back({claim, std::move(configs), seen});
}

void StatusWriter::Say(const ClaimObject& claim, const ClaimJudgement& judged, Seen* seen,
                       std::vector<Job>* jobs) {
  ClaimStatus status;
  status.state = judged.state;
  status.class_text = ClassText(claim.claim);
  status.message = judged.message;
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
          judged.message};
  if (!judged.message.empty()) {
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
      Say(one.claim, {ClaimState::kPending, std::string(fault.message())}, one.seen, jobs);
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
      AddClaim(contents, name, *claim, jobs);
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
