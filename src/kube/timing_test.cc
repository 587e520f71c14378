#include "kube/timing.h"

#include <gtest/gtest.h>

namespace outrigger::kube {
namespace {

TEST(SystemRandom, DrawsFromZeroToOne) {
  bool differ = false;
  const double first = SystemRandom();
  for (int i = 0; i < 100; ++i) {
    const double number = SystemRandom();
    EXPECT_TRUE(number >= 0 && number < 1);
    differ = differ || number != first;
  }
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace outrigger::kube
