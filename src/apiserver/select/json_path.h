#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json.h"

namespace outrigger::apiserver {

/// The JSONPaths of CustomResourceDefinitions: `.spec.replicas`, `['a.b']`, `.items[0]`, `[*]`,
/// `.conditions[?(@.type=="Ready")].status`. Immutable after Parse().
class JsonPath {
 public:
  /// False: malformed, or of a kind that no column or scale path has.
  bool Parse(std::string_view text);
  /// The first value there; nullptr: nothing.
  const Json* Find(const Json& object) const;

 private:
  struct Step {
    enum class Kind { kMember, kIndex, kEach, kWhere } kind;
    std::string name = {};  // of kWhere the path from the item
    int64_t index = 0;
    Json value = {};  // what kWhere compares with
  };

  bool ParseBracket(std::string_view inside);
  const Json* FindFrom(const Json& value, size_t step) const;

  std::vector<Step> steps_;
};

}  // namespace outrigger::apiserver
