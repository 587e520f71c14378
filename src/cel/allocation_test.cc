// Evaluations allocate nothing once the evaluator has the memory that they need.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

#include "cel/cel_testing.h"
#include "cel/evaluator.h"

// The sanitizers have operators of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)

namespace {
std::atomic<size_t> allocations = 0;
}  // namespace

// Not inlined: gcc would take free() for the end of what the library's own operator gave.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, size_t) noexcept {
  std::free(place);
}

namespace outrigger::cel {
namespace {

TEST(Allocation, EvaluationsAllocateNothing) {
  DeviceBuilder builder;
  builder.AddString("model", "h200");
  builder.AddInt("numa", 1);
  const Device device = builder.BuildDra("gpu.example.com", false);
  Evaluator evaluator;
  static constexpr std::array<std::string_view, 5> kTexts = {
      "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'h200'",
      "device.attributes['gpu.example.com'].absent == 1",
      "device.attributes['gpu.example.com'].map(k, k + 'x').exists(k, k.startsWith('model'))",
      "[device.driver, 'a'].size() == 2 && {'a': device.driver}.a != ''",
      "device.attributes['gpu.example.com'].?numa.orValue(0) == 1",
  };
  for (const std::string_view text : kTexts) {
    const auto program = Program::Compile(text, DraEnvironment());
    ASSERT_TRUE(program.ok()) << program.status();
    const Verdict first = evaluator.Evaluate(*program, device);
    const size_t before = allocations;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(evaluator.Evaluate(*program, device), first);
    EXPECT_EQ(allocations - before, 0U) << text;
  }
}

}  // namespace
}  // namespace outrigger::cel

#endif
