#include "plan/groups/queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "outrigger/plan/order.h"
#include "plan/groups/rank_order.h"

namespace outrigger::plan {

void Queue::AddSingle(const PodPtr& pod, Notes* notes) {
  Entry& entry = entries_.emplace_back();
  if (pod->labels.Contains(kGroupPriorityLabel)) {
    entry.group_priority =
        GroupPriorityOf(pod->labels, {Dialect::kNone, pod->namespace_, pod->name, pod->uid}, notes);
  }
  entry.priority = pod->priority;
  entry.qos = QosClassOf(*pod);
  entry.created = pod->creation_time;
  entry.namespace_ = pod->namespace_;
  entry.name = pod->name;
  entry.uid = pod->uid;
  entry.single = &pod;
}

void Queue::AddGang(Unit unit) {
  Unit& gang = gangs_.emplace_back(std::move(unit));
  const Rank& rank = gang.rank;
  entries_.push_back({rank.broken, rank.group_priority, rank.priority, rank.turn, rank.qos,
                      rank.created, rank.namespace_, rank.name, rank.uid, gang.key.dialect, nullptr,
                      &gang});
}

bool Queue::ComesFirst(const Entry* a, const Entry* b) {
  const auto by_rank = CompareRanks(*a, *b);
  return std::is_neq(by_rank) ? std::is_lt(by_rank) : a->dialect < b->dialect;
}

void Queue::Fill(const Entry& entry, Unit* unit) {
  if (entry.single == nullptr) {
    *unit = std::move(*entry.gang);
    return;
  }
  const PodPtr& pod = *entry.single;
  // A fresh unit with the memory of the old one, so that no field of that can stay.
  Unit fresh;
  const auto set = [](const std::string& value, std::string* old, std::string* text) {
    *text = std::move(*old);
    *text = value;
  };
  set(pod->namespace_, &unit->key.namespace_, &fresh.key.namespace_);
  set(pod->name, &unit->key.name, &fresh.key.name);
  set(pod->uid, &unit->key.uid, &fresh.key.uid);
  set(pod->namespace_, &unit->rank.namespace_, &fresh.rank.namespace_);
  set(pod->name, &unit->rank.name, &fresh.rank.name);
  set(pod->uid, &unit->rank.uid, &fresh.rank.uid);
  fresh.rank.group_priority = entry.group_priority;
  fresh.rank.priority = entry.priority;
  fresh.rank.qos = entry.qos;
  fresh.rank.created = entry.created;
  fresh.members = std::move(unit->members);
  fresh.members.clear();
  fresh.members.emplace_back().pod = pod;
  *unit = std::move(fresh);
}

void Queue::Take(std::vector<Unit>* units) {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), ComesFirst);
  units->resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) Fill(*order[i], &(*units)[i]);
}

}  // namespace outrigger::plan
