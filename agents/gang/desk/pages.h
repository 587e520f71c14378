#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gang/desk/board.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/page.h"

// What the desk shows on the admin port (docs/pages.md): pages "queue", "gangs", "members" and
// "nodes".

namespace outrigger::desk {

/// Returns, with figures, why a gang waits for the cause with that word, as an agent worked it out
/// last; empty: it has not.
using WorkedOutWhy = std::function<std::string(const plan::UnitKey& gang, std::string_view word)>;

/// Returns the pages: names, help and columns.
std::vector<PageSpec> DeskPages();

/// Fills a page of DeskPages(), whose columns `table` has, by `board` alone: no lock is taken, and
/// nothing is called but `why`, for rows that are kept. NotFound: it is none of them. Thread-safe
/// as far as `why` is.
absl::Status FillDeskPage(std::string_view page, const Board& board, const WorkedOutWhy& why,
                          PageTable* table);

}  // namespace outrigger::desk
