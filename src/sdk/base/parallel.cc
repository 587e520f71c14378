#include "outrigger/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace outrigger {

void ParallelFor(size_t count, size_t most_threads, absl::FunctionRef<void(size_t)> work) {
  std::atomic<size_t> next{0};
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min(count, most_threads); ++i) others.emplace_back(take);
  take();
}

}  // namespace outrigger
