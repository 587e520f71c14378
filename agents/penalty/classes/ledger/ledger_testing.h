#pragma once

#include <string>

#include "fmt/format.h"
#include "penalty/classes/ledger.h"
#include "rapidcheck.h"

namespace outrigger::penalty {

inline constexpr Millis kNow = 1'764'000'000'000;

/// A UID as the API server makes them.
inline std::string UidOf(int64_t number) {
  return fmt::format("9d7e3b0c-4f1e-4c59-9a04-{:012x}", number);
}

inline ClassAccount NewAccount(std::string name, int64_t base) {
  ClassAccount account;
  account.name = std::move(name);
  account.base = base;
  account.written = base;
  account.since = kNow;
  return account;
}

inline std::string AnyName() {
  const auto letter = rc::gen::elementOf(std::string("abz019-."));
  return "x" + *rc::gen::container<std::string>(letter);
}

inline double AnyPenalty() {
  return *rc::gen::element(0.0, 1.0 / 3, 1e-300, kMostPenalty,
                           *rc::gen::inRange(0, 1'000'000'000) / 7.0);
}

inline ValueChange AnyChange() {
  return {*rc::gen::inRange<Millis>(0, kNow), *rc::gen::inRange<int64_t>(kLowestValue, 1000),
          *rc::gen::inRange<int64_t>(kLowestValue, 1000), *rc::gen::inRange<int64_t>(0, kMostGap),
          CauseText(*rc::gen::arbitrary<std::string>())};
}

/// Any ledger that Ledger lets come to be: classes, changes, pending marks, sums.
inline Ledger AnyLedger() {
  const auto time = rc::gen::inRange<Millis>(0, kNow);
  Ledger ledger(*time);
  const int classes = *rc::gen::inRange(0, 12);
  for (int i = 0; i < classes; ++i) {
    ClassAccount account = NewAccount(AnyName(), *rc::gen::inRange<int64_t>(-100, 1'000'000'000));
    account.written = *rc::gen::inRange<int64_t>(kLowestValue, account.base);
    account.account = {AnyPenalty(), *time, *rc::gen::inRange<int64_t>(0, kMostCount),
                       *rc::gen::inRange<int64_t>(0, kMostCount),
                       *rc::gen::element<Millis>(0, *time)};
    account.since = *time;
    if (*rc::gen::arbitrary<bool>()) {
      account.replaced = *rc::gen::inRange<Millis>(1, kNow);
      account.gap_us = *rc::gen::inRange<int64_t>(0, kMostGap);
    }
    const int changes = *rc::gen::inRange(0, 4);
    for (int j = 0; j < changes; ++j) account.changes.push_back(AnyChange());
    RC_ASSERT(ledger.Add(std::move(account)).ok());
  }
  Policy policy;
  policy.start = {Increment::Kind::kFlat, AnyPenalty() / 1e4};
  policy.completion = {Increment::Kind::kFlat, AnyPenalty() / 1e4};
  int64_t uid = 0;
  for (const std::string& name : [&] {
         std::vector<std::string> names;
         for (const auto& [class_name, account] : ledger.classes()) names.push_back(class_name);
         return names;
       }()) {
    const Bounds bounds = {ledger.Find(name)->base, kLowestValue, ledger.Find(name)->base, 1};
    const std::string group = UidOf(++uid);
    const Phase phase = *rc::gen::element(Phase::kWaiting, Phase::kRunning, Phase::kCompleted);
    const auto counted = ledger.Count(name, {group, "default", *rc::gen::element("a", "b")}, {},
                                      OnPhase({}, phase, false), {policy, bounds, policy}, *time);
    RC_ASSERT(counted.ok());
  }
  return ledger;
}

}  // namespace outrigger::penalty
