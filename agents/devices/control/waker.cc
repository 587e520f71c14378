#include "control/waker.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

constexpr size_t kMostWaiting = 10'000;
// More pods are not woken for one node at a time: those that find no room would have been woken in
// vain. Each allocation is news, which wakes the next ones.
constexpr int kMostPerNode = 8;
constexpr std::chrono::seconds kBetween{1};  // nominations of one pod
constexpr std::chrono::seconds kNominating{5};
// So long a pod is expected in the view.
constexpr std::chrono::seconds kUnseen{30};

}  // namespace

void Waker::OnRejected(const Pod& pod, bool unresolved) {
  Wanted wanted = WantedBy(pod);
  if (!wanted.verdict.fits() || wanted.claims.empty()) return;  // the pod itself has to change
  Waiting waiting;
  waiting.pod = std::move(wanted);
  waiting.look_everywhere = true;  // what has changed since the answer is not known
  waiting.priority = pod.priority;
  waiting.created = pod.creation_time;
  waiting.unseen_until = terms_.clock.now() + kUnseen;
  const MutexLock lock(mutex_);
  if (const auto at = waiting_.find(pod.uid); at != waiting_.end()) {
    // What has changed meanwhile was looked at, or waits until it may be woken again.
    waiting.look_everywhere = at->second.look_everywhere || unresolved;
    waiting.not_before = at->second.not_before;
    waiting.seen = at->second.seen;
    at->second = std::move(waiting);
  } else if (waiting_.size() < kMostWaiting) {
    waiting_.emplace(pod.uid, std::move(waiting));
  }
}

size_t Waker::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

void Waker::LookEverywhere(const std::string& uid, bool everywhere) {
  const MutexLock lock(mutex_);
  if (const auto at = waiting_.find(uid); at != waiting_.end()) {
    at->second.look_everywhere = everywhere;
  }
}

void Waker::Rest(const std::string& uid, Clock::TimePoint until) {
  const MutexLock lock(mutex_);
  if (const auto at = waiting_.find(uid); at != waiting_.end()) {
    at->second.look_everywhere = false;
    at->second.not_before = until;
  }
}

bool Waker::IsForAllNodes(const Waiting& waiting) const {
  if (waiting.look_everywhere || touched_.everywhere) return true;
  const Wanted& pod = waiting.pod;
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&](const PodClaim& claim) {
    return touched_.claims.contains(fmt::format("{}/{}", pod.namespace_, claim.claim_name));
  });
}

void Waker::Forget(const ClusterSnapshot& pods) {
  const Clock::TimePoint now = terms_.clock.now();
  const MutexLock lock(mutex_);
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    Waiting& waiting = at->second;
    const auto pod = pods.FindPod(waiting.pod.namespace_, waiting.pod.name);
    const bool is_shown = pod.has_value() && pod->Uid() == at->first;
    const bool is_over = is_shown ? !pod->NodeName().empty() || pod->IsFinished()
                                  : waiting.seen || now >= waiting.unseen_until;
    waiting.seen = waiting.seen || is_shown;
    at = is_over ? waiting_.erase(at) : std::next(at);
  }
}

std::vector<std::pair<std::string, Waker::Waiting>> Waker::InOrder() const {
  std::vector<std::pair<std::string, Waiting>> pods;
  {
    const MutexLock lock(mutex_);
    pods.assign(waiting_.begin(), waiting_.end());
  }
  std::sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second.priority, a.second.created, a.second.pod.namespace_,
                    a.second.pod.name) < std::tie(a.second.priority, b.second.created,
                                                  b.second.pod.namespace_, b.second.pod.name);
  });
  return pods;
}

std::string Waker::NodeFor(const Wanted& pod, bool everywhere, const ClusterSnapshot& nodes,
                           const std::stop_token& stop, bool* was_asked) const {
  std::string found;
  std::optional<Nodes> turns;
  std::vector<std::string> names(touched_.nodes.begin(), touched_.nodes.end());
  const auto asked = judge_.With(
      pod, stop, [&](const Inventory& inventory, const PodDemand& demand, const Demand& resolved) {
        *was_asked = true;
        if (!turns.has_value()) {
          if (everywhere) names = inventory.Nodes();
          turns.emplace(allocator_, names.size(), &first_);
        }
        return turns->Next([&](size_t i, int64_t budget) -> int64_t {
          const std::string& node = names[i];
          if (!found.empty() || !nodes.FindNode(node).has_value() ||
              !demand.VerdictOf(node).fits()) {
            return 0;
          }
          const Answer answer =
              allocator_.Allocate(inventory, resolved, node, Parts::kVerdict, budget);
          if (answer.verdict.fits()) found = node;
          return answer.steps;
        });
      });
  *was_asked = *was_asked && asked.ok();
  return found;
}

bool Waker::Wake(const Wanted& pod, const std::string& node, const std::stop_token& stop) {
  const absl::Status woken = terms_.cluster->Nominate({pod.namespace_, pod.name, pod.uid}, node, "",
                                                      {.timeout = kNominating, .stop = stop});
  if (woken.ok()) terms_.metrics->Add(metric::kWoken, "", 1);
  if (woken.ok() || absl::IsNotFound(woken) || absl::IsAborted(woken)) return true;
  failures_.Say(fmt::format("nominating pod {}/{}", pod.namespace_, pod.name), woken,
                terms_.clock.now());
  return false;
}

void Waker::Round(const std::stop_token& stop) {
  const auto view = terms_.cluster->Take();
  if (!view.ok()) return;  // what has changed waits in the store
  store_.Change([&](Contents* contents) {
    touched_ = contents->TakeTouched();
    return false;
  });
  const ClusterSnapshot& snapshot = *view->snapshot;
  Forget(snapshot);
  const Clock::TimePoint now = terms_.clock.now();
  std::map<std::string, int> woken;  // by node
  for (const auto& [uid, waiting] : InOrder()) {
    if (stop.stop_requested()) return;
    const bool everywhere = IsForAllNodes(waiting);
    if (!everywhere && touched_.nodes.empty()) continue;
    if (now < waiting.not_before) {
      LookEverywhere(uid, true);
      continue;
    }
    bool was_asked = false;
    const std::string node = NodeFor(waiting.pod, everywhere, snapshot, stop, &was_asked);
    if (node.empty()) {
      LookEverywhere(uid, !was_asked);  // until its claims can be resolved
    } else if (woken[node] >= kMostPerNode || !Wake(waiting.pod, node, stop)) {
      LookEverywhere(uid, true);
    } else {
      ++woken[node];
      Rest(uid, now + kBetween);
    }
  }
}

}  // namespace outrigger::devices::agent
