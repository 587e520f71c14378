#include "eviction/reports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "events/gang_event.h"
#include "fmt/format.h"

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

}  // namespace

std::vector<MetricSpec> EvictionMetrics() {
  using Kind = MetricSpec::Kind;
  return {{Kind::kCounter,
           std::string(kPreemptions),
           "Units for which others were to be evicted, by what came of it: served, expired, "
           "protected.",
           "result",
           {}},
          {Kind::kCounter,
           std::string(kEvictions),
           "Evictions asked for, by how the API server answered: evicted, gone, refused.",
           "result",
           {}}};
}

EvictionReports::EvictionReports(ClusterWriter* cluster, AgentMetrics* metrics, Log log)
    : cluster_(cluster), metrics_(metrics), log_(std::move(log)) {}

void EvictionReports::OnPreempting(const plan::Unit& unit,
                                   const std::vector<plan::Victim>& victims) {
  std::string text = fmt::format("{} gets the places of {}", NameOf(unit.key), NamesOf(victims));
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
  log_(fmt::format("{}: {} {}: nobody of these is evicted", NameOf(unit), why, NamesOf(spared)));
}

void EvictionReports::OnProtected(const plan::Unit& unit, const absl::Status& why) {
  metrics_->Add(kPreemptions, "protected", 1);
  log_(fmt::format("{}: nobody is evicted for it: {}", NameOf(unit.key),
                   std::string(why.message())));
}

void EvictionReports::OnEviction(const Pod& pod, const absl::Status& status) {
  const bool gone = absl::IsNotFound(status) || absl::IsAborted(status);
  metrics_->Add(kEvictions, status.ok() ? "evicted" : gone ? "gone" : "refused", 1);
  std::string why = status.ok() || gone ? std::string() : std::string(status.message());
  if (!IsNew(pod.uid, std::move(why))) return;
  log_(fmt::format("pod {}/{} is not evicted yet: {}", pod.namespace_, pod.name,
                   std::string(status.message())));
}

// False for nothing, and for what was said before.
bool EvictionReports::IsNew(const std::string& pod, std::string why) {
  constexpr size_t kMost = 10'000;
  const std::lock_guard<std::mutex> lock(mutex_);
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

void EvictionReports::OnPromiseEnd(const plan::UnitKey& unit, bool served, bool begun) {
  metrics_->Add(kPreemptions, served ? "served" : "expired", 1);
  if (served) return;
  log_(fmt::format("{}: {}", NameOf(unit),
                   begun ? "what was evicted for it has not let it fit in time"
                         : "nobody could be evicted for it in time"));
}

void EvictionReports::OnGivenUp(const plan::UnitKey& unit, bool begun, const absl::Status& why) {
  metrics_->Add(kPreemptions, "expired", 1);
  log_(fmt::format("{}: {} evicted for it: {}", NameOf(unit),
                   begun ? "nobody else is" : "nobody is", std::string(why.message())));
}

}  // namespace outrigger::gang
