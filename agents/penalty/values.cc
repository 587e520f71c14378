#include "values.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "penalty/classes/base_value.h"

namespace outrigger::penalty {

Replacement AdoptedAs(const ClassAccount& account, const PriorityClass& fresh, Millis now) {
  Replacement adopted;
  adopted.outcome = Replacement::Outcome::kAdopted;
  adopted.class_name = account.name;
  adopted.base = BaseOf(fresh).base;
  adopted.before = account.written;
  adopted.value = fresh.value;
  adopted.begun = now;
  adopted.message =
      fmt::format("value {}, base {}: set by another writer; before that value {}, base {}",
                  adopted.value, adopted.base, account.written, account.base);
  return adopted;
}

PriorityClass AsFound(const Replacement& adopted) {
  PriorityClass found;
  found.name = adopted.class_name;
  found.value = static_cast<int32_t>(adopted.value);
  found.annotations = AnnotationsAt({}, adopted.base, adopted.value);
  return found;
}

namespace {

Replacer::Options ReplacerOptions(const Options& options, const Clock& clock) {
  Replacer::Options made;
  made.namespace_ = options.claim.namespace_;
  made.clock = clock;
  return made;
}

}  // namespace

Values::Values(ClusterAccess* cluster, const Options* options, const Clock* clock, Books* books,
               JournalStore* store, Reports* reports)
    : options_(*options),
      clock_(*clock),
      books_(*books),
      store_(*store),
      reports_(*reports),
      replacer_(
          cluster, cluster, [this](const Replacement& replacement) { return Account(replacement); },
          ReplacerOptions(*options, *clock)),
      stand_ins_(cluster, options, books, reports) {}

Millis Values::Now() const {
  return MillisOf(clock_.wall());
}

absl::Status Values::Begin(const std::stop_token& term) {
  term_ = term;
  delays_.clear();
  recover_delay_ = {};
  return options_.dry_run ? absl::OkStatus() : stand_ins_.Begin(Now(), term);
}

std::optional<Millis> Values::NextDue() const {
  std::optional<Millis> next;
  const auto sooner = [&next](Millis at) { next = std::min(next.value_or(at), at); };
  for (const auto& [name, account] : books_.ledger.classes()) {
    const std::optional<Millis> due = DueOf(account);
    if (!due) continue;
    const auto delay = delays_.find(name);
    sooner(delay == delays_.end() ? *due : std::max(*due, delay->second.until()));
  }
  if (const auto tidy = stand_ins_.NextTidy(); !options_.dry_run && tidy) sooner(*tidy);
  if (!options_.dry_run && HasOpenIntents()) sooner(std::max(Now(), recover_delay_.until()));
  return next;
}

bool Values::IsDelayed(const std::string& class_name) const {
  const auto delay = delays_.find(class_name);
  return delay != delays_.end() && !delay->second.IsOver(Now());
}

std::optional<Millis> Values::DueOf(const ClassAccount& account) const {
  const auto rules = books_.classes.find(account.name);
  if (rules == books_.classes.end() || !rules->second.IsPenalised()) return std::nullopt;
  // What was begun is ended, also if the value would not be due any more.
  if (const auto way = stand_ins_.DueOf(account.name)) return way;
  return penalty::NextDue(account.account, rules->second.policy, rules->second.bounds,
                          account.written, Now());
}

void Values::ReplaceDue(const std::stop_token& term, const std::function<bool()>& stops) {
  std::vector<std::pair<Millis, ClassAccount>> due;
  const Millis now = Now();
  for (const auto& [name, account] : books_.ledger.classes()) {
    const auto at = DueOf(account);
    if (at && *at <= now && !IsDelayed(name)) due.emplace_back(*at, account);
  }
  std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [at, account] : due) {
    if (term.stop_requested() || stops()) return;
    const auto rules = books_.classes.find(account.name);
    if (rules != books_.classes.end()) ReplaceOne(account, rules->second, term);
  }
}

void Values::ReplaceOne(const ClassAccount& account, const ClassRules& rules,
                        const std::stop_token& term) {
  ReplaceRequest wanted;
  wanted.now = Now();
  wanted.class_name = account.name;
  wanted.base = account.base;
  wanted.target = ValueAt(account.account, rules.policy, rules.bounds, wanted.now);
  wanted.written = account.written;
  const bool is_under_way = stand_ins_.DueOf(account.name).has_value();  // with its own cause
  wanted.cause = is_under_way ? "recovery" : reports_.BeginChange(account.name);
  wanted.epoch = 1 + account.account.starts + account.account.completions;
  if (options_.dry_run) {
    reports_.OnDryRun(account, wanted.target);
    const MutexLock lock(books_.mutex);
    return books_.ledger.OnReplaced(account.name,
                                    {wanted.now, account.written, wanted.target, 0, wanted.cause});
  }
  if (options_.mapped) return MapOne(wanted, rules, term);
  const auto replacement = replacer_.Replace(wanted, term);
  reports_.OnError("replace", replacement.status());
  if (!replacement.ok()) return delays_[account.name].OnFailure(Now());
  OnOutcome(*replacement);
}

void Values::MapOne(const ReplaceRequest& wanted, const ClassRules& rules,
                    const std::stop_token& term) {
  const auto mapped = stand_ins_.Map(wanted, rules, term);
  reports_.OnError("map", mapped.status());
  if (!mapped.ok()) return delays_[wanted.class_name].OnFailure(Now());
  if (*mapped) OnOutcome(**mapped);
  // Nothing goes on: the class has first to get its base back, from the other mode.
  const bool goes_on = stand_ins_.DueOf(wanted.class_name).value_or(0) > wanted.now;
  if (!*mapped && !goes_on) delays_[wanted.class_name].OnFailure(Now());
  if (!*mapped || (*mapped)->outcome != Replacement::Outcome::kReplaced) return;
  reports_.OnError("journal", Account(**mapped));
}

void Values::TidyStandIns(const ClusterView& view, const std::stop_token& term) {
  for (const ClassAccount& account : stand_ins_.Tidy(view, Now(), term)) {
    const auto due = DueOf(account);
    if (IsDelayed(account.name) || (due && *due <= Now())) continue;
    ReplaceRequest as_noted;
    as_noted.class_name = account.name;
    as_noted.base = account.base;
    as_noted.target = account.written;
    as_noted.written = account.base;  // this is what pods get
    as_noted.cause = "mapped again";
    as_noted.now = Now();
    MapOne(as_noted, books_.classes.at(account.name), term);
  }
}

void Values::Recover(const std::stop_token& term) {
  if (!recover_delay_.IsOver(Now())) return;
  bool is_well = true;
  for (const Replacer::Recovered& recovered : replacer_.Recover(term)) {
    reports_.OnError("recover", recovered.result.status());
    is_well &= recovered.result.ok();
    if (recovered.result.ok()) OnOutcome(*recovered.result);
  }
  recover_delay_.OnResult(is_well && !replacer_.HasOpenIntents(), Now());
}

void Values::OnOutcome(const Replacement& replacement) {
  using Outcome = Replacement::Outcome;
  const auto rules = books_.classes.find(replacement.class_name);
  reports_.OnReplaced(replacement,
                      rules == books_.classes.end() ? nullptr : rules->second.in_cluster);
  reports_.OnError("intent", replacement.leftover);
  const bool is_refused =
      replacement.outcome == Outcome::kRefused || replacement.outcome == Outcome::kStuck;
  {
    const MutexLock lock(books_.mutex);
    books_.refused.erase(replacement.class_name);
    if (is_refused) books_.refused[replacement.class_name] = replacement.reason;
  }
  // Neither changes by itself soon: the class is looked at again after a while.
  if (is_refused) return delays_[replacement.class_name].OnFailure(Now());
  delays_.erase(replacement.class_name);
  if (replacement.outcome == Outcome::kAdopted || replacement.outcome == Outcome::kAbsent) {
    return reports_.OnError("journal", Account(replacement));
  }
  if (replacement.outcome != Outcome::kUnchanged) return;
  const ClassAccount* const account = books_.ledger.Find(replacement.class_name);
  if (account != nullptr && account->written != replacement.value) {
    reports_.OnError("journal", Account(replacement));
  }
}

// May come twice for one replacement.
absl::Status Values::Account(const Replacement& replacement) {
  using Outcome = Replacement::Outcome;
  const Millis begun = replacement.begun == 0 ? Now() : replacement.begun;  // 0: a repair
  {
    const MutexLock lock(books_.mutex);
    const ClassAccount* const account = books_.ledger.Find(replacement.class_name);
    if (account == nullptr) return absl::OkStatus();
    const bool is_noted = account->replaced == begun && account->written == replacement.value;
    if (replacement.outcome == Outcome::kAbsent) {
      books_.ledger.Remove(replacement.class_name);
    } else if (replacement.outcome == Outcome::kAdopted) {
      books_.ledger.Adopt(AsFound(replacement), Now());
    } else if (!is_noted) {
      books_.ledger.OnReplaced(replacement.class_name,
                               {begun, replacement.before, replacement.value,
                                std::max<int64_t>(replacement.gap_us, 0), replacement.cause});
    }
  }
  return options_.dry_run ? absl::OkStatus() : store_.Write(&books_.ledger, /*later=*/false, term_);
}

bool Values::GiveBack(const ClassAccount& account, const PriorityClass& in_cluster,
                      const std::stop_token& term) {
  using Outcome = Replacement::Outcome;
  if (IsDelayed(account.name)) return false;
  const absl::Status unmapped = stand_ins_.Unmap(account.name, term);
  reports_.OnError("map", unmapped);
  if (!unmapped.ok()) {
    delays_[account.name].OnFailure(Now());
    return false;
  }
  // Its name is mapped, and the class has never been touched.
  if (options_.mapped && in_cluster.value == account.base &&
      !in_cluster.annotations.Contains(kBaseValueAnnotation)) {
    return true;
  }
  ReplaceRequest wanted;
  wanted.class_name = account.name;
  wanted.base = wanted.target = account.base;
  wanted.written = account.written;
  wanted.cause = "no longer selected";
  wanted.now = Now();
  const auto restored = replacer_.Restore(wanted, term);
  reports_.OnError("replace", restored.status());
  if (!restored.ok()) {
    delays_[account.name].OnFailure(Now());
    return false;
  }
  OnOutcome(*restored);
  return restored->outcome == Outcome::kReplaced || restored->outcome == Outcome::kUnchanged ||
         restored->outcome == Outcome::kAbsent || restored->outcome == Outcome::kAdopted;
}

}  // namespace outrigger::penalty
