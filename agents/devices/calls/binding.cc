#include "calls/binding.h"

#include <chrono>

#include "fmt/format.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

constexpr std::chrono::seconds kAllocating{20};
constexpr std::chrono::seconds kEnding{10};

PodOnNode PodOf(const BindRequest& request) {
  return {std::string(request.pod_namespace), std::string(request.pod_name),
          std::string(request.pod_uid), std::string(request.node)};
}

absl::Status Refused(const Verdict& verdict) {
  return absl::FailedPreconditionError(verdict.reason());
}

}  // namespace

Binding::Binding(Terms terms, DeviceStore* store, const Judge& judge, const Allocator& allocator)
    : terms_(std::move(terms)),
      store_(*store),
      judge_(judge),
      allocator_(allocator),
      chooser_(store, allocator),
      writer_(terms_.cluster == nullptr
                  ? nullptr
                  : std::make_unique<AllocationWriter>(terms_.cluster, terms_.writer)) {}

// The view has pods that the scheduler binds; one that it lacks, or has in another life, is read.
absl::StatusOr<Wanted> Binding::WantedOf(PodOnNode* pod, const CallLimits& limits) {
  const auto view = terms_.cluster->Take();
  if (view.ok()) {
    const auto seen = view->snapshot->FindPod(pod->namespace_, pod->name);
    if (seen.has_value() && seen->Uid() == pod->uid) {
      pod->is_bound = pod->is_bound || (!seen->IsAssumed() && seen->NodeName() == pod->node);
      if (seen->Annotation(kClaimsAnnotation).empty()) return Wanted();
      return WantedBy(seen->Unpack());
    }
  }
  const auto read = terms_.cluster->Read(pod->namespace_, pod->name, limits);
  if (!read.ok()) return read.status();
  if (read->uid != pod->uid) return absl::AbortedError("another pod now has its name");
  pod->is_bound = pod->is_bound || read->node_name == pod->node;
  return WantedBy(*read);
}

absl::StatusOr<std::vector<ClaimObject>> Binding::ClaimsOf(const PodOnNode& pod,
                                                           const Wanted& wanted,
                                                           const CallBudget& budget) {
  for (const PodClaim& claim : wanted.claims) {
    if (claim.embedded_spec.empty()) continue;
    bool exists = false;
    store_.Look([&](const Contents& contents) {
      exists = contents.FindClaim(pod.namespace_, claim.claim_name, false) != nullptr;
    });
    if (exists) continue;
    const auto created = writer_->CreateEmbedded(pod, claim, budget.Left());
    if (!created.ok()) return created.status();
    chooser_.SeeClaim(*created);
  }
  std::vector<ClaimObject> claims;
  Verdict verdict;
  bool all_exist = true;
  store_.Look([&](const Contents& contents) {
    const PodDemand demand = DemandOf(contents, wanted);
    verdict = demand.verdict;
    for (const DemandedClaim& one : demand.claims) {
      all_exist = all_exist && one.exists;
      if (verdict.fits()) claims.push_back(*one.object);
    }
  });
  if (!verdict.fits()) return Refused(verdict);
  if (!all_exist) return absl::AbortedError("a claim of the pod was deleted meanwhile");
  return claims;
}

absl::StatusOr<Written> Binding::Allocate(PodOnNode pod, const CallLimits& limits) {
  const CallBudget budget(limits, terms_.writer.now);
  const auto wanted = WantedOf(&pod, budget.Left());
  if (!wanted.ok()) return wanted.status();
  if (!wanted->verdict.fits()) return Refused(wanted->verdict);
  if (wanted->claims.empty()) return Written();
  Verdict served;
  absl::Status usable = judge_.Usable(&served);
  if (!usable.ok()) return usable;
  if (!served.fits()) return Refused(served);
  auto claims = ClaimsOf(pod, *wanted, budget);
  if (!claims.ok()) return claims.status();
  ConfigReader configs(terms_.cluster, budget);
  StoreChooser chooser(&store_, allocator_, &configs);
  auto written = writer_->Write(pod, *claims, &chooser, budget.Left());
  chooser.Settle(*claims);
  return written;
}

absl::Status Binding::Count(absl::Status result) {
  const char* label = "allocated";
  if (!result.ok()) label = absl::IsFailedPrecondition(result) ? "refused" : "failed";
  terms_.metrics->Add(metric::kAllocations, label, 1);
  return result;
}

absl::Status Binding::PreBind(const BindRequest& request) {
  if (writer_ == nullptr) return absl::FailedPreconditionError("needs the API server");
  const PodOnNode pod = PodOf(request);
  auto turn = turns_.Take(pod.uid);
  if (!turn.has_value()) return absl::AbortedError("another call is binding the pod");
  auto written = Allocate(pod, {.timeout = kAllocating});
  if (!written.ok()) return Count(written.status());
  if (written->claims.empty()) return absl::OkStatus();
  {
    const MutexLock lock(mutex_);
    held_.emplace(Key(pod.uid, std::this_thread::get_id()),
                  Held{*std::move(written), *std::move(turn)});
  }
  return Count(absl::OkStatus());
}

std::optional<Binding::Held> Binding::TakeHeld(std::string_view uid) {
  const MutexLock lock(mutex_);
  auto node = held_.extract(Key(std::string(uid), std::this_thread::get_id()));
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

// What fails is confirmed by the custodian, which also puts right what is missing.
absl::Status Binding::Confirm(const Written& written, const CallLimits& limits) {
  absl::Status confirmed = writer_->Confirm(written, &chooser_, limits);
  if (absl::IsNotFound(confirmed)) {
    terms_.metrics->Add(metric::kAllocations, "lost", 1);
    terms_.warn(fmt::format("pod {}/{} is bound on node {} and {}", written.pod.namespace_,
                            written.pod.name, written.pod.node, std::string(confirmed.message())));
  }
  return confirmed;
}

void Binding::PostBind(const BindRequest& request) {
  const std::optional<Held> held = TakeHeld(request.pod_uid);
  if (held.has_value()) (void)Confirm(held->written, {.timeout = kEnding});
}

absl::StatusOr<std::string> Binding::NodeOf(const PodOnNode& pod) {
  auto read = terms_.cluster->Read(pod.namespace_, pod.name, {.timeout = kEnding});
  if (!read.ok()) return read.status();
  if (read->uid != pod.uid) return absl::NotFoundError("another pod now has its name");
  return std::move(read->node_name);
}

// The pod is read whatever the failure was: an earlier call may have bound it, or another
// scheduler.
void Binding::UndoPreBind(const BindRequest& request, const BindFailure& failure) {
  const std::optional<Held> held = TakeHeld(request.pod_uid);
  if (!held.has_value()) return;  // what failed itself has given back by itself
  const Written& written = held->written;
  const BindingEnd end = EndOf(written.pod, NodeOf(written.pod), failure.may_be_bound);
  if (end == BindingEnd::kBound) {
    (void)Confirm(written, {.timeout = kEnding});
    return;
  }
  terms_.metrics->Add(metric::kAllocations, "undone", 1);
  // Of what is open the custodian waits for the deadline.
  if (end == BindingEnd::kOpen) return;
  (void)writer_->GiveBack(written, &chooser_, {.timeout = kEnding});
}

absl::Status Binding::Serve(const PodOnNode& pod, const CallLimits& limits) {
  const auto turn = turns_.Take(pod.uid);
  if (!turn.has_value()) return absl::AbortedError("another call is binding the pod");
  PodOnNode bound = pod;
  bound.is_bound = true;
  auto written = Allocate(std::move(bound), limits);
  absl::Status served = written.status();
  if (served.ok() && !written->claims.empty()) served = Confirm(*written, limits);
  return Count(std::move(served));
}

}  // namespace outrigger::devices::agent
