#pragma once

#include <string>
#include <vector>

#include "measures.h"
#include "policy.h"

namespace outrigger::load_bench {

/// All rows of a family.
struct FamilyRows {
  std::string family;
  std::vector<Row> rows;  // as Contenders()
};

/// The goals that safe misses in this family, a sentence each. Compared is the peer with the fewest
/// overloaded minutes among those that place as many pods, and use as many nodes, to 2 %: one that
/// refuses pods has an easy life. No fewer overloaded minutes are wanted than the truth has.
std::vector<std::string> MissedGoals(const FamilyRows& family);

}  // namespace outrigger::load_bench
