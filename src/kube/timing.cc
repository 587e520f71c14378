#include "kube/timing.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>

namespace outrigger::kube {
namespace {

void Wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock<std::mutex> lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

Timing RealTiming() {
  const auto generator = std::make_shared<std::mt19937_64>(std::random_device{}());
  return {.now = std::chrono::steady_clock::now, .wait = Wait, .random = [generator] {
            return std::uniform_real_distribution<double>(0, 1)(*generator);
          }};
}

}  // namespace outrigger::kube
