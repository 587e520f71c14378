#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "board_testing.h"
#include "gang/desk/nominations/memory.h"
#include "gmock/gmock.h"

namespace outrigger::desk {

class MemoryTest : public ::testing::Test {
 protected:
  // The view shows all that the scheduler knows.
  static NominationOptions UpToDate() {
    NominationOptions options;
    options.moves_after = std::chrono::milliseconds(0);
    return options;
  }
  // `asks_about_all`: the scheduler calls about each pod.
  explicit MemoryTest(NominationOptions options = UpToDate(), bool asks_about_all = true)
      : options_(options), asks_about_all_(asks_about_all) {
    cluster_.Put(testing::MakeNode("n1"));
    snapshot_ = cluster_.Take()->snapshot;
    Take({}, Time());
  }

  // Nominations that are due after a plan of `board`.
  std::vector<Nomination> Learn(const Board& board, Time now) {
    std::vector<plan::Unit> units;
    std::vector<Resting> resting;
    memory_.Prepare({}, *snapshot_, now, &units, &resting);
    return memory_.Learn(board, *snapshot_, now);
  }
  std::vector<plan::Unit> Prepare(
      const MakeBoard& board, Time now,
      const std::map<plan::UnitKey, std::vector<Waiting>>& waiters = {}) {
    std::vector<plan::Unit> units = board.Units();
    resting_.clear();
    memory_.Prepare(waiters, *snapshot_, now, &units, &resting_);
    return units;
  }
  void Asked(const std::string& uid, bool rejected, Time at) {
    Inbox inbox;
    inbox.Asked(uid, {.at = at, .rejected = rejected});
    Take(inbox.Take(), at);
  }
  void Refused(const std::string& uid, const std::string& node, Time at) {
    Inbox inbox;
    inbox.Refused({"default/" + uid, uid, node, "taints"});
    Take(inbox.Take(), at);
  }
  void GaveUp(const std::string& gang, std::chrono::milliseconds after, Time at) {
    Inbox inbox;
    inbox.GaveUp(LabelsGang(gang), after);
    Take(inbox.Take(), at);
  }
  void Take(Inbox::Content content, Time at) {
    content.asks_about_all = asks_about_all_;
    memory_.Take(content, snapshot_, at);
  }
  // A gang of one, whose member was rejected at the beginning and nominated for n1 a second later.
  void NominateAfterASecond(MakeBoard* board) {
    board->AddGang("train", 1, 1);
    Asked("uid-train-0", /*rejected=*/true, kBegin);
    const auto due = Learn(*board->Make(), kBegin + std::chrono::seconds(1));
    ASSERT_THAT(due, ::testing::SizeIs(1));
    memory_.Nominated(due[0], /*written=*/true, kBegin + std::chrono::seconds(1));
  }

  testing::FakeCluster cluster_;
  std::shared_ptr<const ClusterSnapshot> snapshot_;
  NominationOptions options_;
  const bool asks_about_all_;
  Memory memory_{options_};
  std::vector<Resting> resting_;
};

}  // namespace outrigger::desk
