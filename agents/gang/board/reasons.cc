#include "board/reasons.h"

#include "fmt/format.h"

namespace outrigger::gang {

std::string WaitingText(const plan::UnitKey& gang, std::string_view word) {
  return fmt::format("gang {} waits: {} ({})", TextOf(gang), word, kPointer);
}

std::string WaitingText(const plan::GroupState& group) {
  return WaitingText(group.key, TextOf(group.cause));
}

}  // namespace outrigger::gang
