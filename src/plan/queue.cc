#include "plan/queue.h"

#include <algorithm>
#include <utility>

#include "outrigger/plan/order.h"
#include "plan/rank_order.h"

namespace outrigger::plan {

void Queue::AddSingle(const PodPtr& pod, Notes* notes) {
  Entry& entry = entries_.emplace_back();
  if (pod->labels.Contains(kGroupPriorityLabel)) {
    entry.group_priority = GroupPriorityOf(
        pod->labels, TextOf({Dialect::kNone, pod->namespace_, pod->name, ""}), notes);
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
  entries_.push_back({rank.broken, rank.group_priority, rank.priority, rank.qos, rank.created,
                      rank.namespace_, rank.name, rank.uid, gang.key.dialect, nullptr, &gang});
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
  const Pod& pod = **entry.single;
  unit->key = {Dialect::kNone, pod.namespace_, pod.name, pod.uid};
  Rank& rank = unit->rank;
  rank.group_priority = entry.group_priority;
  rank.priority = entry.priority;
  rank.qos = entry.qos;
  rank.created = entry.created;
  rank.namespace_ = pod.namespace_;
  rank.name = pod.name;
  rank.uid = pod.uid;
  unit->members.emplace_back().pod = *entry.single;
}

std::vector<Unit> Queue::Take() {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), ComesFirst);
  std::vector<Unit> units(order.size());
  for (size_t i = 0; i < order.size(); ++i) Fill(*order[i], &units[i]);
  return units;
}

}  // namespace outrigger::plan
