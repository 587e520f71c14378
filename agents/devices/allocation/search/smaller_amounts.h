#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/takings.h"

namespace outrigger::devices {

/// The amounts of one own resource that a shared device may have to give to a request, so that
/// later requests get theirs: few, however small its blocks are.
///
/// Let all devices have blocks of one size b, c(D) be what is left of devices D in whole blocks,
/// and w(S) what later requests S want, rounded up to blocks. Once each request has its devices, to
/// find amounts is a transport problem in whole blocks. By Gale's theorem (A Theorem on Flows in
/// Networks, 1957) later requests get what they want if and only if c(N(S)) >= w(S) for each set S
/// of them, N(S) being their devices. So the most that a device d can give is c({d}), or what is
/// wanted of it, or c(D) - w(S) for some S and some D with d among them.
///
/// Each device of a request must give a block at least, so it may be up to j blocks less: one for
/// each device in D that a request must have, if it must have several. (Of those that it need not
/// have, one that gives nothing can be left out.)
///
/// Other amounts need not be tried: if there is a solution, there is one in which each device in
/// turn gives the most that leaves one.
///
/// For one decision of a search. Thread-compatible.
class SmallerAmounts {
 public:
  struct Decision {
    size_t slot = 0;
    const Alternative* alternative = nullptr;
    size_t wish = 0;
    size_t place = 0;
    int64_t need = 0;  ///< devices that are yet to be found, with this one
  };
  /// All must outlive it. The decision is not among the takings.
  SmallerAmounts(const DemandData& demand, const Ground& ground, const Takings& takings,
                 const Decision& decision);

  /// The largest amount below `now` that matters; 0: none does.
  Amount Below(Amount now) const;
  /// What it cost to find these amounts, in steps of a search.
  int64_t steps() const;

 private:
  /// What a number of other devices have together.
  struct Room {
    Amount sum = 0;
    int64_t fewest = 0;  // devices that have it
    int64_t most = 0;
  };

  void AddLater(const Slot& slot);
  void AddDevices();
  void AddRoom(Amount left);
  bool IsWanted(SetId set) const;
  int64_t BlocksLess(const Room& room) const;

  const DemandData& demand_;
  const Ground& ground_;
  const Takings& takings_;
  const Decision decision_;
  const Wish& wish_;
  Amount block_ = 0;
  Amount left_ = 0;             // of the device
  std::vector<Amount> wanted_;  // sums of what later requests want; each once, ascending
  std::vector<Room> rooms_;     // each sum once, ascending
  std::vector<const Matches*> later_;
  int64_t later_devices_ = 0;     // at most so many get them
  std::vector<int64_t> several_;  // by later request that must have several: how many
  int64_t own_ = 0;               // further devices that the request must have
  int64_t excess_ = 0;            // blocks that later requests must take beyond what they want
  bool is_exhaustive_ = false;    // blocks differ, or sums are too many: every block counts
};

}  // namespace outrigger::devices
