#pragma once

#include <string>

#include "outrigger/agent/agent.h"

namespace outrigger::contract {

/// Fills each page of `agent`, which may offer none, and returns what is wrong with the first wrong
/// one; empty: nothing. A page that is not ready (Unavailable, with a text) is not wrong.
std::string FaultOfPages(const Agent& agent);

}  // namespace outrigger::contract
