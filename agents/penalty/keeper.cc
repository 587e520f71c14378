#include "keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/parallel.h"
#include "page_rows.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/pages.h"
#include "values.h"

namespace outrigger::penalty {
namespace {

constexpr size_t kMarksAtOnce = 8;
// Maps that have time are written so often: the last changes of classes, sums.
constexpr Millis kLater = 5'000;
// Counting waits at most so long for what queues and namespaces say.
constexpr Millis kPoliciesWait = 10'000;

CallLimits Limits(const std::stop_token& term) {
  return {.timeout = std::chrono::seconds(10), .stop = term};
}

void Sooner(std::optional<Millis> other, std::optional<Millis>* at) {
  if (other && (!*at || *other < **at)) *at = other;
}

}  // namespace

void TermEnd::BeginTerm() {
  const MutexLock lock(mutex_);
  is_leading_ = true;
}

void TermEnd::EndTerm() {
  const MutexLock lock(mutex_);
  is_leading_ = false;
  ended_.notify_all();
}

bool TermEnd::IsFinishing() const {
  const MutexLock lock(mutex_);
  return is_finishing_;
}

void TermEnd::Ask() {
  const MutexLock lock(mutex_);
  is_finishing_ = true;
}

void TermEnd::Await(std::chrono::milliseconds limit) {
  MutexLock lock(mutex_);
  ended_.wait_for(lock, limit,
                  [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_leading_; });
}

Keeper::Keeper(const AgentDeps& deps, Options options)
    : clock_(deps.clock),
      options_(std::move(options)),
      cluster_(deps.cluster),
      store_(deps.cluster, options_.claim.namespace_),
      reports_(deps, options_.dry_run ? nullptr : deps.cluster),
      values_(deps.cluster, &options_, &clock_, &books_, &store_, &reports_) {
  if (!options_.mapped) return;
  values_.stand_ins().Follow(cluster_, [this] {
    quotas_changed_ = true;
    Wake();
  });
}

Millis Keeper::Now() const {
  return MillisOf(clock_.wall());
}

// ---- The term ----

void Keeper::Finish(std::chrono::milliseconds limit) {
  term_end_.Ask();
  pace_.Wake();
  term_end_.Await(limit);
}

void Keeper::SetLeads(bool leads) {
  reports_.OnLeading(leads);
  const MutexLock lock(books_.mutex);
  leads_ = leads;
}

void Keeper::Lead(const std::stop_token& term) {
  const Subscription changes = cluster_->OnChange([this] { Wake(); }, ChangeScope::kAll);
  has_begun_ = false;
  begin_delay_ = {};
  term_end_.BeginTerm();
  SetLeads(true);
  while (!term.stop_requested() && !term_end_.IsFinishing()) {
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
    reports_.OnError("journal", store_.Write(&books_.ledger, /*later=*/true, term));
  }
  policies_.reset();
  SetLeads(false);
  term_end_.EndTerm();
}

absl::Status Keeper::Begin(const std::stop_token& term) {
  absl::StatusOr<JournalRead> read = store_.Load(Now(), term);
  if (!read.ok()) return read.status();
  if (read->is_newer) {
    return absl::FailedPreconditionError(fmt::format(
        "the journal in namespace {} was written by a later version of Outrigger: run that "
        "version, or remove the penalty with its `outrigger penalty restore --all`",
        options_.claim.namespace_));
  }
  findings_ = std::move(read->findings);
  {
    const MutexLock lock(books_.mutex);
    books_.ledger = std::move(read->ledger);
    // A damaged account counts for nothing: it is made again from class and PodGroups.
    for (const std::string& name : read->damaged) books_.ledger.Remove(name);
    books_.groups = GroupTable();
    books_.refused.clear();
    books_.objects = nullptr;  // all is news
    books_.classes.clear();
  }
  if (!policies_) policies_.emplace(cluster_, [this] { Wake(); });
  begun_ = Now();
  checked_.clear();
  journal_delay_ = marks_delay_ = {};
  if (absl::Status begun = values_.Begin(term); !begun.ok()) return begun;
  retry_at_.reset();
  next_look_.reset();
  has_begun_ = true;
  if (!options_.dry_run) values_.Recover(term);
  return absl::OkStatus();
}

std::optional<Millis> Keeper::Round(const std::stop_token& term) {
  // A class that is away needs no view to come back.
  if (!options_.dry_run && values_.HasOpenIntents()) values_.Recover(term);
  const auto view = cluster_->Take();
  reports_.OnError("view", view.status());
  if (!view.ok()) return Now() + Delay::kFirst;
  if (!KnowsPolicies()) return Now() + Delay::kFirst;
  // Most changes are those of pods and nodes.
  if (!IsNews(*view->objects) && (!next_look_ || Now() < *next_look_)) return next_look_;
  retry_at_.reset();
  MakeTable(view->objects);
  Settle(*view->objects, term);
  MakeTable(view->objects);
  reports_.OnJournal(std::exchange(findings_, {}), books_.classes);
  reports_.OnClasses(books_.classes, books_.refused, books_.ledger);
  if (!options_.dry_run) values_.TidyStandIns(*view, term);
  if (CountGroups(term)) values_.ReplaceDue(term, [this] { return term_end_.IsFinishing(); });
  reports_.OnAccounts(books_.ledger, books_.classes, Now());
  if (!options_.dry_run) WriteJournal(term).IgnoreError();  // reported there
  next_look_ = NextLook();
  return next_look_;
}

// False: they are waited for.
bool Keeper::KnowsPolicies() {
  reports_.OnPolicyProblems(policies_->TakeProblems());
  const absl::Status usable = policies_->Usable();
  if (usable.ok()) return true;
  if (Now() < begun_ + kPoliciesWait) return false;
  reports_.OnError("policies", usable);
  return true;
}

bool Keeper::IsNews(const ClusterObjects& objects) const {
  return books_.objects == nullptr || quotas_changed_ ||
         objects.version != books_.objects->version ||
         objects.status_version != books_.objects->status_version;
}

void Keeper::TryAgain() {
  retry_at_ = Now() + Delay::kFirst;
}

std::optional<Millis> Keeper::NextLook() const {
  std::optional<Millis> next = retry_at_;
  Sooner(values_.NextDue(), &next);
  if (options_.dry_run) return next;
  if (!books_.ledger.Unwritten(Ledger::Urgency::kNow).empty()) {
    Sooner(std::max(Now(), journal_delay_.until()), &next);
  }
  if (!books_.ledger.Unwritten(Ledger::Urgency::kLater).empty()) {
    Sooner(std::max(later_written_ + kLater, journal_delay_.until()), &next);
  }
  return next;
}

// ---- Classes ----

void Keeper::MakeTable(std::shared_ptr<const ClusterObjects> objects) {
  quotas_changed_ = false;
  ClassTable made = MakeClassTable(objects->classes, books_.ledger, options_);
  values_.stand_ins().LeaveAlone(&made);
  const MutexLock lock(books_.mutex);
  books_.classes = std::move(made);
  books_.objects = std::move(objects);
}

void Keeper::Settle(const ClusterObjects& objects, const std::stop_token& term) {
  AddAccounts(objects);
  std::vector<ClassAccount> others;  // that may not be as they were written
  for (const auto& [name, account] : books_.ledger.classes()) {
    const auto rules = books_.classes.find(name);
    const bool is_settled = rules != books_.classes.end() && rules->second.is_selected &&
                            IsAsWritten(account, *rules->second.in_cluster);
    if (is_settled) {
      checked_[name] = rules->second.in_cluster->resource_version;
    } else {
      others.push_back(account);
    }
  }
  for (const ClassAccount& account : others) {
    if (term.stop_requested() || term_end_.IsFinishing()) return;
    CheckAccount(account, term);
  }
}

void Keeper::AddAccounts(const ClusterObjects& objects) {
  for (const auto& [name, rules] : books_.classes) {
    if (!rules.IsPenalised() || books_.ledger.Find(name) != nullptr) continue;
    const ClassAccount made =
        RebuildAccount(values_.stand_ins().AsPodsGetIt(*rules.in_cluster),
                       GroupTable::StatesOf(objects.pod_groups, name),
                       GroupTable::HistoryEnd(objects.pod_groups, name, Now()), Now());
    const MutexLock lock(books_.mutex);
    reports_.OnError("account", books_.ledger.Add(made));
  }
}

// Something other than this process may have made, changed or deleted the class.
void Keeper::CheckAccount(const ClassAccount& account, const std::stop_token& term) {
  const auto rules = books_.classes.find(account.name);
  const bool is_there = rules != books_.classes.end();
  if (is_there && !rules->second.is_selected) return LetGo(account, rules->second, term);
  // The view may be late: the API server itself is asked, once for each state of the view.
  const std::string version = is_there ? rules->second.in_cluster->resource_version : "";
  const auto checked = checked_.find(account.name);
  if (is_there && checked != checked_.end() && checked->second == version) return;
  if (values_.HasOpenIntents()) return TryAgain();
  const auto fresh = cluster_->ReadPriorityClass(account.name, Limits(term));
  if (absl::IsNotFound(fresh.status())) return Forget(account.name);  // a person has deleted it
  reports_.OnError("class", fresh.status());
  if (!fresh.ok()) return TryAgain();
  checked_[account.name] = version;
  if (IsAsWritten(account, *fresh)) return;
  // Mode `mapped`: the class was penalised by the other mode.
  if (options_.mapped && is_there && BaseOf(*fresh).base == account.base) {
    checked_.erase(account.name);
    TryAgain();
    values_.GiveBack(account, *fresh, term);
    return;
  }
  const Replacement adopted = AdoptedAs(account, *fresh, Now());
  if (values_.Account(adopted).ok()) reports_.OnReplaced(adopted, &*fresh);
}

void Keeper::Forget(const std::string& class_name) {
  values_.Forget(class_name);
  checked_.erase(class_name);
  reports_.Forget(class_name);
  const MutexLock lock(books_.mutex);
  books_.refused.erase(class_name);
  books_.ledger.Remove(class_name);
}

bool Keeper::IsAsWritten(const ClassAccount& account, const PriorityClass& in_cluster) {
  // In a dry run nothing is written, whatever the account says.
  if (options_.dry_run) return BaseOf(in_cluster).base == account.base;
  if (options_.mapped) {
    return in_cluster.value == account.base &&
           !in_cluster.annotations.Contains(kBaseValueAnnotation);
  }
  // Without its annotation it may still be ours: the base that is known counts.
  return in_cluster.value == account.written &&
         (BaseOf(in_cluster).base == account.base ||
          !in_cluster.annotations.Contains(kBaseValueAnnotation));
}

// The class is no longer selected: it gets its base back, and is forgotten then. The view may
// not have the last value that was written.
void Keeper::LetGo(const ClassAccount& account, const ClassRules& rules,
                   const std::stop_token& term) {
  const bool is_at_base =
      rules.in_cluster->value == account.base && account.written == account.base;
  if (options_.dry_run || is_at_base) return Forget(account.name);
  TryAgain();
  if (values_.GiveBack(account, *rules.in_cluster, term)) Forget(account.name);
}

// ---- PodGroups ----

// What is counted is in the journal before a group is marked, and before a class is replaced.
// False: it is not.
bool Keeper::CountGroups(const std::stop_token& term) {
  for (bool goes_on = true; goes_on && !term.stop_requested();) {
    GroupNews news;
    const size_t pending = books_.ledger.pending().size();
    {
      const MutexLock lock(books_.mutex);
      const auto policy_of = [this](const PodGroup& group, const Policy& of_class) {
        return policies_->Of(group, of_class);
      };
      news = books_.groups.Look(books_.objects->pod_groups, books_.classes, options_.policy,
                                policy_of, Now(), &books_.ledger);
    }
    for (const auto& [group, problem] : news.problems) reports_.OnMarkProblem(group, problem);
    const bool is_written = options_.dry_run || WriteUrgent(term);
    for (const CountedEdge& edge : news.edges) reports_.OnEdge(edge);
    if (!is_written || !marks_delay_.IsOver(Now())) {
      for (const MarkToWrite& mark : news.marks) books_.groups.OnNotMarked(mark.group);
      if (!news.marks.empty()) retry_at_ = std::max(marks_delay_.until(), Now() + Delay::kFirst);
      return is_written;
    }
    if (options_.dry_run) DropMarks(news);
    const bool are_marked = options_.dry_run || WriteMarks(news, term);
    // Marks that the view shows have given up their room in the journal.
    const bool has_room =
        books_.ledger.pending().size() < pending || (options_.dry_run && !news.marks.empty());
    goes_on = are_marked && news.is_full && has_room;
    if (news.is_full && !goes_on) TryAgain();
  }
  return true;
}

bool Keeper::WriteUrgent(const std::stop_token& term) {
  return books_.ledger.Unwritten(Ledger::Urgency::kNow).empty() || WriteJournal(term).ok();
}

void Keeper::DropMarks(const GroupNews& news) {
  const MutexLock lock(books_.mutex);
  for (const MarkToWrite& mark : news.marks) books_.ledger.DropPending(mark.group.uid);
}

// False: some could not be written.
bool Keeper::WriteMarks(const GroupNews& news, const std::stop_token& term) {
  std::vector<absl::Status> results(news.marks.size());
  ParallelFor(news.marks.size(), kMarksAtOnce, [&](size_t i) {
    results[i] = cluster_->AnnotateGroup(news.marks[i].group, kCountedAnnotation,
                                         news.marks[i].text, Limits(term));
  });
  bool are_written = true;
  const MutexLock lock(books_.mutex);
  // A pending mark is dropped once the view shows it: the next process may have an older view.
  for (size_t i = 0; i < results.size(); ++i) {
    const PodGroup& group = news.marks[i].group;
    if (results[i].ok() || absl::IsNotFound(results[i])) {
      books_.groups.OnMarked(group);
      continue;
    }
    books_.groups.OnNotMarked(group);
    reports_.OnError("mark", results[i]);
    are_written = false;
  }
  marks_delay_.OnResult(are_written, Now());
  if (!are_written) retry_at_ = marks_delay_.until();
  return are_written;
}

absl::Status Keeper::WriteJournal(const std::stop_token& term) {
  if (!journal_delay_.IsOver(Now())) return absl::UnavailableError("it will be retried");
  const bool later = Now() >= later_written_ + kLater;
  absl::Status written = store_.Write(&books_.ledger, later, term);
  reports_.OnError("journal", written);
  journal_delay_.OnResult(written.ok(), Now());
  if (later && written.ok()) later_written_ = Now();
  if (absl::IsAborted(written)) has_begun_ = false;
  return written;
}

absl::Status Keeper::FillPods(const std::map<std::string, int64_t, std::less<>>& mapped,
                              PageTable* table) const {
  const auto view = cluster_->Take();
  if (!view.ok()) return view.status();
  LowPods low;
  view->snapshot->ForEachPod([&low](const PodView& pod) { low.Take(pod.Unpack()); });
  low.Fill(view->objects->classes, mapped, table);
  return absl::OkStatus();
}

absl::Status Keeper::FillPage(std::string_view page, PageTable* table) const {
  std::map<std::string, int64_t, std::less<>> mapped;
  {
    const MutexLock lock(books_.mutex);
    if (!leads_) {
      return absl::UnavailableError(
          "this process does not hold the Lease: ask the one that does, or the journal "
          "(outrigger explain penalty)");
    }
    if (page != PodsPage().name) {
      const Picture picture{books_.ledger,  books_.classes, books_.groups,
                            books_.refused, options_,       Now()};
      return FillPenaltyPage(page, picture, table);
    }
    if (options_.mapped && !options_.dry_run) {
      for (const auto& [name, account] : books_.ledger.classes()) mapped[name] = account.written;
    }
  }
  return FillPods(mapped, table);
}

}  // namespace outrigger::penalty
