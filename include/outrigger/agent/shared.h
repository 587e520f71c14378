#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <typeinfo>

namespace outrigger {

/// What agents of one process have in common, by type: the first that asks makes it. It lives as
/// long as one of them holds it. Agents are made one after another: not thread-safe.
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
