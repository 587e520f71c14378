#include "cli/gang/gate_release.h"

#include <algorithm>
#include <stop_token>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/status_text.h"
#include "kube/write/status_patch.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/parallel.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

bool HasGate(const Json& pod, std::string_view gate) {
  const Json::json_pointer at("/spec/schedulingGates");
  if (!pod.is_object() || !pod.contains(at) || !pod[at].is_array()) return false;
  return std::any_of(pod[at].begin(), pod[at].end(),
                     [gate](const Json& one) { return kube::TextAt(one, "/name") == gate; });
}

// As the API server says it of every authorizer. Admission plugins refuse one pod and not the next,
// and policies may not have heard yet that they are off.
bool IsOfRights(const absl::Status& status) {
  return absl::IsPermissionDenied(status) &&
         kube::MessageOf(status).find("cannot patch resource") != std::string_view::npos;
}

}  // namespace

absl::StatusOr<std::vector<GatedPod>> ListGatedPods(kube::Api& api, std::string_view gate) {
  kube::ListOptions list;
  list.field_selector = "spec.nodeName=";
  const auto pods = kube::List(api, kube::kPods, "", list, {.rate_limited = false});
  if (!pods.ok()) return pods.status();
  std::vector<GatedPod> gated;
  for (const std::string& item : pods->items) {
    const Json pod = Json::parse(item, nullptr, /*allow_exceptions=*/false);
    if (!HasGate(pod, gate)) continue;
    gated.push_back({kube::TextAt(pod, "/metadata/namespace"), kube::TextAt(pod, "/metadata/name"),
                     kube::TextAt(pod, "/metadata/uid"),
                     !kube::TextAt(pod, "/status/nominatedNodeName").empty()});
  }
  return gated;
}

GateRelease::GateRelease(kube::Api* api, GateReleaseOptions options, Clock clock)
    : api_(*api), options_(std::move(options)), clock_(std::move(clock)) {}

absl::StatusOr<GateReleased> GateRelease::Run() {
  const auto began = clock_.now();
  size_t vain = 0;
  for (size_t round = 0; round < kMostRounds; ++round) {
    // What is listed from then on is as it stays.
    const bool is_settled = clock_.now() - began >= options_.settle;
    const auto pods = ListGatedPods(api_, options_.gate);
    if (!pods.ok()) return pods.status();
    done_.left.clear();
    if (pods->empty() && is_settled) return std::move(done_);
    const size_t before = done_.released;
    const absl::Status may = Round(*pods, !is_settled);
    if (!may.ok()) return may;
    const bool is_vain = done_.released == before;
    if (!is_vain) done_.took = clock_.now() - began;
    vain = is_vain && is_settled ? vain + 1 : 0;
    if (vain == kMostVainRounds) return std::move(done_);
    if (is_vain || !is_settled || !done_.left.empty()) (void)clock_.sleep(kPause, {});
  }
  done_.keep_coming = true;
  return std::move(done_);
}

absl::Status GateRelease::Round(const std::vector<GatedPod>& pods, bool carefully) {
  done_before_ = done_.released + done_.gone;
  done_in_round_ = 0;
  size_t first = 0;
  if (carefully && !pods.empty()) {
    first = 1;
    absl::Status may = ReleaseFrom(pods, 0, first);
    if (!may.ok() || !done_.left.empty()) return may;
  }
  return ReleaseFrom(pods, first, pods.size());
}

absl::Status GateRelease::ReleaseFrom(const std::vector<GatedPod>& pods, size_t first, size_t end) {
  absl::Status refused;
  std::stop_source enough;
  ParallelFor(end - first, kAtOnce, [&](size_t i) {
    if (enough.stop_requested()) return;
    const GatedPod& pod = pods[first + i];
    const absl::Status status = kube::RemoveGate(api_, {pod.namespace_, pod.name, pod.uid},
                                                 options_.gate, {}, {.rate_limited = false});
    const std::lock_guard<std::mutex> lock(mutex_);
    if (IsOfRights(status)) {
      refused = status;
      enough.request_stop();
      return;
    }
    Take(pod, status);
    ++done_in_round_;
    if (options_.progress) {
      options_.progress(done_before_ + done_in_round_, done_before_ + pods.size());
    }
  });
  return refused;
}

// Called with the mutex. Another pod of the name is in the next list, if it has the gate; so is one
// that another writer was faster with (409).
void GateRelease::Take(const GatedPod& pod, const absl::Status& status) {
  if (status.ok()) {
    ++done_.released;
    if (pod.is_nominated) ++done_.nominated;
  } else if (absl::IsNotFound(status) || (absl::IsAborted(status) && !kube::ApiErrorOf(status))) {
    ++done_.gone;
  } else {
    done_.left.emplace_back(fmt::format("{}/{}", pod.namespace_, pod.name), status);
  }
}

}  // namespace outrigger::cli
