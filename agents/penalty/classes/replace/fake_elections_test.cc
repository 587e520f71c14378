#include "fake_elections.h"

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "gmock/gmock.h"

namespace outrigger::testing {
namespace {

TEST(FakeElectionsTest, ATermLastsUntilTheLeaseIsTaken) {
  FakeElections elections;
  std::atomic<int> terms = 0;
  std::atomic<int> ended = 0;
  std::string holder;  // reported by one thread at a time
  auto candidacy =
      elections.Stand({.namespace_ = "ns", .name = "lease"},
                      {.lead =
                           [&](const std::stop_token& term) {
                             ++terms;
                             while (!term.stop_requested()) std::this_thread::yield();
                             ++ended;
                           },
                       .on_new_leader = [&](const std::string& leader) { holder = leader; }});
  ASSERT_TRUE(candidacy.ok());
  EXPECT_FALSE((*candidacy)->IsLeader());
  for (int term = 1; term <= 2; ++term) {
    elections.Give();
    EXPECT_TRUE((*candidacy)->IsLeader());
    EXPECT_EQ((*candidacy)->Leader(), "this");
    while (terms < term) std::this_thread::yield();
    elections.Take("other");
    EXPECT_EQ(ended, term);
    EXPECT_EQ(holder, "other");
    EXPECT_FALSE((*candidacy)->IsLeader());
  }
  elections.Give();
  candidacy->reset();  // ends the term, and waits for it
  EXPECT_EQ(ended, terms);
}

}  // namespace
}  // namespace outrigger::testing
