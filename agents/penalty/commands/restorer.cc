#include "penalty/commands/restorer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "console/format/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "outrigger/base/text.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/restore.h"
#include "penalty/commands/journal_reader.h"

namespace outrigger::cli {
namespace {

using penalty::ClassAccount;
using penalty::Replacement;
using penalty::RestoreTarget;

constexpr std::string_view kRestoreCause = "restore";  // of penalty::RestoreClasses()

CallLimits RestoreLimits(const std::stop_token& term) {
  return {.timeout = std::chrono::seconds(10), .stop = term};
}

penalty::Replacer::Options OptionsOf(const RestoreWish& wish, const Clock& clock) {
  penalty::Replacer::Options options;
  options.namespace_ = wish.namespace_;
  options.clock = clock;
  return options;
}

/// What has to be done to a class as it is now; nothing: it is at its base. The base is that of its
/// annotation; of a class that has lost it, that of the journal, if it still has the value that the
/// journal knows. FailedPrecondition: the base is not known.
absl::StatusOr<std::optional<RestoreTarget>> WantedOf(const PriorityClass& there,
                                                      const ClassAccount* account) {
  RestoreTarget wanted;
  wanted.class_name = there.name;
  const bool is_annotated = there.annotations.Contains(penalty::kBaseValueAnnotation);
  const penalty::BaseValue base = penalty::BaseOf(there);
  if (is_annotated && base.problem.empty()) {
    wanted.base = base.base;
  } else if (account != nullptr && account->written == there.value) {
    wanted.base = account->base;
    wanted.written = account->written;
  } else if (is_annotated) {
    return absl::FailedPreconditionError(
        fmt::format("left at {}, since its base is unknown: {}. Correct or remove the annotation",
                    there.value, base.problem));
  } else {
    wanted.base = there.value;
  }
  if (there.value == wanted.base && !is_annotated) return std::optional<RestoreTarget>();
  return wanted;
}

}  // namespace

Restorer::Restorer(const PenaltyCluster& cluster, RestoreWish wish, RestoreReport report,
                   Clock clock)
    : cluster_(cluster),
      wish_(std::move(wish)),
      report_(std::move(report)),
      clock_(std::move(clock)),
      store_(cluster_.maps, wish_.namespace_),
      replacer_(
          cluster_.classes, cluster_.maps,
          [this](const Replacement& replacement) { return Account(replacement); },
          OptionsOf(wish_, clock_)),
      mapper_(cluster_.classes, cluster_.maps, wish_.namespace_) {}

penalty::Millis Restorer::Now() const {
  return penalty::MillisOf(clock_.wall());
}

absl::Status Restorer::NoSuchClass(const std::vector<PriorityClass>& classes) const {
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const PriorityClass& one : classes) names.push_back(one.name);
  return absl::NotFoundError(Printable(fmt::format(
      "there is no PriorityClass {}{}", wish_.class_name, DidYouMean(wish_.class_name, names))));
}

absl::Status Restorer::Check() {
  const auto classes = cluster_.objects->ListClasses(RestoreLimits({}));
  if (!classes.ok()) return classes.status();
  const auto is_meant = [this](const PriorityClass& one) { return one.name == wish_.class_name; };
  if (wish_.class_name.empty() || std::any_of(classes->begin(), classes->end(), is_meant)) {
    return absl::OkStatus();
  }
  if (const auto loaded = Load({}); !loaded.ok()) return loaded.status();
  if (HasEntry(wish_.class_name)) return absl::OkStatus();
  // It may be away in the middle of a change.
  for (int i = 0; i < penalty::kIntentMaps; ++i) {
    const auto map = cluster_.maps->ReadConfigMap(
        wish_.namespace_, penalty::JournalMapName({penalty::JournalMapKind::kIntent, i}),
        RestoreLimits({}));
    if (map.ok()) return absl::OkStatus();
    if (!absl::IsNotFound(map.status())) return map.status();
  }
  return NoSuchClass(*classes);
}

absl::StatusOr<std::vector<penalty::JournalFinding>> Restorer::Load(const std::stop_token& term) {
  auto read = ReadUsableJournal(&store_, wish_.namespace_, Now(), term);
  if (!read.ok()) return read.status();
  ledger_ = std::move(read->ledger);
  damaged_ = {read->damaged.begin(), read->damaged.end()};
  return std::move(read->findings);
}

bool Restorer::HasEntry(const std::string& name) const {
  return ledger_.Find(name) != nullptr || damaged_.contains(name);
}

void Restorer::Say(const std::string& name, const std::string& text) {
  has_said_ = true;
  report_.say(Printable(fmt::format("{}: {}", name, text)));
}

// May come twice for one replacement. A restored class leaves the journal before its intent does.
absl::Status Restorer::Account(const Replacement& replacement) {
  const ClassAccount* const account = ledger_.Find(replacement.class_name);
  if (account == nullptr) return absl::OkStatus();
  const bool is_noted =
      account->replaced == replacement.begun && account->written == replacement.value;
  switch (replacement.outcome) {
    case Replacement::Outcome::kAdopted:
      return absl::OkStatus();  // the journal learns of it when the class is restored
    case Replacement::Outcome::kAbsent:
      ledger_.Remove(replacement.class_name);
      break;
    default:
      if (replacement.cause == kRestoreCause) {
        ledger_.Remove(replacement.class_name);
      } else if (!is_noted) {
        ledger_.OnReplaced(replacement.class_name,
                           {replacement.begun, replacement.before, replacement.value,
                            std::max<int64_t>(replacement.gap_us, 0), replacement.cause});
      }
  }
  return store_.Write(&ledger_, /*later=*/false, term_);
}

// Changes that a process has begun and not ended: their classes may be away.
void Restorer::EndIntents(const std::stop_token& term) {
  for (const penalty::Replacer::Recovered& recovered : replacer_.Recover(term)) {
    if (!recovered.result.ok()) {
      report_.note(fmt::format("ConfigMap {}: an unfinished change cannot be completed: {}",
                               recovered.map, std::string(recovered.result.status().message())));
      if (wish_.class_name.empty()) failed_.insert(recovered.map);
      continue;
    }
    const Replacement& ended = *recovered.result;
    if (ended.outcome == Replacement::Outcome::kReplaced) {
      report_.note(fmt::format("{}: an unfinished change to {} is completed", ended.class_name,
                               ended.value));
      if (!ended.message.empty())
        report_.note(fmt::format("{}: {}", ended.class_name, ended.message));
    } else if (ended.outcome == Replacement::Outcome::kStuck) {
      report_.note(fmt::format("{}: {}", ended.class_name, ended.message));
      failed_.insert(ended.class_name);
    }
  }
}

absl::StatusOr<std::set<std::string>> Restorer::Names(const std::stop_token& term) {
  const auto classes = cluster_.objects->ListClasses(RestoreLimits(term));
  if (!classes.ok()) return classes.status();
  std::set<std::string> names = damaged_;
  for (const auto& [name, account] : ledger_.classes()) names.insert(name);
  for (const auto& [name, stand_in] : unmapped_) names.insert(name);
  for (const PriorityClass& one : *classes) {
    if (one.annotations.Contains(penalty::kBaseValueAnnotation)) names.insert(one.name);
  }
  if (wish_.class_name.empty()) return names;
  const bool is_there = std::any_of(classes->begin(), classes->end(), [this](const auto& one) {
    return one.name == wish_.class_name;
  });
  if (!is_there && !HasEntry(wish_.class_name)) return NoSuchClass(*classes);
  return std::set<std::string>{wish_.class_name};
}

absl::StatusOr<std::string> Restorer::Outcome(const Replacement& replacement) {
  switch (replacement.outcome) {
    case Replacement::Outcome::kReplaced:
      return fmt::format("{} -> {}", replacement.before, replacement.value);
    case Replacement::Outcome::kAbsent:
      return std::string("not in the cluster");
    case Replacement::Outcome::kRefused:
    case Replacement::Outcome::kStuck:
    case Replacement::Outcome::kAdopted:
      return absl::FailedPreconditionError(
          fmt::format("left at {}: {}", replacement.value, replacement.message));
    default:
      return fmt::format("{}, its base", replacement.value);
  }
}

absl::StatusOr<std::string> Restorer::Restored(const std::string& name,
                                               const std::stop_token& term) {
  const auto there = cluster_.classes->ReadPriorityClass(name, RestoreLimits(term));
  if (absl::IsNotFound(there.status()) && replacer_.HasOpenIntents()) {
    return absl::FailedPreconditionError(
        "not in the cluster, perhaps because of an unfinished change that cannot be completed");
  }
  if (absl::IsNotFound(there.status())) return std::string("not in the cluster");
  if (!there.ok()) return there.status();
  const auto wanted = WantedOf(*there, ledger_.Find(name));
  if (!wanted.ok()) return wanted.status();
  const auto mapped = unmapped_.find(name);
  if (!*wanted && mapped != unmapped_.end()) {
    cluster_.objects->Record(*there, "PenaltyRestored",
                             "new pods get the class itself, by outrigger penalty restore");
    return fmt::format("{} -> {}", mapped->second, there->value);
  }
  if (!*wanted) {
    return fmt::format("{}{}, its base",
                       HasEntry(name) ? "" : "nothing to restore: ", there->value);
  }
  const std::vector<penalty::RestoredClass> restored =
      RestoreClasses(&replacer_, cluster_.classes, {&**wanted, 1}, Now(), term);
  const absl::StatusOr<Replacement>& done = restored.front().result;
  if (!done.ok()) return done.status();
  auto text = Outcome(*done);
  if (done->outcome == Replacement::Outcome::kReplaced) {
    cluster_.objects->Record(*there, "PenaltyRestored",
                             fmt::format("value {}, by outrigger penalty restore", *text));
  }
  return text;
}

void Restorer::RestoreOne(const std::string& name, const std::stop_token& term) {
  const auto text = Restored(name, term);
  if (text.ok()) {
    Say(name, *text);
    ledger_.Remove(name);
    damaged_.erase(name);
  } else {
    failed_.insert(name);
    Say(name, std::string(text.status().message()));
  }
}

// New pods get their classes' own values.
absl::Status Restorer::UnmapClasses(const std::stop_token& term) {
  if (absl::Status begun = mapper_.Begin(/*makes=*/false, term); !begun.ok()) return begun;
  const auto entries = mapper_.entries();
  for (const auto& [name, stand_in] : entries) {
    if (!wish_.class_name.empty() && name != wish_.class_name) continue;
    if (absl::Status done = mapper_.Unmap(name, term); !done.ok()) return done;
    unmapped_[name] = stand_in;
  }
  return absl::OkStatus();
}

// Stand-ins of the classes that are restored, but for those whose pods are known by that name
// alone, and those of PodGroups, whose class their scheduler reads by its name.
absl::StatusOr<std::vector<PriorityClass>> Restorer::IdleStandIns(const std::stop_token& term) {
  const auto classes = cluster_.objects->ListClasses(RestoreLimits(term));
  if (!classes.ok()) return classes.status();
  std::vector<PriorityClass> idle;
  for (const PriorityClass& one : *classes) {
    const std::string_view of = penalty::StandsFor(one);
    const bool is_meant = wish_.class_name.empty() || of == wish_.class_name;
    if (!of.empty() && is_meant) idle.push_back(one);
  }
  if (idle.empty()) return idle;
  const auto groups = cluster_.objects->ListGroups(RestoreLimits(term));
  if (!groups.ok()) return groups.status();
  std::set<std::string> named;
  for (const PodGroup& group : *groups) named.insert(group.priority_class_name);
  absl::Status listed = cluster_.objects->ForEachPod([&named](const Pod& pod) {
    if (!pod.IsFinished()) named.insert(pod.priority_class_name);
  });
  if (!listed.ok()) return listed;
  std::erase_if(idle, [&](const PriorityClass& one) {
    if (!named.contains(one.name)) return false;
    if (kept_.insert(one.name).second) {
      report_.note(fmt::format("{} stays, since pods or PodGroups name it", one.name));
    }
    return true;
  });
  return idle;
}

// Not before all API servers know that no pod gets them.
absl::Status Restorer::DeleteStandIns(const std::stop_token& term) {
  const auto is_used = [](const PriorityClass&) { return false; };
  auto idle = IdleStandIns(term);
  if (!idle.ok()) return idle.status();
  if (absl::Status seen = mapper_.DeleteIdle(*idle, is_used, Now(), term); !seen.ok()) return seen;
  const auto next = mapper_.NextIdle();
  if (!next) return absl::OkStatus();
  report_.note(fmt::format(
      "stand-ins are deleted in {} s: until then an API server may still give them to new pods",
      penalty::Mapper::kKept / 1000));
  clock_.sleep(std::chrono::milliseconds(*next - Now()), term);
  idle = IdleStandIns(term);
  if (!idle.ok()) return idle.status();
  return mapper_.DeleteIdle(*idle, is_used, *next, term);
}

// The whole journal goes if no class needs it any more, else what is restored.
absl::Status Restorer::Finish(const std::stop_token& term) {
  if (!wish_.class_name.empty() || !failed_.empty()) return store_.Write(&ledger_, true, term);
  absl::Status removed =
      penalty::RemoveJournal(cluster_.maps, wish_.namespace_, RestoreLimits(term));
  if (!removed.ok()) return removed;
  if (!has_said_) report_.say("nothing to restore");
  return absl::OkStatus();
}

absl::Status Restorer::Run(const std::stop_token& term) {
  term_ = term;
  const auto findings = Load(term);
  if (!findings.ok()) return findings.status();
  for (const std::string& note : FindingNotes(*findings)) report_.note(note);
  EndIntents(term);
  if (absl::Status unmapped = UnmapClasses(term); !unmapped.ok()) return unmapped;
  const auto names = Names(term);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (term.stop_requested()) break;
    RestoreOne(name, term);
  }
  absl::Status deleted = term.stop_requested() ? absl::OkStatus() : DeleteStandIns(term);
  if (term.stop_requested()) {
    return absl::AbortedError(
        "the Lease was lost before everything was done: run this command again");
  }
  if (!deleted.ok()) return deleted;
  if (absl::Status finished = Finish(term); !finished.ok()) return finished;
  if (failed_.empty()) return absl::OkStatus();
  return absl::AbortedError(Printable(
      fmt::format("not restored, and kept in the journal: {}", fmt::join(failed_, ", "))));
}

}  // namespace outrigger::cli
