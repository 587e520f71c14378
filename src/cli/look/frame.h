#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/look/readings.h"

// What `outrigger top` shows, as lines.

namespace outrigger::cli::look {

/// How it is looked at. A plain value.
struct View {
  size_t width = 0;    ///< columns of the terminal; 0: no bound
  size_t height = 0;   ///< lines; 0: no bound, and no line with keys
  size_t scroll = 0;   ///< rows of the list above the first one that is shown
  bool nodes = false;  ///< the list is that of nodes, else the queue
  bool color = false;  ///< escape sequences
  WallTime now = {};
};

struct Drawn {
  std::vector<std::string> lines;  ///< `height` at most, each of `width` columns at most
  size_t scroll = 0;               ///< View::scroll, no further than the list goes
  size_t page = 1;                 ///< rows of the list that have room
};

/// Draws `readings`. All texts of the agent are made printable ASCII. Pure.
Drawn Frame(const Readings& readings, const View& view);

}  // namespace outrigger::cli::look
