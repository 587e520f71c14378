#pragma once

#include <span>
#include <string_view>

#include "cel/check/type.h"

namespace outrigger::cel {

/// What expressions can name: `device`, and of which type it and the result are.
struct Environment {
  struct Field {
    std::string_view name;
    const Type* type;
  };
  const Type* device = nullptr;
  std::span<const Field> fields = {};  // of `device` if it is a structure
  const Type* attribute = nullptr;     // of attributes: a result that may be bool
  /// Whether an expression that cannot be bool is refused when it is compiled.
  bool checks_result = false;

  const Type* FieldType(std::string_view name) const;
};

/// `device` of DRA (resource.k8s.io/v1): driver, attributes[domain].id, capacity[domain].id,
/// allowMultipleAllocations. With `list_attributes` (the feature gate DRAListTypeAttributes)
/// attributes are dyn, so that they can be iterated over.
const Environment& DraEnvironment(bool list_attributes = false);

/// `device.<attribute>` of the prototype devmgmtproto.k8s.io/v1alpha1: a map of names to values.
const Environment& PrototypeEnvironment();

}  // namespace outrigger::cel
