#include "keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "adoption.h"
#include "fmt/format.h"
#include "outrigger/base/parallel.h"
#include "outrigger/penalty/base_value.h"
#include "page_rows.h"

namespace outrigger::penalty {
namespace {

constexpr size_t kMarksAtOnce = 8;
// Maps that have time are written so often: the last changes of classes, sums.
constexpr Millis kLater = 5'000;

CallLimits Limits(const std::stop_token& term) {
  return {.timeout = std::chrono::seconds(10), .stop = term};
}

void Sooner(std::optional<Millis> other, std::optional<Millis>* at) {
  if (other && (!*at || *other < **at)) *at = other;
}

Replacer::Options ReplacerOptions(const Options& options, const Clock& clock) {
  Replacer::Options made;
  made.namespace_ = options.claim.namespace_;
  made.clock = clock;
  return made;
}

}  // namespace

Keeper::Keeper(const AgentDeps& deps, Options options)
    : clock_(deps.clock),
      options_(std::move(options)),
      cluster_(deps.cluster),
      store_(deps.cluster, options_.claim.namespace_),
      replacer_(
          deps.cluster, deps.cluster,
          [this](const Replacement& replacement) { return Account(replacement); },
          ReplacerOptions(options_, deps.clock)),
      reports_(deps, options_.dry_run ? nullptr : deps.cluster) {}

Millis Keeper::Now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch())
      .count();
}

// ---- The term ----

void Keeper::SetLeads(bool leads) {
  reports_.OnLeading(leads);
  const std::lock_guard<std::mutex> lock(mutex_);
  leads_ = leads;
}

void Keeper::Lead(const std::stop_token& term) {
  const Subscription changes = cluster_->OnChange([this] { Wake(); }, ChangeScope::kAll);
  has_begun_ = false;
  begin_delay_ = {};
  pace_.BeginTerm();
  SetLeads(true);
  while (!term.stop_requested() && !pace_.IsFinishing()) {
    if (!has_begun_ && begin_delay_.IsOver(Now())) {
      const absl::Status begun = Begin(term);
      reports_.OnError("journal", begun);
      begin_delay_.OnResult(begun.ok(), Now());
    }
    const std::optional<Millis> next = has_begun_ ? Round(term) : begin_delay_.until();
    std::optional<std::chrono::milliseconds> time;
    if (next) time = std::chrono::milliseconds(std::max<Millis>(*next - Now(), 0));
    pace_.Wait(time, term);
  }
  // The process ends: what had time is written now.
  if (has_begun_ && !term.stop_requested() && !options_.dry_run) {
    reports_.OnError("journal", store_.Write(&ledger_, /*later=*/true, term));
  }
  SetLeads(false);
  pace_.EndTerm();
}

absl::Status Keeper::Begin(const std::stop_token& term) {
  term_ = term;
  absl::StatusOr<JournalRead> read = store_.Load(Now(), term);
  if (!read.ok()) return read.status();
  if (read->is_newer) {
    return absl::FailedPreconditionError(
        fmt::format("the journal in namespace {} is of a later version of Outrigger: run that "
                    "version, or remove the penalty with its `outrigger penalty restore --all`",
                    options_.claim.namespace_));
  }
  findings_ = std::move(read->findings);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ledger_ = std::move(read->ledger);
    // A damaged account counts for nothing: it is made again from class and PodGroups.
    for (const std::string& name : read->damaged) ledger_.Remove(name);
    groups_ = GroupTable();
    refused_.clear();
    objects_ = nullptr;  // all is news
    classes_.clear();
  }
  checked_.clear();
  delays_.clear();
  journal_delay_ = recover_delay_ = marks_delay_ = {};
  retry_at_.reset();
  next_look_.reset();
  has_begun_ = true;
  if (!options_.dry_run) Recover(term);
  return absl::OkStatus();
}

std::optional<Millis> Keeper::Round(const std::stop_token& term) {
  // A class that is away needs no view to come back.
  if (!options_.dry_run && replacer_.HasOpenIntents() && recover_delay_.IsOver(Now())) {
    Recover(term);
  }
  const auto view = cluster_->Take();
  reports_.OnError("view", view.status());
  if (!view.ok()) return Now() + Delay::kFirst;
  // Most changes are those of pods and nodes.
  if (!IsNews(*view->objects) && (!next_look_ || Now() < *next_look_)) return next_look_;
  retry_at_.reset();
  MakeTable(view->objects);
  Settle(*view->objects, term);
  MakeTable(view->objects);
  reports_.OnJournal(std::exchange(findings_, {}), classes_);
  reports_.OnClasses(classes_, refused_, ledger_);
  if (CountGroups(term)) ReplaceDue(term);
  reports_.OnAccounts(ledger_, classes_, Now());
  if (!options_.dry_run) WriteJournal(term).IgnoreError();  // reported there
  next_look_ = NextLook();
  return next_look_;
}

bool Keeper::IsNews(const ClusterObjects& objects) const {
  return objects_ == nullptr || objects.version != objects_->version ||
         objects.status_version != objects_->status_version;
}

void Keeper::TryAgain() {
  retry_at_ = Now() + Delay::kFirst;
}

std::optional<Millis> Keeper::NextLook() const {
  std::optional<Millis> next = retry_at_;
  for (const auto& [name, account] : ledger_.classes()) {
    const std::optional<Millis> due = DueOf(account);
    if (!due) continue;
    const auto delay = delays_.find(name);
    Sooner(delay == delays_.end() ? *due : std::max(*due, delay->second.until()), &next);
  }
  if (options_.dry_run) return next;
  if (replacer_.HasOpenIntents()) Sooner(std::max(Now(), recover_delay_.until()), &next);
  if (!ledger_.Unwritten(Ledger::Urgency::kNow).empty()) {
    Sooner(std::max(Now(), journal_delay_.until()), &next);
  }
  if (!ledger_.Unwritten(Ledger::Urgency::kLater).empty()) {
    Sooner(std::max(later_written_ + kLater, journal_delay_.until()), &next);
  }
  return next;
}

bool Keeper::IsDelayed(const std::string& class_name) const {
  const auto delay = delays_.find(class_name);
  return delay != delays_.end() && !delay->second.IsOver(Now());
}

// ---- Classes ----

void Keeper::MakeTable(std::shared_ptr<const ClusterObjects> objects) {
  ClassTable made = MakeClassTable(objects->classes, ledger_, options_);
  const std::lock_guard<std::mutex> lock(mutex_);
  classes_ = std::move(made);
  objects_ = std::move(objects);
}

void Keeper::Settle(const ClusterObjects& objects, const std::stop_token& term) {
  AddAccounts(objects);
  std::vector<ClassAccount> others;  // that may not be as they were written
  for (const auto& [name, account] : ledger_.classes()) {
    const auto rules = classes_.find(name);
    const bool is_settled = rules != classes_.end() && rules->second.is_selected &&
                            IsAsWritten(account, *rules->second.in_cluster);
    if (is_settled) {
      checked_[name] = rules->second.in_cluster->resource_version;
    } else {
      others.push_back(account);
    }
  }
  for (const ClassAccount& account : others) {
    if (term.stop_requested() || pace_.IsFinishing()) return;
    CheckAccount(account, term);
  }
}

void Keeper::AddAccounts(const ClusterObjects& objects) {
  for (const auto& [name, rules] : classes_) {
    if (!rules.IsPenalised() || ledger_.Find(name) != nullptr) continue;
    const ClassAccount made =
        RebuildAccount(*rules.in_cluster, GroupTable::StatesOf(objects.pod_groups, name),
                       GroupTable::HistoryEnd(objects.pod_groups, name, Now()), Now());
    const std::lock_guard<std::mutex> lock(mutex_);
    reports_.OnError("account", ledger_.Add(made));
  }
}

// Something other than this process may have made, changed or deleted the class.
void Keeper::CheckAccount(const ClassAccount& account, const std::stop_token& term) {
  const auto rules = classes_.find(account.name);
  const bool is_there = rules != classes_.end();
  if (is_there && !rules->second.is_selected) return LetGo(account, rules->second, term);
  // The view may be late: the API server itself is asked, once for each state of the view.
  const std::string version = is_there ? rules->second.in_cluster->resource_version : "";
  const auto checked = checked_.find(account.name);
  if (is_there && checked != checked_.end() && checked->second == version) return;
  if (replacer_.HasOpenIntents()) return TryAgain();
  const auto fresh = cluster_->ReadPriorityClass(account.name, Limits(term));
  if (absl::IsNotFound(fresh.status())) return Forget(account.name);  // a person has deleted it
  reports_.OnError("class", fresh.status());
  if (!fresh.ok()) return TryAgain();
  checked_[account.name] = version;
  if (IsAsWritten(account, *fresh)) return;
  const Replacement adopted = AdoptedAs(account, *fresh, Now());
  if (Account(adopted).ok()) reports_.OnReplaced(adopted, &*fresh);
}

void Keeper::Forget(const std::string& class_name) {
  delays_.erase(class_name);
  checked_.erase(class_name);
  reports_.Forget(class_name);
  const std::lock_guard<std::mutex> lock(mutex_);
  refused_.erase(class_name);
  ledger_.Remove(class_name);
}

bool Keeper::IsAsWritten(const ClassAccount& account, const PriorityClass& in_cluster) {
  // In a dry run nothing is written, whatever the account says.
  if (options_.dry_run) return BaseOf(in_cluster).base == account.base;
  // Without its annotation it may still be ours: the base that is known counts.
  return in_cluster.value == account.written &&
         (BaseOf(in_cluster).base == account.base ||
          !in_cluster.annotations.Contains(kBaseValueAnnotation));
}

// The class is not selected any more: it gets its base back, and is forgotten then. The view may
// not have the last value that was written.
void Keeper::LetGo(const ClassAccount& account, const ClassRules& rules,
                   const std::stop_token& term) {
  using Outcome = Replacement::Outcome;
  const bool is_at_base =
      rules.in_cluster->value == account.base && account.written == account.base;
  if (options_.dry_run || is_at_base) return Forget(account.name);
  TryAgain();
  if (IsDelayed(account.name)) return;
  ReplaceRequest wanted;
  wanted.class_name = account.name;
  wanted.base = wanted.target = account.base;
  wanted.written = account.written;
  wanted.cause = "not selected any more";
  wanted.now = Now();
  const auto restored = replacer_.Restore(wanted, term);
  reports_.OnError("replace", restored.status());
  if (!restored.ok()) return delays_[account.name].OnFailure(Now());
  OnOutcome(*restored);
  const bool is_done =
      restored->outcome == Outcome::kReplaced || restored->outcome == Outcome::kUnchanged ||
      restored->outcome == Outcome::kAbsent || restored->outcome == Outcome::kAdopted;
  if (is_done) Forget(account.name);
}

// ---- PodGroups ----

// What is counted is in the journal before a group is marked, and before a class is replaced.
// False: it is not.
bool Keeper::CountGroups(const std::stop_token& term) {
  for (bool goes_on = true; goes_on && !term.stop_requested();) {
    GroupNews news;
    const size_t pending = ledger_.pending().size();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      news = groups_.Look(objects_->pod_groups, classes_, options_.policy, Now(), &ledger_);
    }
    for (const auto& [group, problem] : news.problems) reports_.OnMarkProblem(group, problem);
    const bool is_written = options_.dry_run || WriteUrgent(term);
    for (const CountedEdge& edge : news.edges) {
      reports_.OnEdge(edge, classes_.at(edge.class_name).policy);
    }
    if (!is_written || !marks_delay_.IsOver(Now())) {
      for (const MarkToWrite& mark : news.marks) groups_.OnNotMarked(mark.group);
      if (!news.marks.empty()) retry_at_ = std::max(marks_delay_.until(), Now() + Delay::kFirst);
      return is_written;
    }
    if (options_.dry_run) DropMarks(news);
    const bool are_marked = options_.dry_run || WriteMarks(news, term);
    // Marks that the view shows have given up their room in the journal.
    const bool has_room =
        ledger_.pending().size() < pending || (options_.dry_run && !news.marks.empty());
    goes_on = are_marked && news.is_full && has_room;
    if (news.is_full && !goes_on) TryAgain();
  }
  return true;
}

bool Keeper::WriteUrgent(const std::stop_token& term) {
  return ledger_.Unwritten(Ledger::Urgency::kNow).empty() || WriteJournal(term).ok();
}

void Keeper::DropMarks(const GroupNews& news) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const MarkToWrite& mark : news.marks) ledger_.DropPending(mark.group.uid);
}

// False: some could not be written.
bool Keeper::WriteMarks(const GroupNews& news, const std::stop_token& term) {
  std::vector<absl::Status> results(news.marks.size());
  ParallelFor(news.marks.size(), kMarksAtOnce, [&](size_t i) {
    results[i] = cluster_->AnnotateGroup(news.marks[i].group, kCountedAnnotation,
                                         news.marks[i].text, Limits(term));
  });
  bool are_written = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  // A pending mark is dropped once the view shows it: the next process may have an older view.
  for (size_t i = 0; i < results.size(); ++i) {
    const PodGroup& group = news.marks[i].group;
    if (results[i].ok() || absl::IsNotFound(results[i])) {
      groups_.OnMarked(group);
      continue;
    }
    groups_.OnNotMarked(group);
    reports_.OnError("mark", results[i]);
    are_written = false;
  }
  marks_delay_.OnResult(are_written, Now());
  if (!are_written) retry_at_ = marks_delay_.until();
  return are_written;
}

absl::Status Keeper::WriteJournal(const std::stop_token& term) {
  if (!journal_delay_.IsOver(Now())) return absl::UnavailableError("it is tried again later");
  const bool later = Now() >= later_written_ + kLater;
  absl::Status written = store_.Write(&ledger_, later, term);
  reports_.OnError("journal", written);
  journal_delay_.OnResult(written.ok(), Now());
  if (later && written.ok()) later_written_ = Now();
  if (absl::IsAborted(written)) has_begun_ = false;
  return written;
}

// ---- Values ----

std::optional<Millis> Keeper::DueOf(const ClassAccount& account) const {
  const auto rules = classes_.find(account.name);
  if (rules == classes_.end() || !rules->second.IsPenalised()) return std::nullopt;
  return NextDue(account.account, rules->second.policy, rules->second.bounds, account.written,
                 Now());
}

void Keeper::ReplaceDue(const std::stop_token& term) {
  std::vector<std::pair<Millis, ClassAccount>> due;
  const Millis now = Now();
  for (const auto& [name, account] : ledger_.classes()) {
    const auto at = DueOf(account);
    if (!at || *at > now || IsDelayed(name)) continue;
    due.emplace_back(*at, account);
  }
  std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [at, account] : due) {
    if (term.stop_requested() || pace_.IsFinishing()) return;
    const auto rules = classes_.find(account.name);
    if (rules != classes_.end()) ReplaceOne(account, rules->second, term);
  }
}

void Keeper::ReplaceOne(const ClassAccount& account, const ClassRules& rules,
                        const std::stop_token& term) {
  ReplaceRequest wanted;
  wanted.now = Now();
  wanted.class_name = account.name;
  wanted.base = account.base;
  wanted.target = ValueAt(account.account, rules.policy, rules.bounds, wanted.now);
  wanted.written = account.written;
  wanted.cause = reports_.CauseOf(account.name);
  wanted.epoch = 1 + account.account.starts + account.account.completions;
  if (options_.dry_run) {
    reports_.OnDryRun(account, wanted.target);
    const std::lock_guard<std::mutex> lock(mutex_);
    return ledger_.OnReplaced(account.name,
                              {wanted.now, account.written, wanted.target, 0, wanted.cause});
  }
  const auto replacement = replacer_.Replace(wanted, term);
  reports_.OnError("replace", replacement.status());
  if (!replacement.ok()) return delays_[account.name].OnFailure(Now());
  OnOutcome(*replacement);
}

void Keeper::Recover(const std::stop_token& term) {
  bool is_well = true;
  for (const Replacer::Recovered& recovered : replacer_.Recover(term)) {
    reports_.OnError("recover", recovered.result.status());
    is_well &= recovered.result.ok();
    if (recovered.result.ok()) OnOutcome(*recovered.result);
  }
  recover_delay_.OnResult(is_well && !replacer_.HasOpenIntents(), Now());
}

void Keeper::OnOutcome(const Replacement& replacement) {
  using Outcome = Replacement::Outcome;
  const auto rules = classes_.find(replacement.class_name);
  reports_.OnReplaced(replacement, rules == classes_.end() ? nullptr : rules->second.in_cluster);
  reports_.OnError("intent", replacement.leftover);
  const bool is_refused =
      replacement.outcome == Outcome::kRefused || replacement.outcome == Outcome::kStuck;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    refused_.erase(replacement.class_name);
    if (is_refused) refused_[replacement.class_name] = replacement.reason;
  }
  // Neither changes by itself soon: the class is looked at again after a while.
  if (is_refused) return delays_[replacement.class_name].OnFailure(Now());
  delays_.erase(replacement.class_name);
  if (replacement.outcome == Outcome::kAdopted || replacement.outcome == Outcome::kAbsent) {
    return reports_.OnError("journal", Account(replacement));
  }
  if (replacement.outcome != Outcome::kUnchanged) return;
  const ClassAccount* const account = ledger_.Find(replacement.class_name);
  if (account != nullptr && account->written != replacement.value) {
    reports_.OnError("journal", Account(replacement));
  }
}

// May come twice for one replacement.
absl::Status Keeper::Account(const Replacement& replacement) {
  using Outcome = Replacement::Outcome;
  const Millis begun = replacement.begun == 0 ? Now() : replacement.begun;  // 0: a repair
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const ClassAccount* const account = ledger_.Find(replacement.class_name);
    if (account == nullptr) return absl::OkStatus();
    const bool is_noted = account->replaced == begun && account->written == replacement.value;
    if (replacement.outcome == Outcome::kAbsent) {
      ledger_.Remove(replacement.class_name);
    } else if (replacement.outcome == Outcome::kAdopted) {
      ledger_.Adopt(AsFound(replacement), Now());
    } else if (!is_noted) {
      ledger_.OnReplaced(replacement.class_name,
                         {begun, replacement.before, replacement.value,
                          std::max<int64_t>(replacement.gap_us, 0), replacement.cause});
    }
  }
  return options_.dry_run ? absl::OkStatus() : store_.Write(&ledger_, /*later=*/false, term_);
}

absl::Status Keeper::FillPage(std::string_view page, PageTable* table) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!leads_) {
    return absl::UnavailableError(
        "this process does not hold the Lease: ask the one that does, or the journal "
        "(outrigger explain penalty)");
  }
  return FillPenaltyPage(page, {ledger_, classes_, groups_, refused_, options_, Now()}, table);
}

}  // namespace outrigger::penalty
