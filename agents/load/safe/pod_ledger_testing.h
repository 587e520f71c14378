#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "burst_testing.h"
#include "gtest/gtest.h"
#include "pod_ledger.h"

namespace outrigger::safe {

/// A ledger of the nodes "a" and "b", which were measured at 0 over 100 s.
class SafeLedger : public ::testing::Test {
 protected:
  SafeLedger() {
    day_.cluster().Put(
        Measured("a").Annotation(std::string(kMeasuredAnnotation), MeasuredText(0, 100)));
    day_.cluster().Put(
        Measured("b").Annotation(std::string(kMeasuredAnnotation), MeasuredText(0, 100)));
  }

  void Begin(Estimate estimate = {.defaults = {100, 50}}) {
    ledger_ = std::make_unique<PodLedger>(&day_.cluster(),
                                          PodLedger::Options{.estimate = estimate,
                                                             .window = 60,
                                                             .clock = day_.clock(),
                                                             .warn = [this](std::string_view line) {
                                                               warnings_.emplace_back(line);
                                                             }});
    ledger_->CatchUp();
    ledger_->TakeChanges();
  }
  /// Of cpu, after a look.
  double Of(std::string_view node) {
    ledger_->CatchUp();
    const auto news = ledger_->Find(node);
    return news ? news->correction[kCpuResource] : -1e9;
  }
  Window WindowOf(std::string_view node) {
    ledger_->CatchUp();
    Window window = ledger_->Find(node)->measured;
    window.end -= kStart;
    return window;
  }
  void Measure(std::string_view node, int64_t end, int64_t length = 100) {
    day_.cluster().Put(
        Measured(node).Annotation(std::string(kMeasuredAnnotation), MeasuredText(end, length)));
  }

  Day day_;
  std::vector<std::string> warnings_;
  std::unique_ptr<PodLedger> ledger_;
};

}  // namespace outrigger::safe
