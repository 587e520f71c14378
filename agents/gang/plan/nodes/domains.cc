#include "gang/plan/nodes/domains.h"

#include <map>

#include "absl/strings/str_join.h"

namespace outrigger::plan {

std::vector<Domain> Divide(const NodeSpace& space, const std::vector<Slot>& slots,
                           const std::vector<std::string>& labels) {
  std::map<std::vector<std::string>, std::vector<Slot>> by_values;
  std::vector<std::string> values(labels.size());
  for (const Slot slot : slots) {
    bool complete = true;
    for (size_t i = 0; i < labels.size() && complete; ++i) {
      const std::string* value = space.node(slot).labels.Find(labels[i]);
      complete = value != nullptr;
      if (complete) values[i] = *value;
    }
    if (complete) by_values[values].push_back(slot);
  }
  std::vector<Domain> domains;
  domains.reserve(by_values.size());
  for (auto& [key, members] : by_values) domains.push_back({key, std::move(members)});
  return domains;
}

std::string TextOf(const Domain& domain) {
  return absl::StrJoin(domain.values, "/");
}

const std::vector<Domain>& DomainTable::Of(const std::vector<std::string>& labels) {
  if (generation_ != space_->node_generation()) table_.clear();
  generation_ = space_->node_generation();
  auto [at, is_new] = table_.try_emplace(labels);
  if (is_new) at->second = Divide(*space_, space_->in_order(), labels);
  return at->second;
}

}  // namespace outrigger::plan
