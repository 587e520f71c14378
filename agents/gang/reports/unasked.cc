#include "reports/unasked.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"
#include "reports/gang_metrics.h"

namespace outrigger::gang {
namespace {

constexpr const char* kReason = "GangResourceMissing";
constexpr const char* kCure = "add it to their template, or apply deploy/member-policy.yaml";

// The group whose members the scheduler is to call the agent about; nullptr: none.
const plan::UnitKey* GangOf(const Board& board, const Pod& pod) {
  const auto membership = plan::MembershipOf(pod, nullptr);
  if (!membership || board.MembersAreSingle(*membership)) return nullptr;
  const plan::GroupState* const group = plan::FindGroup(board.groups(), *membership);
  return group == nullptr ? nullptr : &group->key;
}

ClusterEvent EventOf(const plan::UnitKey& gang, const Pod& pod) {
  ClusterEvent event = EventAbout(pod);
  event.warning = true;
  event.reason = kReason;
  event.action = "Scheduling";
  event.note = fmt::format(
      "the pod is in gang {} but does not request {}: kube-scheduler places it as a single pod",
      plan::TextOf(gang), plan::CallsAskedBy(pod).Missing());
  return event;
}

}  // namespace

Unasked::Unasked(ClusterWriter* cluster, AgentMetrics* metrics, Log log)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)) {}

void Unasked::Prepare(const plan::GroupOptions& options) {
  if (!scheduler_names_.empty()) return;  // a setting: it stays as it is
  scheduler_names_.insert(options.scheduler_names.begin(), options.scheduler_names.end());
}

bool Unasked::IsOurs(const Pod& pod) const {
  if (pod.IsFinished() || pod.being_deleted) return false;
  return scheduler_names_.contains(
      pod.scheduler_name.empty() ? std::string_view("default-scheduler") : pod.scheduler_name);
}

void Unasked::OnPlan(const Board& board, std::span<const PodPtr> pods, bool asks_about_all) {
  if (asks_about_all) return Forget();
  Look look = LookAt(board, pods);
  first_ = false;
  if (!look.is_sure) return;
  Count(look.known.size() - look.bound, look.bound);
  known_ = std::move(look.known);
  Tell(board, look.found);
}

Unasked::Look Unasked::LookAt(const Board& board, std::span<const PodPtr> pods) const {
  Look look;
  look.is_sure = !known_.empty();
  for (const PodPtr& pod : pods) {
    if (!IsOurs(*pod)) continue;
    const plan::CallsAsked asked = plan::CallsAskedBy(*pod);
    look.is_sure |= asked.in_cycle || asked.bind;
    if (asked.All()) continue;
    const plan::UnitKey* const gang = GangOf(board, *pod);
    if (gang == nullptr) continue;
    const bool is_bound = !pod->node_name.empty();
    if (is_bound) ++look.bound;
    look.known.insert(pod->uid);
    Found& of_gang = look.found[{*gang, asked.Missing()}];
    ++of_gang.all;
    if (known_.contains(pod->uid) || (first_ && is_bound)) continue;
    look.is_sure |= is_bound;
    of_gang.added.push_back(pod);
  }
  return look;
}

void Unasked::Tell(const Board& board, const std::map<Kind, Found>& found) {
  FirstPods pods(board);
  for (const auto& [kind, of_gang] : found) {
    if (!of_gang.added.empty()) TellGroup(&pods, kind, of_gang);
  }
}

void Unasked::TellGroup(FirstPods* pods, const Kind& kind, const Found& found) {
  const auto& [key, missing] = kind;
  std::vector<PodPtr> added = found.added;
  std::sort(added.begin(), added.end(),
            [](const PodPtr& a, const PodPtr& b) { return a->name < b->name; });
  const Pod& first = *added.front();
  std::string text = fmt::format(
      "gang {} has {} {} not request {} ({}): kube-scheduler places {} as {}; {}",
      plan::TextOf(key), found.all, found.all == 1 ? "member that does" : "members that do",
      missing, added.size() == 1 ? first.name : fmt::format("{} first", first.name),
      found.all == 1 ? "it" : "them", found.all == 1 ? "a single pod" : "single pods", kCure);
  log_(text);
  if (auto event = GangEvent(pods, key, kReason, std::move(text))) {
    cluster_->Record(*std::move(event));
  }
  for (size_t i = 0; i < std::min(added.size(), kMostPods); ++i) {
    cluster_->Record(EventOf(key, *added[i]));
  }
}

void Unasked::Count(size_t waiting, size_t bound) {
  metrics_->Set(metric::kUnasked, "waiting", static_cast<double>(waiting));
  metrics_->Set(metric::kUnasked, "bound", static_cast<double>(bound));
}

void Unasked::Forget() {
  known_.clear();
  first_ = true;
  Count(0, 0);
}

}  // namespace outrigger::gang
