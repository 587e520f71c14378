#include "acting.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "builders.h"
#include "gtest/gtest.h"

namespace outrigger::contract {

void PutInCharge(testing::FakeCluster* cluster) {
  char name[256] = {};
  ASSERT_EQ(gethostname(name, sizeof(name) - 1), 0);
  cluster->SetLeaseHolder(std::string(name) + "_contract");
}

void StartAndAwait(Agent* agent) {
  auto* controller = dynamic_cast<Controller*>(agent);
  if (controller == nullptr) return;
  ASSERT_TRUE(controller->Start().ok());
  const auto* filterer = dynamic_cast<const Filterer*>(agent);
  if (filterer == nullptr) return;
  const testing::OwnedRequest probe(testing::MakePod("probe"), {testing::MakeNode("n")});
  std::vector<Verdict> verdicts(1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!filterer->Filter(*probe, verdicts).ok()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "it never answers";
    std::this_thread::yield();
  }
}

void Stop(Agent* agent) {
  if (auto* controller = dynamic_cast<Controller*>(agent)) controller->Stop();
}

}  // namespace outrigger::contract
