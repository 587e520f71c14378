#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>

#include "cli/look/readings.h"
#include "outrigger/base/clock.h"

namespace outrigger::cli::look {

/// How `outrigger top` runs on a terminal.
struct TopScreen {
  Readings readings;  ///< to begin with
  /// Reads them again; called from a thread of its own.
  std::function<void(const std::stop_token& stop, Readings* readings)> read;
  bool color = true;
  std::ostream* out = nullptr;  ///< the terminal's, as standard output
};

/// Shows the readings, anew every two seconds, until a key or a signal ends it.
void ShowTop(TopScreen top, const Clock& clock);

}  // namespace outrigger::cli::look
