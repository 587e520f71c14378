#include <algorithm>
#include <set>

#include "cli/doctor/checks.h"
#include "cli/doctor/only_groups.h"
#include "cli/serve/options.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;
using Entries = std::vector<const Entry*>;

Id MissingId(const AgentInfo& agent, EntryVerb verb) {
  if (verb == kBindVerb && !agent.factory.binds) return Id::kPreBindMissing;
  constexpr Id kIds[] = {Id::kFilterMissing, Id::kPreemptMissing, Id::kPrioritizeMissing,
                         Id::kBindMissing};
  return kIds[verb];
}

bool AnyHas(const Entries& entries, EntryVerb verb) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry* entry) { return entry->Has(verb); });
}

// One that is broken is no good, but it is reported already.
bool AnyNames(const Entries& entries, EntryVerb verb) {
  return AnyHas(entries, verb) ||
         std::any_of(entries.begin(), entries.end(),
                     [&](const Entry* entry) { return entry->verbs[verb].Broken(); });
}

// The entry that `verb` belongs into: bind has one of its own, the others are together.
const Entry& EntryFor(const Entries& entries, EntryVerb verb) {
  if (verb == kBindVerb) return *entries.front();
  const auto in_cycle = std::find_if(entries.begin(), entries.end(),
                                     [](const Entry* entry) { return entry->InCycle(); });
  return in_cycle == entries.end() ? *entries.front() : **in_cycle;
}

std::string WriteFor(const DoctorCase& found, const AgentInfo& agent, const Entry& entry,
                     EntryVerb verb) {
  if (verb == kPrioritizeVerb) return "prioritizeVerb: prioritize and weight: 1";
  if (verb != kBindVerb) return fmt::format("{}: {}", FieldNameOf(verb), NameOf(verb));
  const auto other = std::find_if(found.entries.begin(), found.entries.end(),
                                  [](const Entry& one) { return one.Has(kBindVerb); });
  if (other != found.entries.end() && other->agent != nullptr && other->agent != &agent) {
    return InOneProcess(*other->agent, agent);
  }
  const std::string instead =
      other == found.entries.end()
          ? ""
          : fmt::format(", and take bindVerb out of {}: a scheduler takes one binder",
                        other->Title());
  return fmt::format("a second entry with urlPrefix: {}, bindVerb: bind and httpTimeout: 10m30s{}",
                     entry.url_text.value, instead);
}

void CheckComplete(const DoctorCase& found, const AgentInfo& agent, const Entries& entries,
                   Findings* findings) {
  const bool plans = agent.factory.wishes.last;
  for (size_t i = 0; i < kVerbCount; ++i) {
    const auto verb = static_cast<EntryVerb>(i);
    if (!HasVerb(agent, verb) || AnyNames(entries, verb)) continue;
    // Others may be asked for a part of what they have; but an agent that filters and preempts
    // needs both, and one that prepares pods has to hear of each.
    const bool needs = verb == kPreemptVerb ? AnyHas(entries, kFilterVerb)
                                            : verb == kBindVerb && agent.factory.prebinds;
    if (!plans && !needs) continue;
    const Entry& entry = EntryFor(entries, verb);
    findings->Add(MissingId(agent, verb), entry.place(), fmt::format("no {}", FieldNameOf(verb)),
                  WriteFor(found, agent, entry, verb));
  }
}

void CheckSplit(const AgentInfo& agent, const Entries& entries, Findings* findings) {
  if (!HasVerb(agent, kBindVerb)) return;
  for (const Entry* entry : entries) {
    if (!entry->Has(kBindVerb)) continue;
    if (entry->InCycle()) {
      findings->Add(Id::kBindNotSplit, entry->verbs[kBindVerb].place,
                    "bindVerb beside verbs of the scheduling cycle",
                    "two entries with this urlPrefix: one with httpTimeout: 1s for filter, "
                    "prioritize and preempt, one with bindVerb and httpTimeout: 10m30s");
    }
    for (const Entry* other : entries) {
      if (!other->Has(kFilterVerb) || other->url->Address() == entry->url->Address()) continue;
      findings->Add(
          Id::kEntriesApart, entry->url_text.place, entry->url_text.value,
          fmt::format("urlPrefix: {}, as in {}", other->url_text.value, other->place().path));
    }
  }
}

void CheckTwice(const Entries& entries, Findings* findings) {
  std::set<std::string> seen;
  for (const Entry* entry : entries) {
    for (size_t i = 0; i < kVerbCount; ++i) {
      const auto verb = static_cast<EntryVerb>(i);
      if (!entry->Has(verb) || verb == kBindVerb) continue;  // two binders are refused
      const std::string call = fmt::format("POST {}{}", entry->url->Address(), entry->PathOf(verb));
      if (seen.insert(fmt::format("{} {}", FieldNameOf(verb), call)).second) continue;
      findings->Add(Id::kEntryTwice, entry->verbs[i].place, call + ", again",
                    fmt::format("{} in one entry alone", FieldNameOf(verb)));
    }
  }
}

// Names of one machine are one host.
bool IsSameProcess(const EntryUrl& a, const EntryUrl& b) {
  const bool is_same_host = a.host == b.host || (IsLoopback(a.host) && IsLoopback(b.host));
  return is_same_host && a.port == b.port;
}

void AddTwoDesks(const AgentInfo& first, const Entry& one, const AgentInfo& agent,
                 const Entry& other, Findings* findings) {
  findings->Add(Id::kTwoDesks, other.url_text.place,
                fmt::format("{} at {}, and {} at {}", first.name, one.url->Address(), agent.name,
                            other.url->Address()),
                InOneProcess(first, agent));
}

// Agents of one process share a desk. One agent at two addresses is found as kEntriesApart.
void CheckDesks(const DoctorCase& found, Findings* findings) {
  const AgentInfo* first = nullptr;
  for (const AgentInfo* agent : found.Agents()) {
    if (!agent->factory.wishes.last) continue;
    if (first == nullptr) {
      first = agent;
      continue;
    }
    // An agent may have entries at paths that it shares, and others of its own.
    const Entry& one = *found.EntriesOf(*first).front();
    for (const Entry* other : found.EntriesOf(*agent)) {
      if (IsSameProcess(*one.url, *other->url)) continue;
      AddTwoDesks(*first, one, *agent, *other, findings);
      break;
    }
  }
}

// Adds to `reported`: an entry may be that of several agents.
void CheckManaged(const DoctorCase& found, const AgentInfo& agent, std::set<const Entry*>* reported,
                  Findings* findings) {
  if (CalledAboutOf(found, agent) != CalledAbout::kOther) return;
  const Entries entries = found.EntriesOf(agent);
  const bool may_be_for_groups = !agent.factory.wishes.cycle_resource.empty();
  // Where another entry has resources of another form, one in the right form is none too many.
  const bool any_other = std::any_of(entries.begin(), entries.end(), [&](const Entry* entry) {
    return entry->managed_resources > 0 && !IsOnlyForGroups(*entry, agent);
  });
  for (const Entry* entry : entries) {
    if (any_other && IsOnlyForGroups(*entry, agent)) continue;
    if (entry->managed_resources == 0 || (entries.size() == 1 && !entry->Plans())) continue;
    if (!reported->insert(entry).second) continue;
    findings->Add(Id::kManagedResources, entry->fields.Map("managedResources").place(),
                  fmt::format("{} of them", entry->managed_resources),
                  may_be_for_groups
                      ? fmt::format("leave them out, or take the entries that `outrigger "
                                    "scheduler-config --agents {} --members-only` prints",
                                    agent.name)
                      : "leave them out");
  }
}

}  // namespace

std::string InOneProcess(const AgentInfo& first, const AgentInfo& second) {
  return fmt::format(
      "one process (serve --agents {0}), and in place of the entries of both what `outrigger "
      "scheduler-config --agents {0} --url http://127.0.0.1:{1}` prints",
      first.name + "," + second.name, kSharedPort);
}

void CheckEntries(const DoctorCase& found, Findings* findings) {
  std::set<const Entry*> managed;
  for (const AgentInfo* agent : found.Agents()) {
    const Entries entries = found.EntriesOf(*agent);
    CheckComplete(found, *agent, entries, findings);
    CheckSplit(*agent, entries, findings);
    CheckManaged(found, *agent, &managed, findings);
  }
  Entries ours;
  for (const Entry& entry : found.entries) {
    if (entry.ours) ours.push_back(&entry);
  }
  CheckTwice(ours, findings);
  CheckDesks(found, findings);
}

}  // namespace outrigger::cli
