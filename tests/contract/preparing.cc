#include "preparing.h"

#include <memory>
#include <stop_token>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace outrigger::contract {
namespace {

BindRequest RequestFor(const Pod& pod, std::stop_token abandoned = {}) {
  return {.pod_namespace = pod.namespace_,
          .pod_name = pod.name,
          .pod_uid = pod.uid,
          .node = "n",
          .abandoned = std::move(abandoned)};
}

// A pod that needs nothing is Ok, as often as it is asked about.
std::string FaultOfAsking(PreBinder& agent, const BindRequest& request) {
  for (const char* when : {"first", "again"}) {
    const absl::Status status = agent.PreBind(request);
    if (!status.ok()) return fmt::format("PreBind {}: {}", when, std::string(status.message()));
  }
  return "";
}

// A caller that has gone, and a pod that has: any Status, but no wait.
void AskInVain(PreBinder& agent, const Pod& pod, testing::FakeCluster* cluster) {
  // On the heap: gcc 12 takes one on the stack for uninitialized.
  const auto gone = std::make_unique<std::stop_source>();
  gone->request_stop();
  const BindRequest abandoned = RequestFor(pod, gone->get_token());
  (void)agent.PreBind(abandoned);
  agent.UndoPreBind(abandoned, {.why = absl::CancelledError("gone"), .may_be_bound = false});
  cluster->RemovePod(pod.name, pod.namespace_);
  (void)agent.PreBind(RequestFor(pod));
  agent.UndoPreBind(RequestFor(pod), {.why = absl::NotFoundError("gone"), .may_be_bound = false});
}

}  // namespace

std::string PreBindFaultOf(PreBinder& agent, const Pod& pod, testing::FakeCluster* cluster) {
  cluster->Put(pod);
  const Pod put = cluster->Get(pod.name, pod.namespace_);
  const BindRequest request = RequestFor(put);
  std::string fault = FaultOfAsking(agent, request);
  // Every end that a call may have, and another call after it.
  agent.UndoPreBind(request, {.why = absl::AbortedError("no"), .may_be_bound = false});
  if (fault.empty()) fault = FaultOfAsking(agent, request);
  agent.UndoPreBind(request, {.why = absl::UnavailableError("lost"), .may_be_bound = true});
  if (fault.empty()) fault = FaultOfAsking(agent, request);
  if (fault.empty() && cluster->Get(pod.name, pod.namespace_).node_name != put.node_name) {
    fault = "PreBind binds";
  }
  agent.PostBind(request);
  AskInVain(agent, put, cluster);
  return fault;
}

}  // namespace outrigger::contract
