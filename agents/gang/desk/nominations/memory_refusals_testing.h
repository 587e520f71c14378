#pragma once

#include <string>

#include "gang/desk/nominations/memory_testing.h"

namespace outrigger::desk {

class RefusalTest : public MemoryTest {
 protected:
  using MemoryTest::MemoryTest;
  // Whether n1 is refused to the gang's first member after a plan at that second.
  bool IsRefused(MakeBoard* board, int second) {
    Learn(*board->Make(), kBegin + std::chrono::seconds(second));
    return !Prepare(*board, kBegin + std::chrono::seconds(second))[0].members[0].refused.empty();
  }
  // What the watch shows.
  static void Shows(MakeBoard* board, const std::string& nominated,
                    const std::string& message = "") {
    board->ChangeMember("train", 0, [&](Pod* pod) {
      pod->nominated_node_name = nominated;
      pod->unscheduled_message = message;
    });
  }
  // Writes what is due, as the watch then shows it, and returns the node; "-": nothing is due.
  std::string Told(MakeBoard* board, int second, const std::string& message = "") {
    const Time now = kBegin + std::chrono::seconds(second);
    const auto due = Learn(*board->Make(), now);
    if (due.empty()) return "-";
    memory_.Nominated(due[0], /*written=*/true, now);
    Shows(board, due[0].node, message);
    return due[0].node;
  }
  // Whether n1 is refused when a nomination for it, which nobody has asked about, becomes `node`.
  bool IsRefusedWhenItBecomes(const std::string& node) {
    MakeBoard board;
    NominateAfterASecond(&board);
    EXPECT_FALSE(IsRefused(&board, 2)) << "the watch has not shown it yet";
    Shows(&board, "n1");
    EXPECT_FALSE(IsRefused(&board, 3));
    Shows(&board, node);
    return IsRefused(&board, 4);
  }
  void RefuseThreeNodes(MakeBoard* board, bool silent = false) {
    for (const char* node : {"n2", "n3"}) cluster_.Put(testing::MakeNode(node));
    snapshot_ = cluster_.Take()->snapshot;
    board->AddGang("train", 1, 1);
    Learn(*board->Make(), kBegin);
    for (const char* node : {"n1", "n2", "n3"}) {
      Inbox inbox;
      inbox.Refused({"default/uid-train-0", "uid-train-0", node, "taints", silent});
      Take(inbox.Take(), kBegin);
    }
    Learn(*board->Make(), kBegin);
  }
};

}  // namespace outrigger::desk
