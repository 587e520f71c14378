// Time limits, and what is sent.

#include "rows_testing.h"

namespace outrigger::testing {

std::vector<FindingRow> CallRows() {
  const std::string of_safe = "extenders[0].httpTimeout";
  const std::string of_bind = "extenders[2].httpTimeout";
  const std::string second = "httpTimeout: 1s";
  return {
      {"TimeoutMissing", "timeout-missing", {{of_safe, ""}}, of_safe, "missing", second},
      {"TimeoutZero", "timeout-missing", {{of_safe, "0s"}}, of_safe, "0", second},
      {"TimeoutLong", "timeout-long", {{of_safe, "30s"}}, of_safe, "30s", second},
      {"TimeoutNegative", "timeout-long", {{of_safe, "-1s"}}, of_safe, "no limit", second},
      {"TimeoutShort", "timeout-short", {{of_safe, "20ms"}}, of_safe, "20ms", second},
      {"BindTimeoutMissing", "bind-timeout-short", {{of_bind, ""}}, of_bind, "missing", "10m30s"},
      {"BindTimeoutShort", "bind-timeout-short", {{of_bind, "5s"}}, of_bind, "5s", "10m30s"},
      {"PreBindTimeoutMissing",
       "prebind-timeout-short",
       {{"extenders[1].httpTimeout", ""}},
       "extenders[1].httpTimeout",
       "missing",
       "httpTimeout: 10m30s",
       "devices"},
      {"PreBindTimeoutShort",
       "prebind-timeout-short",
       {{"extenders[1].httpTimeout", "14s"}},
       "extenders[1].httpTimeout",
       "14s",
       "httpTimeout: 10m30s",
       "devices"},
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
      {"FilterOfOthersLong",
       "timeout-long",
       {{"extenders[1]",
         "{urlPrefix: 'http://127.0.0.1:8082/x', filterVerb: filter, weight: 1, nodeCacheCapable: "
         "true, httpTimeout: 30s}"}},
       "extenders[1].httpTimeout",
       "30s",
       "httpTimeout: 1s",
       "safe"},
      {"OthersInClear",
       "url-in-clear",
       {{"extenders[1]",
         "{urlPrefix: 'http://192.0.2.21:9040/v1', prioritizeVerb: p, weight: 1, nodeCacheCapable: "
         "true, httpTimeout: 1s}"}},
       "extenders[1].urlPrefix",
       "http://192.0.2.21:9040/v1",
       "https:// with tlsConfig",
       "safe"},
      {"BinderOfOthersIgnorable",
       "bind-ignorable",
       {{"extenders[1]",
         "{urlPrefix: 'http://127.0.0.1:8082/x', bindVerb: bind, ignorable: true, httpTimeout: "
         "1m}"}},
       "extenders[1].ignorable",
       "true",
       "leave ignorable out",
       "safe"},
      {"FullNodesOfOthersFirst",
       "full-nodes-first",
       {{"extenders[1]",
         "{urlPrefix: 'http://127.0.0.1:9871/safe', filterVerb: filter, prioritizeVerb: "
         "prioritize, "
         "weight: 1, nodeCacheCapable: true, httpTimeout: 1s}"},
        {"extenders[0]",
         "{urlPrefix: 'http://127.0.0.1:8082/x', filterVerb: filter, weight: 1, nodeCacheCapable: "
         "false, httpTimeout: 1s}"}},
       "extenders[0].nodeCacheCapable",
       "false, before extenders[1]",
       "this entry last",
       "safe"},
  };
}

}  // namespace outrigger::testing
