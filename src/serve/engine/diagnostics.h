#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"
#include "serve/engine/observer.h"

namespace outrigger::engine {

/// Counts an agent's malformed values and warns about each (field, value) once. Thread-safe.
///
/// What was warned about is remembered up to a bound, after which new values are counted only:
/// annotations that change every minute must fill neither memory nor logs.
class CountingDiagnostics final : public Diagnostics {
 public:
  /// `agent` may be empty: the decoder. `observer` outlives this.
  CountingDiagnostics(std::string agent, Observer* observer)
      : agent_(std::move(agent)), observer_(observer) {}

  void Malformed(std::string_view node, std::string_view field, std::string_view value,
                 std::string_view accepted) override;

 private:
  bool FirstTime(std::string_view field, std::string_view value);

  const std::string agent_;
  Observer* const observer_;
  Mutex mutex_;
  absl::flat_hash_set<std::string> warned_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::engine
