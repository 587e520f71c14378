#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "outrigger/agent/request.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/desk.h"

namespace outrigger::qos {

/// "pod default/a (groupPriority 10, priority 0, Guaranteed)".
std::string RankText(std::string_view kind, std::string_view name, const plan::Rank& rank);

/// Logs at level debug which of two neighbours in the queue goes first. Thread-safe.
class Decisions {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// `debug`: null if the level is off.
  explicit Decisions(Log debug) : debug_(std::move(debug)) {}

  void OnFilter(const desk::Desk& desk, const Request& request) const;

 private:
  const Log debug_;
};

}  // namespace outrigger::qos
