#include "kube/view/class_store.h"

#include <algorithm>
#include <utility>

namespace outrigger::kube {

ClassStore::Change ClassStore::PutValue(std::string_view name, int32_t value) {
  if (const auto due = due_.find(name); due != due_.end()) due_.erase(due);
  const auto [at, is_new] = values_.try_emplace(std::string(name), value);
  const bool differs = std::exchange(at->second, value) != value;
  return differs || is_new ? Change::kValue : Change::kNone;
}

ClassStore::Change ClassStore::Put(PriorityClass put) {
  const Change change = PutValue(put.name, put.value);
  PriorityClass& known = classes_[put.name];
  if (known == put) return change;
  known = std::move(put);
  return std::max(change, Change::kClass);
}

ClassStore::Change ClassStore::Remove(std::string_view name, TimePoint now) {
  if (!values_.contains(name)) return Change::kNone;
  due_.try_emplace(std::string(name), now + kGrace);
  const auto known = classes_.find(name);
  if (known == classes_.end()) return Change::kNone;
  classes_.erase(known);
  return Change::kClass;
}

bool ClassStore::Forget(TimePoint now) {
  const size_t before = due_.size();
  std::erase_if(due_, [&](const auto& entry) {
    const auto& [name, when] = entry;
    if (when > now) return false;
    values_.erase(name);
    return true;
  });
  return due_.size() < before;
}

std::optional<ClassStore::TimePoint> ClassStore::next_due() const {
  std::optional<TimePoint> next;
  for (const auto& [name, when] : due_) next = std::min(next.value_or(when), when);
  return next;
}

std::vector<PriorityClass> ClassStore::Classes() const {
  std::vector<PriorityClass> all;
  all.reserve(classes_.size());
  for (const auto& [name, known] : classes_) all.push_back(known);
  return all;
}

}  // namespace outrigger::kube
