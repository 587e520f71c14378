#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "desk_testing.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"
#include "reports/reports.h"

namespace outrigger::gang {

class ReportsTest : public ::testing::Test {
 protected:
  void OnPlan(Time now, const std::vector<plan::Note>& notes = {},
              const std::vector<TimedOut>& timed_out = {}) {
    reports_.OnPlan(*board_.Make(), notes, timed_out, now);
  }
  // A gang that lacks members, with figures.
  void Lacks(const std::string& name, const std::string& text) {
    board_.Change(name, [text](plan::GroupState* group) {
      group->cause = plan::GroupCause::kTooFewMembers;
      group->text = text;
    });
  }
  // What is told in Events at a plan then.
  std::vector<std::string> Told(Time now) {
    const size_t before = cluster_.events().size();
    OnPlan(now);
    const auto board = board_.Make();
    reports_.Explain(&explainer_, cluster_.Take()->snapshot, {}, {}, *board, now);
    std::vector<std::string> notes;
    const auto events = cluster_.events();
    for (size_t i = before; i < events.size(); ++i) notes.push_back(events[i].note);
    return notes;
  }

  testing::FakeCluster cluster_;
  Counted counted_;
  std::vector<std::string> log_;
  MakeBoard board_;
  Explainer explainer_{nullptr};
  Reports reports_{&cluster_, &counted_,
                   [this](std::string_view line) { log_.emplace_back(line); }};
};

}  // namespace outrigger::gang
