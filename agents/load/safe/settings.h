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
              "share of the forecast in the mean, for nodes with a forecast"}
          .LegacyEnv("SAFEFORECASTWEIGHT", LegacyForm::kPercent),
      Setting{"margin", &Settings::margin, Range{0, 100},
              "balance: weight of the deviation relative to the mean"},
      Setting{"sensitivity", &Settings::sensitivity, Range{0, 100},
              "balance: the deviation is raised to the power 1/sensitivity"},
      Setting{"no-statistics-score", &Settings::no_statistics_score, Range{0, 10},
              "score of a node without load statistics"},
      Setting{"overload-weight", &Settings::overload_weight, Range{0, 1000},
              "weight of overload in the agent's own score"},
      Setting{"balance-weight", &Settings::balance_weight, Range{0, 1000},
              "weight of balance in the agent's own score"},
      Setting{"estimate", &Settings::estimate, "requests|limits|none",
              "expected usage of a pod before it is measured; none: only measured usage counts"},
      Setting{"estimate-factor", &Settings::estimate_factor, Range{0, 100},
              "factor on the expected usage, which is 85 percent of the cpu and 70 percent of the "
              "memory"},
      Setting{"default-cpu", &Settings::default_cpu,
              "expected cpu of a pod that states none, such as 100m"},
      Setting{"default-memory", &Settings::default_memory,
              "expected memory of a pod that states none, such as 200Mi"},
      Setting{"window", &Settings::window, Range{0, 31'622'400},
              "seconds that statistics cover, if the node does not state it"},
      Setting{"max-age", &Settings::max_age, Range{0, 31'622'400},
              "seconds after which statistics are ignored; 0: three times the window that the node "
              "states, at least 300"},
      Setting{"print-table", &Settings::print_table,
              "log the figures of every scored node, one line per node and call"}
          .LegacyEnv("SAFEPRINTTABLE"),
  };
};

}  // namespace outrigger::safe
