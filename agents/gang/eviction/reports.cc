#include "eviction/reports.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "events/gang_event.h"
#include "eviction/whole_eviction.h"
#include "fmt/chrono.h"
#include "fmt/format.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {
namespace {

constexpr std::string_view kPreemptions = "outrigger_gang_preemptions_total";
constexpr std::string_view kEvictions = "outrigger_gang_evictions_total";

std::string NameOf(const plan::UnitKey& key) {
  const char* what = key.dialect == plan::Dialect::kNone ? "pod" : "gang";
  return fmt::format("{} {}", what, TextOf(key));
}

// "gang default/low (4 pods), pod default/web"
std::string NamesOf(const std::vector<plan::Victim>& victims) {
  std::string text;
  for (const plan::Victim& victim : victims) {
    text += (text.empty() ? "" : ", ") + NameOf(victim.key);
    if (victim.key.dialect != plan::Dialect::kNone || victim.pods.size() > 1) {
      text += fmt::format(" ({} pods)", victim.pods.size());
    }
  }
  return text;
}

// Where the other Events of the unit are, too.
ClusterEvent EventAboutUnit(const plan::Unit& unit) {
  if (auto event = EventAboutObject(unit.key)) return *std::move(event);
  const auto first = std::min_element(
      unit.members.begin(), unit.members.end(),
      [](const plan::Member& a, const plan::Member& b) { return a.pod->name < b.pod->name; });
  return EventAbout(*first->pod);
}

ClusterEvent Preempting(ClusterEvent event, std::string_view reason, std::string note) {
  event.reason = reason;
  event.action = "Preempting";
  event.note = std::move(note);
  return event;
}

// By RoundEnd.
constexpr std::array<std::string_view, 5> kEnds = {"served", "lost", "expired", "expired", "ended"};

}  // namespace

std::vector<MetricSpec> EvictionMetrics() {
  using Kind = MetricSpec::Kind;
  return {{Kind::kCounter,
           std::string(kPreemptions),
           "Preemptions for a gang or pod, by result: served, lost, expired, ended, protected.",
           "result",
           {}},
          {Kind::kCounter,
           std::string(kEvictions),
           "Eviction calls, by the result: evicted, gone, refused.",
           "result",
           {}}};
}

EvictionReports::EvictionReports(ClusterWriter* cluster, AgentMetrics* metrics, Log log)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)) {}

void EvictionReports::OnPreempting(const plan::Unit& unit,
                                   const std::vector<plan::Victim>& victims) {
  std::string text = fmt::format("{} gets the nodes of {}", NameOf(unit.key), NamesOf(victims));
  log_(text);
  cluster_->Record(Preempting(EventAboutUnit(unit), "GangPreempts", std::move(text)));
}

void EvictionReports::OnPreempted(const plan::Unit& unit, const Pod& pod) {
  cluster_->Record(Preempting(
      EventAbout(pod), "Preempted",
      fmt::format("evicted for {} of priority {}", NameOf(unit.key), unit.rank.priority)));
}

void EvictionReports::OnSpared(const plan::UnitKey& unit, std::string_view why,
                               const std::vector<plan::Victim>& spared) {
  log_(fmt::format("{}: {} {}; none of these pods is evicted", NameOf(unit), why, NamesOf(spared)));
}

void EvictionReports::OnProtected(const plan::Unit& unit, const absl::Status& why) {
  metrics_->Add(kPreemptions, "protected", 1);
  log_(fmt::format("{}: no pod is evicted for it: {}", NameOf(unit.key),
                   std::string(why.message())));
}

void EvictionReports::OnEviction(const Pod& pod, const absl::Status& status) {
  const bool gone = AnswerOf(status) == Answer::kGone;
  metrics_->Add(kEvictions, status.ok() ? "evicted" : gone ? "gone" : "refused", 1);
  std::string why = status.ok() || gone ? std::string() : std::string(status.message());
  if (!IsNew(pod.uid, std::move(why))) return;
  log_(fmt::format("pod {}/{} is not evicted yet: {}", pod.namespace_, pod.name,
                   std::string(status.message())));
}

// False for nothing, and for what was said before.
bool EvictionReports::IsNew(const std::string& pod, std::string why) {
  constexpr size_t kMost = 10'000;
  const MutexLock lock(mutex_);
  if (why.empty()) {
    refused_.erase(pod);
    return false;
  }
  if (refused_.size() >= kMost) refused_.clear();
  std::string& before = refused_[pod];
  const bool is_new = before != why;
  before = std::move(why);
  return is_new;
}

void EvictionReports::OnRoundEnd(const plan::Unit& unit, RoundEnd end, size_t evicted,
                                 std::string_view why, std::chrono::seconds pause) {
  metrics_->Add(kPreemptions, kEnds[static_cast<size_t>(end)], 1);
  if (end == RoundEnd::kServed || end == RoundEnd::kEnded) return;
  if (end == RoundEnd::kGivenUp) {
    return log_(fmt::format("{}: {} evicted for it: {}", NameOf(unit.key),
                            evicted > 0 ? "no further pod is" : "no pod is", why));
  }
  const std::string in_vain =
      evicted > 0 ? fmt::format("{} pods were evicted in vain: ", evicted) : std::string();
  TellFailed(unit, fmt::format("{} is not placed: {}{}; no pod is evicted for it for {}",
                               NameOf(unit.key), in_vain, why, pause));
}

void EvictionReports::OnNobody(const plan::Unit& unit, std::string_view why) {
  TellFailed(unit, fmt::format("{} is not placed: {}", NameOf(unit.key), why));
}

void EvictionReports::OnLeftOut(const plan::Unit& unit, const std::vector<PodPtr>& pods,
                                const absl::Status& answer, std::chrono::seconds wait) {
  const Pod& first = *pods[0];
  const std::string more =
      pods.size() > 1 ? fmt::format(" and {} more", pods.size() - 1) : std::string();
  TellFailed(unit, fmt::format("{} cannot get the node of pod {}/{}{}, which is not evicted for "
                               "{}: {}; change what rejects the eviction if the pod may go",
                               NameOf(unit.key), first.namespace_, first.name, more, wait,
                               AnswerIn(answer)));
}

void EvictionReports::TellFailed(const plan::Unit& unit, std::string text) {
  log_(text);
  cluster_->Record(Preempting(EventAboutUnit(unit), "GangPreemptionFailed", std::move(text)));
}

}  // namespace outrigger::gang
