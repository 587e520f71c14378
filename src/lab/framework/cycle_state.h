#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace outrigger::lab {

/// What plugins hand on to one another, and from stage to stage, while one pod is scheduled. Begins
/// empty with each cycle and goes with it into the background. Used by one thread at a time.
class CycleState {
 public:
  /// Keeps a value under the name; a value that was there is replaced.
  template <typename T>
  void Write(std::string_view key, T value) {
    values_.insert_or_assign(std::string(key), std::make_shared<const Holder<T>>(std::move(value)));
  }

  /// The value, or null if nothing of that name and type was written.
  template <typename T>
  const T* Read(std::string_view key) const {
    const auto at = values_.find(key);
    if (at == values_.end()) return nullptr;
    const auto* holder = dynamic_cast<const Holder<T>*>(at->second.get());
    return holder == nullptr ? nullptr : &holder->value;
  }

  /// Counts something that is worth watching, for people: "read the digit of the pod's name".
  void Count(std::string_view what) {
    const auto at = counts_.find(what);
    if (at == counts_.end()) {
      counts_.emplace(what, 1);
    } else {
      ++at->second;
    }
  }
  const std::map<std::string, int64_t, std::less<>>& counts() const { return counts_; }

 private:
  struct Value {
    virtual ~Value() = default;
  };
  template <typename T>
  struct Holder final : Value {
    explicit Holder(T of) : value(std::move(of)) {}
    const T value;
  };

  std::map<std::string, std::shared_ptr<const Value>, std::less<>> values_;
  std::map<std::string, int64_t, std::less<>> counts_;
};

}  // namespace outrigger::lab
