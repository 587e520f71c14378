#include "penalty/replace/swap.h"

#include <thread>

namespace outrigger::penalty {

void RunSideBySide(const SwapCalls& calls) {
  const std::jthread creator([&calls] {
    while (!calls.create()) {
    }
  });
  calls.remove();
}

}  // namespace outrigger::penalty
