#include "devices/writer/custody/decision_table.h"

#include <array>

namespace outrigger::device_writer {
namespace {

using devices::ActionKind;

// Nothing: any.
struct DecisionRow {
  ClaimIs claim;
  std::optional<PodsAre> pods;
  std::optional<EntryIs> entry;
  Decision decision;
};

constexpr std::optional<PodsAre> kAnyPods;
constexpr std::optional<EntryIs> kAnyEntry;

constexpr std::array kRows = {
    // The claim was deleted. Devices that a pod uses stay in use.
    DecisionRow{ClaimIs::kGone,
                PodsAre::kBound,
                kAnyEntry,
                {std::nullopt, "the claim is gone and its pod uses the devices"}},
    DecisionRow{ClaimIs::kGone,
                PodsAre::kWaiting,
                EntryIs::kIntent,
                {std::nullopt, "the claim is gone and its pod may be bound yet"}},
    // Whoever wrote the claim for that pod before it was deleted may be binding the pod now.
    DecisionRow{ClaimIs::kGone,
                PodsAre::kWaiting,
                EntryIs::kConfirmed,
                {ActionKind::kAwaitPods, "the claim is gone and its pod may be bound yet"}},
    DecisionRow{ClaimIs::kGone,
                kAnyPods,
                kAnyEntry,
                {ActionKind::kRemoveEntry, "the claim is gone and no pod uses the devices"}},
    // Intent and claim are written.
    DecisionRow{ClaimIs::kSame,
                PodsAre::kEnded,
                kAnyEntry,
                {ActionKind::kFreeClaim, "no pod on its node uses it"}},
    DecisionRow{ClaimIs::kSame,
                PodsAre::kBound,
                EntryIs::kIntent,
                {ActionKind::kConfirm, "claim and binding are written"}},
    DecisionRow{ClaimIs::kSame,
                PodsAre::kBound,
                EntryIs::kDue,
                {ActionKind::kConfirm, "claim and binding are written"}},
    DecisionRow{
        ClaimIs::kSame,
        PodsAre::kWaiting,
        EntryIs::kDue,
        {ActionKind::kFreeClaim, "its pod was not bound before the deadline of the intent"}},
    DecisionRow{ClaimIs::kSame, kAnyPods, kAnyEntry, {std::nullopt, "all agree"}},
    // The claim is not written. A fence makes sure that it will not be.
    DecisionRow{ClaimIs::kPending,
                kAnyPods,
                EntryIs::kDue,
                {ActionKind::kFenceAndRemove, "the claim was not written by the deadline"}},
    DecisionRow{ClaimIs::kPending,
                PodsAre::kEnded,
                EntryIs::kIntent,
                {ActionKind::kFenceAndRemove, "its pod is gone or has ended"}},
    DecisionRow{ClaimIs::kPending,
                kAnyPods,
                EntryIs::kIntent,
                {std::nullopt, "the claim is being written"}},
    DecisionRow{ClaimIs::kPending,
                kAnyPods,
                EntryIs::kConfirmed,
                {ActionKind::kRemoveEntry, "the claim was freed"}},
    // The claim was written with devices of other pools.
    DecisionRow{ClaimIs::kElsewhere,
                PodsAre::kEnded,
                kAnyEntry,
                {ActionKind::kFreeClaim, "no pod on its node uses it"}},
    DecisionRow{ClaimIs::kElsewhere,
                kAnyPods,
                EntryIs::kIntent,
                {std::nullopt, "the entry is its writer's until the deadline"}},
    DecisionRow{ClaimIs::kElsewhere,
                kAnyPods,
                kAnyEntry,
                {ActionKind::kRemoveEntry, "the claim has no devices of the pool"}},
    // The claim is the commit: the entry follows it.
    DecisionRow{ClaimIs::kDifferent,
                PodsAre::kEnded,
                kAnyEntry,
                {ActionKind::kFreeClaim, "no pod on its node uses it"}},
    DecisionRow{ClaimIs::kDifferent,
                kAnyPods,
                EntryIs::kIntent,
                {std::nullopt, "the entry is its writer's until the deadline"}},
    DecisionRow{ClaimIs::kDifferent,
                kAnyPods,
                kAnyEntry,
                {ActionKind::kRestoreEntry, "the claim has other devices of the pool"}},
};

}  // namespace

Decision DecideEntry(EntryIs entry, ClaimIs claim, PodsAre pods) {
  for (const DecisionRow& row : kRows) {
    if (row.claim == claim && row.pods.value_or(pods) == pods &&
        row.entry.value_or(entry) == entry) {
      return row.decision;
    }
  }
  return {};
}

}  // namespace outrigger::device_writer
