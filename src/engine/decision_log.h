#pragma once

#include "engine/call.h"

namespace outrigger::engine {

/// Whether decisions are written at all (log level debug): then reasons of scores are made too.
bool DecisionsAreLogged();

/// One line per decision, whatever the number of nodes: how many fit, and the commonest reasons.
void LogFilterDecision(const Endpoint& endpoint, const CallState& state);
/// One line: the best nodes with their scores and, from a single agent, why the best scored so.
void LogScoreDecision(const Endpoint& endpoint, const CallState& state);

}  // namespace outrigger::engine
