// Time limits, and what is sent.

#include "rows.h"

namespace outrigger::testing {

std::vector<FindingRow> CallRows() {
  const std::string of_safe = "extenders[0].httpTimeout";
  const std::string of_bind = "extenders[2].httpTimeout";
  const std::string second = "httpTimeout: 1s";
  return {
      {"TimeoutMissing", "timeout-missing", {{of_safe, ""}}, of_safe, "missing", second},
      {"TimeoutZero", "timeout-missing", {{of_safe, "0s"}}, of_safe, "0", second},
      {"TimeoutLong", "timeout-long", {{of_safe, "30s"}}, of_safe, "30s", second},
      {"TimeoutNegative", "timeout-long", {{of_safe, "-1s"}}, of_safe, "no limit at all", second},
      {"TimeoutShort", "timeout-short", {{of_safe, "20ms"}}, of_safe, "20ms", second},
      {"BindTimeoutMissing", "bind-timeout-short", {{of_bind, ""}}, of_bind, "missing", "10m30s"},
      {"BindTimeoutShort", "bind-timeout-short", {{of_bind, "5s"}}, of_bind, "5s", "10m30s"},
      {"BindTimeoutNotTold",
       "bind-timeout-not-told",
       {{of_bind, "2m"}},
       of_bind,
       "2m; the agent is told 300 s",
       "--gang.bind-timeout 120"},
      {"FullNodes",
       "full-nodes",
       {{"extenders[0].nodeCacheCapable", "false"}},
       "extenders[0].nodeCacheCapable",
       "false",
       "nodeCacheCapable: true"},
      {"FullNodesByDefault",
       "full-nodes",
       {{"extenders[1].nodeCacheCapable", ""}},
       "extenders[1].nodeCacheCapable",
       "missing",
       "nodeCacheCapable: true"},
  };
}

}  // namespace outrigger::testing
