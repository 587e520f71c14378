#pragma once

#include <string_view>

#include "outrigger/agent/stages.h"
#include "serve/engine/call.h"

namespace outrigger::engine {

/// Whether decisions are written at all (log level debug): then reasons of scores are made too.
bool DecisionsAreLogged();

/// One line per decision, whatever the number of nodes: how many fit, and the commonest reasons.
void LogFilterDecision(const Endpoint& endpoint, const CallState& state);
/// One line: the best nodes with their scores and, from a single agent, why the best scored so.
void LogScoreDecision(const Endpoint& endpoint, const CallState& state);
/// One line: what bound the pod, or that it is not bound, and which agents had prepared it.
void LogBindDecision(const Endpoint& endpoint, const BindRequest& request,
                     std::string_view outcome);

}  // namespace outrigger::engine
