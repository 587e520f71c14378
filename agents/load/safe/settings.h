#pragma once

#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"

namespace outrigger::safe {

struct Settings {
  double utilization = 0.9;
  double max_risk = 0.3;
  double forecast_weight = 0.2;
  double margin = 1;
  double sensitivity = 1;
  double no_statistics_score = 5;
  double overload_weight = 1;
  double balance_weight = 1;
  std::string estimate = "requests";
  double estimate_factor = 1;
  std::string default_cpu = "100m";
  std::string default_memory = "200Mi";
  double window = 300;
  double max_age = 0;
  bool print_table = false;

  static constexpr auto kFields = std::tuple{
      Setting{"utilization", &Settings::utilization, Range{0, 1},
              "utilization above which a node counts as overloaded"}
          .LegacyEnv("SAFEUTILIZATION", LegacyForm::kPercent),
      Setting{"max-risk", &Settings::max_risk, Range{0, 1},
              "highest accepted probability that a node is overloaded with the pod on it"}
          .LegacyEnv("SAFEPERCENTILE", LegacyForm::kPercent),
      Setting{"forecast-weight", &Settings::forecast_weight, Range{0, 1},
              "how much of the mean is taken from the forecast, where a node has one"}
          .LegacyEnv("SAFEFORECASTWEIGHT", LegacyForm::kPercent),
      Setting{"margin", &Settings::margin, Range{0, 100},
              "balance: factor of the deviation against the mean"},
      Setting{"sensitivity", &Settings::sensitivity, Range{0, 100},
              "balance: the deviation counts as its 1/sensitivity-th power"},
      Setting{"no-statistics-score", &Settings::no_statistics_score, Range{0, 10},
              "score of a node of whose load nothing is known"},
      Setting{"overload-weight", &Settings::overload_weight, Range{0, 1000},
              "weight of overload in the agent's own score"},
      Setting{"balance-weight", &Settings::balance_weight, Range{0, 1000},
              "weight of balance in the agent's own score"},
      Setting{"estimate", &Settings::estimate, "requests|limits|none",
              "what a pod is expected to use before it is measured; none: only what is measured "
              "counts"},
      Setting{"estimate-factor", &Settings::estimate_factor, Range{0, 100},
              "factor of that: without it, 85 percent of the cpu and 70 percent of the memory are "
              "expected to be used"},
      Setting{"default-cpu", &Settings::default_cpu,
              "expected cpu of a pod that states none, as in 100m"},
      Setting{"default-memory", &Settings::default_memory,
              "expected memory of a pod that states none, as in 200Mi"},
      Setting{"window", &Settings::window, Range{0, 31'622'400},
              "seconds over which statistics are taken whose node does not say it"},
      Setting{"max-age", &Settings::max_age, Range{0, 31'622'400},
              "statistics older than this many seconds count as none; 0: three times the window "
              "that the node states, and 300 at least"},
      Setting{"print-table", &Settings::print_table,
              "log the figures of every node that is scored: one line per node and call"}
          .LegacyEnv("SAFEPRINTTABLE"),
  };
};

}  // namespace outrigger::safe
