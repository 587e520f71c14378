#include "outrigger/k8s/node.h"

#include <atomic>

namespace outrigger {

uint64_t NextNodeRevision() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace outrigger
