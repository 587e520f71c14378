#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "serve/engine/observer.h"
#include "serve/server/series_table.h"

namespace outrigger::server {

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
