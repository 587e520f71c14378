#include "reports.h"

#include <cstddef>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/classes/mapping.h"
#include "penalty_metrics.h"

namespace outrigger::penalty {
namespace {

// Events of one change go to so many of the PodGroups that caused it.
constexpr size_t kMostCauses = 16;
constexpr double kMicroseconds = 1e6;

std::string_view OutcomeText(Replacement::Outcome outcome) {
  switch (outcome) {
    case Replacement::Outcome::kReplaced:
      return "replaced";
    case Replacement::Outcome::kUnchanged:
      return "unchanged";
    case Replacement::Outcome::kRefused:
      return "refused";
    case Replacement::Outcome::kAbsent:
      return "absent";
    case Replacement::Outcome::kAdopted:
      return "adopted";
    case Replacement::Outcome::kStuck:
      return "stuck";
    case Replacement::Outcome::kDropped:
      return "dropped";
  }
  return "";
}

// The Event's reason on the class; empty: none.
std::string_view EventReasonOf(const Replacement& replacement) {
  switch (replacement.outcome) {
    case Replacement::Outcome::kReplaced:
      return replacement.value < replacement.before ? "PenaltyApplied" : "PenaltyRecovered";
    case Replacement::Outcome::kRefused:
    case Replacement::Outcome::kStuck:
      return "PenaltyRefused";
    case Replacement::Outcome::kAdopted:
      return "PenaltyAdopted";
    default:
      return "";
  }
}

std::string NoteOf(const Replacement& replacement) {
  if (!replacement.message.empty()) return replacement.message;
  const bool is_at_base = replacement.value == replacement.base;
  return fmt::format(
      "value {} -> {}, base {}: {}{} (see outrigger explain penalty)", replacement.before,
      replacement.value, replacement.base, replacement.cause,
      is_at_base
          ? ""
          : "; until it is back at its base, the API server rejects its unchanged manifest (422)");
}

}  // namespace

Reports::Reports(const AgentDeps& deps, ClusterWriter* cluster)
    : log_(deps.log), warn_(deps.warn), metrics_(deps.metrics), cluster_(cluster) {}

void Reports::OnLeading(bool leads) {
  logged_.clear();
  causes_.clear();
  begun_.clear();
  Unmeasure(std::exchange(measured_, {}));
  metrics_->Set(metric::kLeading, "", leads ? 1 : 0);
  log_(leads ? "acquired the Lease; writing" : "lost the Lease; no longer writing");
}

void Reports::OnEdge(const CountedEdge& edge) {
  if (edge.kind == EdgeKind::kStart) metrics_->Add(metric::kStarts, edge.class_name, 1);
  if (edge.kind == EdgeKind::kCompletion) metrics_->Add(metric::kCompletions, edge.class_name, 1);
  if (!edge.adds) return;
  std::vector<CountedEdge>& causes = causes_[edge.class_name];
  if (causes.size() < kMostCauses) causes.push_back(edge);
}

std::string Reports::BeginChange(const std::string& class_name) {
  const std::vector<CountedEdge>& causes = causes_[class_name];
  begun_[class_name] = causes.size();
  if (causes.empty()) return "recovery";
  const CountedEdge& first = causes.front();
  const std::string text =
      fmt::format("{} {}/{}{}", EdgeText(first.kind), first.group.namespace_, first.group.name,
                  first.policy_of.empty() ? "" : fmt::format(" (by {})", first.policy_of));
  const size_t more = causes.size() - 1;
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

void Reports::OnReplaced(const Replacement& replacement, const PriorityClass* in_cluster) {
  if (replacement.outcome == Replacement::Outcome::kReplaced) {
    const std::pair<int64_t, Millis> key(replacement.epoch, replacement.begun);
    if (std::exchange(reported_[replacement.class_name], key) == key) return;
  }
  metrics_->Add(metric::kReplacements, OutcomeText(replacement.outcome), 1);
  if (replacement.gap_us >= 0) {
    metrics_->Observe(metric::kGap, "", static_cast<double>(replacement.gap_us) / kMicroseconds);
  }
  const std::string note = NoteOf(replacement);
  const std::string_view reason = EventReasonOf(replacement);
  if (reason.empty()) return;
  const bool is_good = replacement.outcome == Replacement::Outcome::kReplaced;
  if (is_good) refusals_.erase(replacement.class_name);
  if (reason == "PenaltyRefused" &&
      std::exchange(refusals_[replacement.class_name], note) == note) {
    return;
  }
  (is_good ? log_ : warn_)(Printable(fmt::format("class {}: {}", replacement.class_name, note)));
  if (in_cluster != nullptr) Record(*in_cluster, !is_good, std::string(reason), note);
  if (!is_good) return;
  std::vector<CountedEdge>& all = causes_[replacement.class_name];
  const size_t begun = std::exchange(begun_[replacement.class_name], 0);
  const auto later = all.begin() + static_cast<std::ptrdiff_t>(begun);
  const std::vector<CountedEdge> causes(all.begin(), later);
  all.erase(all.begin(), later);
  if (replacement.value >= replacement.before) return;
  for (const CountedEdge& edge : causes) {
    Record(edge.group, false, "PriorityClassPenalised",
           fmt::format("class {}: value {} -> {}, {} of run {}{} (see outrigger explain penalty)",
                       replacement.class_name, replacement.before, replacement.value,
                       EdgeText(edge.kind), edge.epoch,
                       edge.policy_of.empty() ? "" : ", by the policy of " + edge.policy_of));
  }
}

void Reports::Forget(std::string_view class_name) {
  const std::string name(class_name);
  causes_.erase(name);
  begun_.erase(name);
  left_alone_.erase(name);
  rooms_.erase(name);
  reported_.erase(name);
  refusals_.erase(name);
}

void Reports::OnDryRun(const ClassAccount& account, int64_t target) {
  log_(fmt::format("dry run: class {} would get the value {} instead of {}", account.name, target,
                   account.written));
}

void Reports::OnClasses(const ClassTable& classes, const RefusedClasses& refused,
                        const Ledger& ledger) {
  std::map<std::string, int, std::less<>> counts;
  for (const auto& [name, reason] : refused) ++counts[reason];
  for (const auto& [name, rules] : classes) {
    if (!rules.is_selected) continue;
    if (rules.reason.empty()) {
      left_alone_.erase(name);
      OnRoom(name, rules);
      continue;
    }
    ++counts[rules.reason];
    std::string& before = left_alone_[name];
    if (before == rules.message) continue;
    before = rules.message;
    const bool has_penalty = ledger.Find(name) != nullptr;
    warn_(Printable(fmt::format("class {} is left alone{}: {}", name,
                                has_penalty ? " at its current value" : "", rules.message)));
    Record(*rules.in_cluster, true, "PenaltyRefused", rules.message);
  }
  for (const std::string_view reason : std::initializer_list<std::string_view>{
           "system", "global-default", "ignored", "deleted", "finalizers", "dependents", "managed",
           "owner-gone", "owner-unseen", "admission", "too-large", "annotation", "bounds", "quota",
           "name-taken", kNotMapped}) {
    const auto count = counts.find(reason);
    metrics_->Set(metric::kLeftAlone, reason, count == counts.end() ? 0 : count->second);
  }
}

void Reports::OnNotMapped(const PriorityClass& in_cluster, const ClassAccount& account) {
  const std::string note = fmt::format(
      "new pods still get value {}, not {}: no admission policy maps them. Apply "
      "deploy/penalty-mapped.yaml, with its ConfigMap in the agent's namespace; if it was deleted "
      "before, restart kube-apiserver; before Kubernetes 1.36 set replacement to recreate",
      account.base, account.written);
  warn_(Printable(fmt::format("class {}: {}", account.name, note)));
  Record(in_cluster, true, "PenaltyNotMapped", note);
}

void Reports::OnRoom(const std::string& name, const ClassRules& rules) {
  if (rules.room.empty()) {
    rooms_.erase(name);
  } else if (std::exchange(rooms_[name], rules.room) != rules.room) {
    warn_(Printable(fmt::format("class {}: {}", name, rules.room)));
    Record(*rules.in_cluster, true, "PenaltyHasNoRoom", rules.room);
  }
}

void Reports::OnAccounts(const Ledger& ledger, const ClassTable& classes, Millis now) {
  std::set<std::string, std::less<>> before = std::exchange(measured_, {});
  for (const auto& [name, account] : ledger.classes()) {
    const auto rules = classes.find(name);
    if (rules == classes.end() || !rules->second.IsPenalised()) continue;
    measured_.insert(name);
    before.erase(name);
    metrics_->Set(metric::kValue, name, static_cast<double>(account.written));
    metrics_->Set(metric::kPoints, name,
                  PenaltyAt(account.account, rules->second.policy, rules->second.bounds, now));
  }
  Unmeasure(before);
}

void Reports::Unmeasure(const std::set<std::string, std::less<>>& classes) {
  for (const std::string& name : classes) {
    metrics_->Drop(metric::kValue, name);
    metrics_->Drop(metric::kPoints, name);
  }
}

void Reports::OnPolicyProblems(std::vector<ClusterEvent> problems) {
  for (ClusterEvent& problem : problems) {
    warn_(Printable(fmt::format("{} {}: {}", problem.kind, problem.name, problem.note)));
    if (cluster_ != nullptr) cluster_->Record(std::move(problem));
  }
}

void Reports::OnMarkProblem(const PodGroup& group, const std::string& problem) {
  warn_(Printable(fmt::format("PodGroup {}/{}: {}", group.namespace_, group.name, problem)));
  Record(group, true, "PenaltyMarkMalformed", problem);
}

void Reports::OnJournal(const std::vector<JournalFinding>& findings, const ClassTable& classes) {
  constexpr size_t kMostLines = 20;
  for (size_t i = 0; i < findings.size() && i < kMostLines; ++i) {
    const std::string text = Printable("journal repaired: " + FindingText(findings[i]));
    warn_(text);
    const auto about = classes.find(findings[i].key);
    if (about == classes.end()) continue;
    Record(*about->second.in_cluster, true, "PenaltyJournalRepaired",
           fmt::format("class {}: {}", about->first, text));
  }
  if (findings.size() > kMostLines) {
    warn_(fmt::format("journal repaired: {} more findings", findings.size() - kMostLines));
  }
}

void Reports::OnError(std::string_view call, const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status)) return;
  metrics_->Add(metric::kErrors, call, 1);
  LogOnce(Printable(fmt::format("{}: {}", call, std::string(status.message()))));
}

// The same line again is not news in a term. A bound: lines may name objects without end.
void Reports::LogOnce(const std::string& line) {
  constexpr size_t kMostLines = 1000;
  if (logged_.size() >= kMostLines) logged_.clear();
  if (logged_.insert(line).second) warn_(line);
}

void Reports::Record(const PriorityClass& about, bool warning, std::string reason,
                     std::string note) {
  if (cluster_ == nullptr) return;
  cluster_->Record({.api_version = "scheduling.k8s.io/v1",
                    .kind = "PriorityClass",
                    .namespace_ = "",
                    .name = about.name,
                    .uid = about.uid,
                    .warning = warning,
                    .reason = std::move(reason),
                    .action = "Penalising",
                    .note = std::move(note)});
}

void Reports::Record(const PodGroup& about, bool warning, std::string reason, std::string note) {
  if (cluster_ == nullptr) return;
  cluster_->Record({.api_version = fmt::format("{}/{}", RowOf(kGroupDialect).group,
                                               RowOf(kGroupDialect).versions[0]),
                    .kind = "PodGroup",
                    .namespace_ = about.namespace_,
                    .name = about.name,
                    .uid = about.uid,
                    .warning = warning,
                    .reason = std::move(reason),
                    .action = "Penalising",
                    .note = std::move(note)});
}

}  // namespace outrigger::penalty
