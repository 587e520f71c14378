#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pods/counted_ends.h"
#include "rule/experience.h"

namespace outrigger::reward {

/// What outlives the process. A value.
struct State {
  explicit State(const Rule& rule) : experience(rule) {}

  /// Until then all is counted; 0: nothing was counted yet.
  Seconds time = 0;
  Experience experience;
  CountedEnds counted;
};

/// Something in the text that could not be used.
struct StateFinding {
  int64_t line = 0;  // 1: the first; 0: the text as a whole
  std::string text;  // printable
};

/// What came out of a text.
struct StateRead {
  explicit StateRead(const Rule& rule) : state(rule) {}

  State state;
  std::vector<StateFinding> findings;  // the first ones
  int64_t unusable = 0;                // lines that were left out
};

// The text, by lines, amounts as of `time`; ages are seconds before it:
//     outrigger-reward 2
//     time 1795000000
//     node NAME                                    the nodes, by number: the first is 0
//     type NAMESPACE/NAME IMAGES SUCCESSES FAILURES     over all nodes
//     on NODE SUCCESSES FAILURES [AGE,AGE,...]     of the type above, and when it failed
//     ended AGE NUMBER                             an end that is counted (CountedEnds)

/// What was counted until `time` as a text of at most `most_bytes`: the least used pairs are left
/// out where it would be longer, and then ends. `left_out`, which may be null, is how many pairs.
std::string WriteState(Seconds time, const Experience& experience, const CountedEnds& counted,
                       size_t most_bytes, size_t* left_out = nullptr);

/// Reads a text that anybody may have edited: what can be used is, line by line, and all else is in
/// the findings. Of version 1, whose types have no namespace, nothing is used. A time after `now`
/// is taken as `now`. An empty text is a state without anything.
StateRead ReadState(std::string_view text, Seconds now, const Rule& rule);

}  // namespace outrigger::reward
