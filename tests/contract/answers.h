#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "outrigger/agent/agent.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::contract {

/// All that an agent says of one node: its verdict, and its score by every scorer it has.
struct Answer {
  Verdict::Kind kind = Verdict::Kind::kFits;
  std::string reason_class;
  std::string reason;
  std::vector<double> scores;
  std::vector<std::string> whys;

  // Bitwise alike: a NaN, which no agent may give, equals nothing.
  friend bool operator==(const Answer&, const Answer&) = default;
};

void PrintTo(const Answer& answer, std::ostream* out);

/// Asks every stage of `agent` about `pod` on `nodes`; one answer per node. A Status fails the
/// running test. Thread-safe.
std::vector<Answer> Ask(const Agent& agent, const Pod& pod, const std::vector<Node>& nodes);

/// What is wrong with `answer` whatever the question was, or nothing.
std::string FaultOf(const Answer& answer);

}  // namespace outrigger::contract
