#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/base/mutex.h"
#include "serve/engine/observer.h"

namespace outrigger::server {

/// Finds a value by name without a lock. For few names that come early and stay: adding one copies
/// the table and keeps the old one, since somebody may be reading it. Thread-safe.
template <typename T>
class SeriesTable {
 public:
  /// Takes `max_names` names; further ones share the value of the name "other".
  explicit SeriesTable(size_t max_names) : max_names_(max_names) {
    tables_.push_back(std::make_unique<Table>());
    current_.store(tables_.back().get(), std::memory_order_release);
  }

  /// The value of `name`, made by `make(name)` (which returns T*, not owned) when it is new.
  template <typename Make>
  T& Get(std::string_view name, const Make& make) {
    T* found = Find(name);
    return found != nullptr ? *found : Add(name, make);
  }

 private:
  using Table = absl::flat_hash_map<std::string, T*>;

  T* Find(std::string_view name) const {
    const Table& table = *current_.load(std::memory_order_acquire);
    const auto found = table.find(absl::string_view(name.data(), name.size()));
    return found == table.end() ? nullptr : found->second;
  }

  template <typename Make>
  T& Add(std::string_view name, const Make& make) {
    const MutexLock lock(mutex_);
    if (T* found = Find(name)) return *found;  // somebody was faster
    if (tables_.back()->size() >= max_names_) {
      name = "other";
      if (T* found = Find(name)) return *found;
    }
    auto table = std::make_unique<Table>(*tables_.back());
    T* const made = make(name);
    table->emplace(name, made);
    tables_.push_back(std::move(table));
    current_.store(tables_.back().get(), std::memory_order_release);
    return *made;
  }

  const size_t max_names_;
  Mutex mutex_;
  std::vector<std::unique_ptr<const Table>> tables_ ABSL_GUARDED_BY(mutex_);
  std::atomic<const Table*> current_;
};

/// The families of what an engine counts. Their names are in docs/metrics.md.
struct Families {
  explicit Families(prometheus::Registry& registry);
  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<prometheus::Counter>& errors;
  prometheus::Family<prometheus::Histogram>& seconds;
  prometheus::Family<prometheus::Counter>& request_bytes;
  prometheus::Family<prometheus::Counter>& response_bytes;
  prometheus::Family<prometheus::Counter>& nodes;
  prometheus::Family<prometheus::Counter>& rejected;
  prometheus::Family<prometheus::Counter>& malformed;
  prometheus::Family<prometheus::Counter>& unknown;
};

/// The series of one agent and verb, looked up once. Thread-safe.
class CallSeries {
 public:
  CallSeries(const Families& families, const std::string& agent, engine::Verb verb);
  void Count(const engine::CallRecord& call);

 private:
  prometheus::Counter& requests_;
  prometheus::Histogram& seconds_;
  prometheus::Counter& request_bytes_;
  prometheus::Counter& response_bytes_;
  prometheus::Counter& nodes_;
  std::array<prometheus::Counter*, 6> errors_{};  // by ErrorKind; kNone has no counter
};

/// All series of one agent. `families` outlives it. Thread-safe.
class AgentSeries {
 public:
  AgentSeries(Families& families, std::string agent);

  CallSeries& Call(engine::Verb verb);
  prometheus::Counter& Rejected(std::string_view reason);
  prometheus::Counter& Malformed(std::string_view field);
  prometheus::Counter& Unknown();

 private:
  Families& families_;
  const std::string agent_;
  SeriesTable<CallSeries> calls_;
  std::vector<std::unique_ptr<CallSeries>> owned_;  // changed under the lock of calls_
  SeriesTable<prometheus::Counter> reasons_;
  SeriesTable<prometheus::Counter> fields_;
  std::once_flag unknown_once_;
  prometheus::Counter* unknown_ = nullptr;
};

}  // namespace outrigger::server
