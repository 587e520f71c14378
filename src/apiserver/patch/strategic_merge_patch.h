#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// What a strategic merge patch has to know of a struct of the API. Lives as long as the call.
class PatchSchema {
 public:
  struct Field {
    bool merges = false;         // patchStrategy "merge": a list's items are merged
    bool replaces = false;       // patchStrategy "replace": an object is not merged
    std::string_view merge_key;  // what tells a list's items apart; empty: they are primitives
    const PatchSchema* type = nullptr;  // of the value or of a list's items; nullptr: no struct
  };

  virtual ~PatchSchema() = default;
  /// The struct's name without its package ("PodSpec").
  virtual std::string Name() const = 0;
  /// nullopt: there is no such field.
  virtual std::optional<Field> Find(std::string_view json_name) const = 0;
};

/// Applies a strategic merge patch with its directives ($patch, $setElementOrder,
/// $deleteFromPrimitiveList, $retainKeys) to an object of type `schema`. Texts and codes are those
/// of the real server, which has 500 for most faults of a patch. After a failure `object` is left
/// in an unspecified state. Both may be at most 1000 levels deep. Pure.
std::optional<Failure> ApplyStrategicMergePatch(const Json& patch, const PatchSchema& schema,
                                                Json* object);

}  // namespace outrigger::apiserver
