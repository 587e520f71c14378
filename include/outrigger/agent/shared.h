#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <typeinfo>

namespace outrigger {

/// Parts shared by the agents of a process, one per type. The first agent that asks creates the
/// part; it lives as long as an agent holds it. Not thread-safe, since agents are made one after
/// another.
class SharedParts {
 public:
  template <typename T, typename Make>
  std::shared_ptr<T> GetOrMake(Make&& make) {
    std::weak_ptr<void>& part = parts_[std::type_index(typeid(T))];
    if (auto there = part.lock()) return std::static_pointer_cast<T>(there);
    std::shared_ptr<T> made = make();
    part = made;
    return made;
  }

 private:
  std::map<std::type_index, std::weak_ptr<void>> parts_;
};

}  // namespace outrigger
