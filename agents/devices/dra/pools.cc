#include "devices/dra/pools.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"

namespace outrigger::dra {
namespace {

bool Suits(const TaintRule& rule, const Slice& slice, const Device& device) {
  return rule.selects && (!rule.driver || *rule.driver == slice.driver) &&
         (!rule.pool || *rule.pool == slice.pool) && (!rule.device || *rule.device == device.name);
}

void AddTaints(const std::vector<TaintRule>& rules, Slice* slice) {
  for (Device& device : slice->devices) {
    for (const TaintRule& rule : rules) {
      if (Suits(rule, *slice, device)) device.taints.push_back(rule.taint);
    }
  }
}

bool HasChoice(const NodeChoice& choice) {
  return !choice.node.empty() || choice.all || choice.selector.has_value();
}

bool IsRelevant(const Slice& slice, const Node& node) {
  if (HasChoice(slice.nodes)) return Matches(slice.nodes, node);
  return slice.per_device &&
         std::any_of(slice.devices.begin(), slice.devices.end(),
                     [&node](const Device& device) { return Matches(device.nodes, node); });
}

std::string NamesFault(const std::vector<const Slice*>& slices) {
  std::set<std::string_view> names;
  for (const Slice* slice : slices) {
    for (const Device& device : slice->devices) {
      if (!names.insert(device.name).second) {
        return fmt::format("duplicate device name {}", device.name);
      }
    }
  }
  return "";
}

std::string SetsFault(const std::vector<const CounterSet*>& sets) {
  std::set<std::string_view> names;
  for (const CounterSet* set : sets) {
    if (!names.insert(set->name).second) {
      return fmt::format("duplicate counter set name {}", set->name);
    }
  }
  return "";
}

std::string ConsumedFault(const std::vector<const CounterSet*>& sets, const Device& device) {
  for (const CounterSet& consumed : device.consumes) {
    const auto set = std::find_if(sets.begin(), sets.end(), [&](const CounterSet* each) {
      return each->name == consumed.name;
    });
    if (set == sets.end()) return fmt::format("counter set {} not found", consumed.name);
    for (const auto& counter : consumed.counters) {
      if (!(*set)->counters.contains(counter.first)) {
        return fmt::format("counter {} not found in counter set {}", counter.first, consumed.name);
      }
    }
  }
  return "";
}

std::string CountersFault(const Pool& pool) {
  std::string fault = SetsFault(pool.counters);
  for (const auto* slices : {&pool.slices, &pool.elsewhere}) {
    for (const Slice* slice : *slices) {
      for (const Device& device : slice->devices) {
        if (fault.empty()) fault = ConsumedFault(pool.counters, device);
      }
    }
  }
  return fault;
}

}  // namespace

bool Matches(const NodeChoice& choice, const Node& node) {
  if (!choice.node.empty()) return choice.node == node.name;
  return choice.all || (choice.selector.has_value() && choice.selector->Matches(node));
}

Slices::Slices(const Cluster& cluster) {
  const std::vector<Slice>* slices = &cluster.slices;
  if (!cluster.rules.empty()) {
    tainted_ = cluster.slices;
    for (Slice& slice : tainted_) AddTaints(cluster.rules, &slice);
    slices = &tainted_;
  }
  for (const Slice& slice : *slices) {
    // kube-scheduler leaves such out until DRADeviceCompatibilityGroups is on; their pools are
    // incomplete then.
    if (slice.has_compatibility_groups) continue;
    by_pool_[{slice.driver, slice.pool}].push_back(&slice);
    if (slice.nodes.node.empty()) {
      shared_.push_back(&slice);
    } else {
      by_node_[slice.nodes.node].push_back(&slice);
    }
  }
}

void Slices::Collect(const Slice* slice, const Node& node,
                     std::map<Key, std::vector<const Slice*>>* pools) const {
  if (!IsRelevant(*slice, node)) return;
  std::vector<const Slice*>& of_pool = (*pools)[{slice->driver, slice->pool}];
  if (!of_pool.empty() && slice->generation < of_pool[0]->generation) return;
  if (!of_pool.empty() && slice->generation > of_pool[0]->generation) of_pool.clear();
  of_pool.push_back(slice);
}

// Slices of other nodes count as well: a pool of which one is missing is not whole, and their
// devices take of the same counters.
Pool Slices::Build(const Key& key, const std::vector<const Slice*>& relevant) const {
  Pool pool;
  pool.driver = key.first;
  pool.name = key.second;
  const auto count = static_cast<size_t>(std::max<int64_t>(relevant[0]->slice_count, 0));
  std::vector<const Slice*> all;
  for (const Slice* slice : by_pool_.at(key)) {
    if (slice->generation == relevant[0]->generation) all.push_back(slice);
  }
  const bool enough = relevant.size() == count;
  pool.incomplete = !enough && all.size() != count;
  if (pool.incomplete) return pool;
  const std::vector<const Slice*>& taken = enough ? relevant : all;
  for (const Slice* slice : taken) {
    if (!slice->counters.empty()) {
      for (const CounterSet& set : slice->counters) pool.counters.push_back(&set);
    } else if (std::find(relevant.begin(), relevant.end(), slice) != relevant.end()) {
      pool.slices.push_back(slice);
    } else {
      pool.elsewhere.push_back(slice);
    }
  }
  std::sort(pool.slices.begin(), pool.slices.end(),
            [](const Slice* a, const Slice* b) { return a->name < b->name; });
  pool.fault = NamesFault(pool.slices);
  if (pool.fault.empty()) pool.fault = CountersFault(pool);
  for (const Slice* slice : pool.slices) {
    for (const Device& device : slice->devices) {
      pool.has_binding_conditions = pool.has_binding_conditions || device.has_binding_conditions;
    }
  }
  return pool;
}

std::vector<Pool> Slices::PoolsOf(const Node& node) const {
  std::map<Key, std::vector<const Slice*>> relevant;
  if (const auto own = by_node_.find(node.name); own != by_node_.end()) {
    for (const Slice* slice : own->second) Collect(slice, node, &relevant);
  }
  for (const Slice* slice : shared_) Collect(slice, node, &relevant);
  std::vector<Pool> pools;
  for (const auto& entry : relevant) {
    const int64_t generation = entry.second[0]->generation;
    const auto count = static_cast<size_t>(std::max<int64_t>(entry.second[0]->slice_count, 0));
    // A newer generation on other nodes alone is on its way here, too; it is looked for only where
    // slices are missing.
    const std::vector<const Slice*>& all = by_pool_.at(entry.first);
    const bool is_old =
        entry.second.size() != count && std::any_of(all.begin(), all.end(), [&](const Slice* each) {
          return each->generation > generation;
        });
    if (!is_old) pools.push_back(Build(entry.first, entry.second));
  }
  std::stable_partition(pools.begin(), pools.end(),
                        [](const Pool& pool) { return !pool.has_binding_conditions; });
  return pools;
}

}  // namespace outrigger::dra
