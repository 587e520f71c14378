#pragma once

#include <string>
#include <vector>

#include "gang/desk/nominations/memory_testing.h"
#include "gang/plan/call_resources.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::desk {

/// Of an agent that is asked about members of groups alone, next to a single pod that waits: places
/// hold by nominations.
class MemoryAheadTest : public MemoryTest {
 protected:
  explicit MemoryAheadTest(NominationOptions options = {}, bool asks_about_all = false)
      : MemoryTest(options, asks_about_all) {}

  static void AddGang(MakeBoard* board, const std::string& name, size_t members) {
    AddAlone(board, name, members);
    board->AddSingle(testing::MakePod("beside-" + name));
  }
  // Without that pod.
  static void AddAlone(MakeBoard* board, const std::string& name, size_t members) {
    board->AddGang(name, static_cast<int64_t>(members), members, "1");
    for (size_t i = 0; i < members; ++i) {
      board->ChangeMember(name, i, [](Pod* pod) {
        pod->containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
      });
    }
  }
  static void Gate(MakeBoard* board, const std::string& name, size_t member, bool gated) {
    board->ChangeMember(name, member, [&](Pod* pod) {
      pod->scheduling_gates.clear();
      if (gated) pod->scheduling_gates.emplace_back("outrigger.dev/queue");
      pod->unscheduled_reason = "SchedulingGated";
    });
  }
  static void Show(MakeBoard* board, const std::string& name, size_t member,
                   const std::string& node) {
    board->ChangeMember(name, member, [&](Pod* pod) { pod->nominated_node_name = node; });
  }
  void Write(const std::vector<Nomination>& due, Time now) {
    for (const Nomination& nomination : due) memory_.Nominated(nomination, /*written=*/true, now);
  }
  static std::vector<std::string> Texts(const std::vector<Nomination>& due) {
    std::vector<std::string> texts;
    for (const Nomination& one : due) texts.push_back(one.pod->name + ":" + one.node);
    return texts;
  }
};

}  // namespace outrigger::desk
