#include "stranded/dra_scorer.h"

#include <algorithm>
#include <chrono>

#include "devices/dra/reader.h"
#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

// What one call may spend: others wait for the lock so long.
constexpr int64_t kMostUnits = 20'000'000;
constexpr std::chrono::milliseconds kMostTime{300};
// Beyond these, one node alone may take long.
constexpr size_t kMostAsks = 64;
constexpr size_t kMostSelectors = 64;

bool IsLarge(const std::vector<dra::Claim>& claims) {
  size_t asks = 0;
  size_t selectors = 0;
  for (const dra::Claim& claim : claims) {
    for (const dra::Request& request : claim.requests) {
      asks += request.asks.size();
      for (const dra::Ask& ask : request.asks) selectors += ask.selectors.size();
    }
  }
  return asks > kMostAsks || selectors > kMostSelectors;
}

absl::Status TooCostly(const Pod& pod) {
  return absl::UnavailableError(
      fmt::format("the ResourceClaims of pod {}/{} cost more than the limit of one call",
                  pod.namespace_, pod.name));
}

}  // namespace

/// One kind.
class DraScorer::Sink final : public CustomObjectSink {
 public:
  using Upserted = absl::Status (DraScorer::*)(std::string_view json);
  Sink(DraScorer* owner, const CustomKind& kind, Upserted upsert)
      : owner_(*owner), kind_(kind), upsert_(upsert) {}

  const CustomKind& kind() const { return kind_; }
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return (owner_.*upsert_)(json);
  }
  void Remove(const CustomObjectName& object) override { owner_.Remove(kind_, object); }

 private:
  DraScorer& owner_;
  const CustomKind& kind_;
  const Upserted upsert_;
};

DraScorer::DraScorer(Weights weights, std::vector<std::string> groups,
                     std::function<Clock::TimePoint()> now)
    : weights_(weights), groups_(std::move(groups)), now_(std::move(now)) {
  // First: before 1.37 it is not served, which does not matter.
  sinks_.push_back(std::make_unique<Sink>(this, dra::kTaintRuleKind, &DraScorer::UpsertRule));
  sinks_.push_back(std::make_unique<Sink>(this, dra::kSliceKind, &DraScorer::UpsertSlice));
  sinks_.push_back(std::make_unique<Sink>(this, dra::kClassKind, &DraScorer::UpsertClass));
  sinks_.push_back(std::make_unique<Sink>(this, dra::kClaimKind, &DraScorer::UpsertClaim));
}

DraScorer::~DraScorer() {
  Stop();
}

void DraScorer::Follow(CustomObjectAccess* api) {
  const MutexLock lock(follow_mutex_);
  for (const auto& sink : sinks_) followed_.push_back(api->Follow(sink->kind(), sink.get()));
}

void DraScorer::Stop() {
  std::vector<std::unique_ptr<FollowedKind>> ended;  // without a lock
  const MutexLock lock(follow_mutex_);
  ended.swap(followed_);
}

absl::Status DraScorer::Usable() const {
  const MutexLock lock(follow_mutex_);
  if (followed_.empty()) return absl::UnavailableError("DRA devices are not listed yet");
  for (const auto& kind : followed_) {
    absl::Status usable = kind->Usable();
    const bool is_rule = kind == followed_.front();
    if (!usable.ok() && !(is_rule && absl::IsNotFound(usable))) return usable;
  }
  return absl::OkStatus();
}

absl::Status DraScorer::UpsertSlice(std::string_view json) {
  auto slice = dra::ParseSlice(json);
  if (!slice.ok()) return slice.status();
  const MutexLock lock(mutex_);
  slices_.insert_or_assign(slice->name, *slice);
  allocator_.reset();
  return absl::OkStatus();
}

absl::Status DraScorer::UpsertClass(std::string_view json) {
  auto of = dra::ParseClass(json);
  if (!of.ok()) return of.status();
  const MutexLock lock(mutex_);
  classes_.insert_or_assign(of->name, *of);
  allocator_.reset();
  return absl::OkStatus();
}

absl::Status DraScorer::UpsertClaim(std::string_view json) {
  auto claim = dra::ParseClaim(json);
  if (!claim.ok()) return claim.status();
  if (claim->allocated) {  // what it asked for does not matter any more
    claim->requests.clear();
    claim->constraints.clear();
    claim->configs.clear();
  }
  const MutexLock lock(mutex_);
  claims_.insert_or_assign(dra::NameOf(*claim), *claim);
  are_claims_new_ = true;
  return absl::OkStatus();
}

absl::Status DraScorer::UpsertRule(std::string_view json) {
  auto rule = dra::ParseTaintRule(json);
  if (!rule.ok()) return rule.status();
  const MutexLock lock(mutex_);
  rules_.insert_or_assign(rule->name, *rule);
  allocator_.reset();
  return absl::OkStatus();
}

void DraScorer::Remove(const CustomKind& kind, const CustomObjectName& object) {
  const MutexLock lock(mutex_);
  if (kind.kind == dra::kClaimKind.kind) {
    claims_.erase(fmt::format("{}/{}", object.namespace_, object.name));
    are_claims_new_ = true;
    return;
  }
  if (kind.kind == dra::kSliceKind.kind) slices_.erase(std::string(object.name));
  if (kind.kind == dra::kClassKind.kind) classes_.erase(std::string(object.name));
  if (kind.kind == dra::kTaintRuleKind.kind) rules_.erase(std::string(object.name));
  allocator_.reset();
}

dra::Allocator& DraScorer::Current() const {
  if (allocator_ != nullptr && !are_claims_new_) return *allocator_;
  cluster_.claims.clear();
  for (const auto& entry : claims_) {
    if (entry.second.allocated) cluster_.claims.push_back(entry.second);
  }
  are_claims_new_ = false;
  if (allocator_ != nullptr) {
    allocator_->Hold(cluster_.claims);
    return *allocator_;
  }
  cluster_.slices.clear();
  cluster_.classes.clear();
  for (const auto& entry : slices_) cluster_.slices.push_back(entry.second);
  for (const auto& entry : classes_) cluster_.classes.push_back(entry.second);
  cluster_.rules.clear();
  for (const auto& entry : rules_) cluster_.rules.push_back(entry.second);
  allocator_ = std::make_unique<dra::Allocator>(cluster_, groups_);
  return *allocator_;
}

bool DraScorer::FindOpen(const Pod& pod, std::vector<dra::Claim>* open) const {
  for (const std::string& name : pod.resource_claims) {
    const auto found = claims_.find(fmt::format("{}/{}", pod.namespace_, name));
    if (found == claims_.end()) return false;
    if (!found->second.allocated) open->push_back(found->second);
  }
  return true;
}

absl::Status DraScorer::Score(const outrigger::Request& request,
                              std::span<NodeScore> scores) const {
  if (request.pod.resource_claims.empty() || request.pod.claims_to_come > 0) {
    return absl::OkStatus();
  }
  absl::Status usable = Usable();
  // Without DRA there are no claims, and nothing to be said of them.
  if (absl::IsNotFound(usable)) return absl::OkStatus();
  if (!usable.ok()) return usable;
  const MutexLock lock(mutex_);
  std::vector<dra::Claim> open;
  if (!FindOpen(request.pod, &open) || open.empty()) return absl::OkStatus();
  if (IsLarge(open)) return TooCostly(request.pod);
  dra::Allocator& allocator = Current();
  allocator.Allow(kMostUnits);
  const Clock::TimePoint until = now_() + kMostTime;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (request.abandoned.stop_requested()) return absl::CancelledError("the caller disconnected");
    const dra::Answer answer = allocator.Allocate(request.nodes[i], open);
    if (allocator.IsSpent() || now_() > until) return TooCostly(request.pod);
    if (answer.outcome != dra::Outcome::kFits) continue;
    const dra::Scores& of = answer.scores;
    scores[i].value =
        weights_.packing * of.packing + weights_.intact * of.intact + weights_.choice * of.choice;
    scores[i].why = request.Why("DRA: packing {:.3g}, intact {:.3g}, choice {:.3g}", of.packing,
                                of.intact, of.choice);
  }
  return absl::OkStatus();
}

}  // namespace outrigger::devices::agent
