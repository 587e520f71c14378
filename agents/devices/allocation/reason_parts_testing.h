#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace outrigger::devices {

/// The changes that the text of a reason names, read back from its words.
struct ReasonParts {
  /// "4 gpu wanted, 3 free": one device more. Of all requests that the text is about.
  struct More {
    std::string request;  ///< "default/c0 claims[1]"
    bool every = false;   ///< "every gpu": how many is not said
    int64_t wanted = 0;
    int64_t missing = 0;
    bool none_match = false;
    bool contradicts = false;  ///< "which no devices can satisfy": no change of the node helps
  };
  /// "pool p0 lacks 1 slots", "device x of pool p0 lacks 2 memory".
  struct Short {
    std::string pool;
    std::string device;  ///< empty: of the pool
    std::string store;
    int64_t by = 0;
  };
  std::vector<More> more;
  std::map<std::string, int64_t> in_use;  ///< devices by claim
  bool names_all = true;                  ///< else "and 3 more claims"
  std::vector<Short> shorts;
};

/// Nothing: the text has another form.
std::optional<ReasonParts> PartsOf(const std::string& reason);

}  // namespace outrigger::devices
