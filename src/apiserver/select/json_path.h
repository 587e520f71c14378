#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json.h"

namespace outrigger::apiserver {

/// The JSONPaths of columns and CustomResourceDefinitions: `.spec.replicas`, `['a.b']`,
/// `.items[0]`, `[*]`, `.conditions[?(@.type=="Ready")].status`. Immutable after Parse().
class JsonPath {
 public:
  /// False: malformed, or of a kind that no column has; then nothing is there.
  bool Parse(std::string_view text);
  /// The values there that are not null.
  std::vector<const Json*> Find(const Json& object) const;

 private:
  struct Step {
    enum class Kind { kMember, kIndex, kEach, kWhere } kind;
    std::string name = {};  // of kWhere the path from the item
    int64_t index = 0;
    Json value = {};  // what kWhere compares with
  };

  static bool Read(std::string_view* text, Step* step);
  static void Walk(const Step& step, const Json& value, std::vector<const Json*>* found);

  std::vector<Step> steps_;
  bool readable_ = false;
};

}  // namespace outrigger::apiserver
