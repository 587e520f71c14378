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
absl::StatusOr<Wanted> Binding::WantedOf(const PodOnNode& pod, const CallLimits& limits) {
  const auto view = terms_.cluster->Take();
  if (view.ok()) {
    const auto seen = view->snapshot->FindPod(pod.namespace_, pod.name);
    if (seen.has_value() && seen->Uid() == pod.uid) {
      if (seen->Annotation(kClaimsAnnotation).empty()) return Wanted();
      return WantedBy(seen->Unpack());
    }
  }
  const auto read = terms_.cluster->Read(pod.namespace_, pod.name, limits);
  if (!read.ok()) return read.status();
  if (read->uid != pod.uid) return absl::AbortedError("another pod has its name");
  return WantedBy(*read);
}

absl::StatusOr<std::vector<ClaimObject>> Binding::ClaimsOf(const PodOnNode& pod,
                                                           const Wanted& wanted,
                                                           const CallLimits& limits) {
  for (const PodClaim& claim : wanted.claims) {
    if (claim.embedded_spec.empty()) continue;
    bool exists = false;
    store_.Look([&](const Contents& contents) {
      exists = contents.FindClaim(pod.namespace_, claim.claim_name, false) != nullptr;
    });
    if (exists) continue;
    const auto created = writer_->CreateEmbedded(pod, claim, limits);
    if (!created.ok()) return created.status();
    chooser_.SeeClaim(*created);
  }
  std::vector<ClaimObject> claims;
  Verdict verdict;
  bool all_exist = true;
  store_.Look([&](const Contents& contents) {
    const PodDemand demand = DemandOf(contents, {pod.namespace_, pod.name, pod.uid}, wanted.claims);
    verdict = demand.verdict;
    for (const DemandedClaim& one : demand.claims) {
      all_exist = all_exist && one.exists;
      if (verdict.fits()) claims.push_back(*one.object);
    }
  });
  if (!verdict.fits()) return Refused(verdict);
  if (!all_exist) return absl::AbortedError("a claim of the pod was deleted at this moment");
  return claims;
}

absl::StatusOr<Written> Binding::Allocate(const PodOnNode& pod, const CallLimits& limits) {
  const auto wanted = WantedOf(pod, limits);
  if (!wanted.ok()) return wanted.status();
  if (!wanted->verdict.fits()) return Refused(wanted->verdict);
  if (wanted->claims.empty()) return Written();
  Verdict served;
  absl::Status usable = judge_.Usable(&served);
  if (!usable.ok()) return usable;
  if (!served.fits()) return Refused(served);
  auto claims = ClaimsOf(pod, *wanted, limits);
  if (!claims.ok()) return claims.status();
  ConfigReader configs(terms_.cluster, std::chrono::steady_clock::now, limits);
  StoreChooser chooser(&store_, allocator_, &configs);
  auto written = writer_->Write(pod, *claims, &chooser, limits);
  chooser.Settle(*claims);
  return written;
}

absl::Status Binding::Count(absl::Status result) {
  const char* label = "allocated";
  if (!result.ok()) label = absl::IsFailedPrecondition(result) ? "refused" : "failed";
  terms_.metrics->Add(metric::kAllocations, label, 1);
  return result;
}

bool Binding::Begin(const std::string& uid) {
  const MutexLock lock(mutex_);
  return busy_.insert(uid).second;
}

void Binding::End(const std::string& uid) {
  const MutexLock lock(mutex_);
  busy_.erase(uid);
}

absl::Status Binding::PreBind(const BindRequest& request) {
  if (writer_ == nullptr) return absl::FailedPreconditionError("needs the API server");
  const PodOnNode pod = PodOf(request);
  if (!Begin(pod.uid)) return absl::AbortedError("another call is binding the pod");
  auto written = Allocate(pod, {.timeout = kAllocating});
  if (!written.ok()) {
    End(pod.uid);
    return Count(written.status());
  }
  if (written->claims.empty()) {
    End(pod.uid);
    return absl::OkStatus();
  }
  const MutexLock lock(mutex_);
  written_.insert_or_assign(Key(pod.uid, std::this_thread::get_id()), *std::move(written));
  return Count(absl::OkStatus());
}

std::optional<Written> Binding::TakeWritten(std::string_view uid) {
  const MutexLock lock(mutex_);
  const auto at = written_.find(Key(std::string(uid), std::this_thread::get_id()));
  if (at == written_.end()) return std::nullopt;
  std::optional<Written> written = std::move(at->second);
  written_.erase(at);
  return written;
}

void Binding::PostBind(const BindRequest& request) {
  const std::optional<Written> written = TakeWritten(request.pod_uid);
  if (!written.has_value()) return;
  // What fails is confirmed by the custodian.
  (void)writer_->Confirm(*written, &chooser_, {.timeout = kEnding});
  End(written->pod.uid);
}

// The answer of the binding was lost.
void Binding::Settle(const Written& written) {
  const CallLimits limits{.timeout = kEnding};
  const PodOnNode& pod = written.pod;
  const auto read = terms_.cluster->Read(pod.namespace_, pod.name, limits);
  const bool is_gone = absl::IsNotFound(read.status()) || (read.ok() && read->uid != pod.uid);
  if (is_gone || (read.ok() && !read->node_name.empty() && read->node_name != pod.node)) {
    (void)writer_->GiveBack(written, &chooser_, limits);
  } else if (read.ok() && read->node_name == pod.node) {
    (void)writer_->Confirm(written, &chooser_, limits);
  }
  // Not bound, or not known: the binding may still arrive. The custodian waits for the deadline.
}

void Binding::UndoPreBind(const BindRequest& request, const BindFailure& failure) {
  const std::optional<Written> written = TakeWritten(request.pod_uid);
  if (!written.has_value()) return;  // what failed itself has given back by itself
  terms_.metrics->Add(metric::kAllocations, "undone", 1);
  if (failure.may_be_bound) {
    Settle(*written);
  } else {
    (void)writer_->GiveBack(*written, &chooser_, {.timeout = kEnding});
  }
  End(written->pod.uid);
}

absl::Status Binding::Serve(const PodOnNode& pod, const CallLimits& limits) {
  if (!Begin(pod.uid)) return absl::AbortedError("another call is binding the pod");
  auto written = Allocate(pod, limits);
  absl::Status served = written.status();
  if (served.ok() && !written->claims.empty()) {
    served = writer_->Confirm(*written, &chooser_, limits);
  }
  End(pod.uid);
  return Count(std::move(served));
}

}  // namespace outrigger::devices::agent
