#include "page_rows.h"

#include <optional>
#include <string>

#include "fmt/format.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/pages.h"

namespace outrigger::penalty {
namespace {

// Below half a point a penalty changes no value.
constexpr double kNoPenalty = 0.5;

std::string StateOf(const ClassAccount& account, const ClassRules& rules, double penalty,
                    std::optional<Millis> next_at, Millis now) {
  if (next_at && *next_at <= now) return "writes";
  if (penalty < kNoPenalty) return "at base";
  const bool recovers = now > account.account.changed + rules.policy.grace;
  return recovers ? "recovers" : "penalised";
}

ClassRow RowOf(const ClassAccount& account, const ClassRules* rules, const Picture& picture) {
  ClassRow row{
      .account = &account, .penalty = account.account.penalty, .state = "not in the cluster"};
  if (rules == nullptr) return row;
  if (!rules->IsPenalised()) {
    row.state = rules->is_selected ? "left alone: " + rules->reason : "no longer selected";
    return row;
  }
  row.floor = Floor{rules->bounds.floor, rules->floor_of};
  row.penalty = PenaltyAt(account.account, rules->policy, rules->bounds, picture.now);
  row.next_at =
      NextDue(account.account, rules->policy, rules->bounds, account.written, picture.now);
  row.state = StateOf(account, *rules, row.penalty, row.next_at, picture.now);
  if (const auto refused = picture.refused.find(account.name); refused != picture.refused.end()) {
    row.state = refused->second == kNotMapped ? std::string(kNotMappedState)
                                              : "left alone: " + refused->second;
  }
  if (picture.options.dry_run) row.state += " (dry run)";
  if (row.next_at) {
    row.next_value = ValueAt(account.account, rules->policy, rules->bounds, *row.next_at);
  }
  return row;
}

// Also selected classes that are left alone and have no account.
void FillClasses(const Picture& picture, PageTable* table) {
  for (const auto& [name, account] : picture.ledger.classes()) {
    const auto found = picture.classes.find(name);
    const ClassRules* const rules = found == picture.classes.end() ? nullptr : &found->second;
    ClassRow row = RowOf(account, rules, picture);
    // In a dry run the account has the value that the class would have.
    ClassAccount as_it_is;
    if (picture.options.dry_run && rules != nullptr) {
      as_it_is = account;
      as_it_is.written = rules->in_cluster->value;
      if (as_it_is.written != account.written) row.next_value = account.written;
      row.account = &as_it_is;
    }
    AddRow(row, table);
  }
  for (const auto& [name, rules] : picture.classes) {
    if (!rules.is_selected || rules.reason.empty() || picture.ledger.Find(name) != nullptr)
      continue;
    ClassAccount none;
    none.name = name;
    none.base = none.written = rules.in_cluster->value;
    AddRow(ClassRow{.account = &none, .state = "left alone: " + rules.reason}, table);
  }
}

void FillGroups(const GroupTable& groups, PageTable* table) {
  for (const KnownGroup& group : groups.Known()) {
    AddRow(GroupRow{group.namespace_, group.name, group.phase, group.class_name, group.queue,
                    CountedText(group.state)},
           table);
  }
}

}  // namespace

absl::Status FillPenaltyPage(std::string_view page, const Picture& picture, PageTable* table) {
  if (page == ClassesPage().name) {
    FillClasses(picture, table);
  } else if (page == ChangesPage().name) {
    FillChanges(picture.ledger, table);
  } else if (page == SumsPage().name) {
    FillSums(picture.ledger, &picture.options.policy, picture.now, table);
  } else if (page == GroupsPage().name) {
    FillGroups(picture.groups, table);
  } else {
    return absl::NotFoundError(fmt::format("no page {}", page));
  }
  return absl::OkStatus();
}

}  // namespace outrigger::penalty
