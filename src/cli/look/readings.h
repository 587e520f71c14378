#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/page.h"
#include "outrigger/base/clock.h"

// What `outrigger top` knows of a running agent.

namespace outrigger::cli::look {

using WallTime = std::chrono::system_clock::time_point;

/// A page as it was read last. A plain value.
struct PageReading {
  std::optional<PageTable> table;  ///< of the last good answer; none yet: absent
  WallTime read_at;                ///< when that came
  absl::Status status;             ///< of the last try; NotFound: the agent has no such page

  bool IsMissing() const { return absl::IsNotFound(status); }
};

/// All pages of one agent. A plain value.
struct Readings {
  std::string url = {};                     ///< "http://127.0.0.1:9970"
  std::string who = {};                     ///< "gang,qos in pod outrigger-x"; empty: not known
  absl::Status answers = {};                ///< whether the process answers at all
  WallTime answered_at = {};                ///< when it did so last
  std::vector<std::string> not_ready = {};  ///< checks that fail; empty: it is ready
  PageReading queue = {};
  PageReading gangs = {};
  PageReading nodes = {};

  /// The pages by their names, in the order in which they are shown.
  struct Named {
    const char* name;
    PageReading* page;
  };
  std::vector<Named> Pages() { return {{"queue", &queue}, {"gangs", &gangs}, {"nodes", &nodes}}; }
};

/// Asks the agent at `readings->url` again. What was read before stays where no answer comes.
/// Makes four calls of up to 8 s each, so it may block for half a minute; ends soon after `stop`.
void ReadAgain(const Clock& clock, const std::stop_token& stop, Readings* readings);

}  // namespace outrigger::cli::look
