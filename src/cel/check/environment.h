#pragma once

#include <span>
#include <string_view>

#include "cel/check/type.h"

namespace outrigger::cel {

/// What expressions can name, and of which type that and the result are.
struct Environment {
  struct Field {
    std::string_view name;
    const Type* type;
  };
  std::span<const Field> variables = {};  // in the order in which an evaluation takes them
  std::span<const Field> fields = {};     // of `device` if it is a structure
  const Type* attribute = nullptr;        // of attributes: a result that may be bool
  /// Whether an expression that cannot be bool is refused when it is compiled.
  bool checks_result = false;
};

/// nullptr: there is none of that name.
const Type* FindType(std::span<const Environment::Field> fields, std::string_view name);

/// `device` of DRA (resource.k8s.io/v1): driver, attributes[domain].id, capacity[domain].id,
/// allowMultipleAllocations. With `list_attributes` (the feature gate DRAListTypeAttributes)
/// attributes are dyn, so that they can be iterated over.
const Environment& DraEnvironment(bool list_attributes = false);

/// `device.<attribute>` of the prototype devmgmtproto.k8s.io/v1alpha1: a map of names to values.
const Environment& PrototypeEnvironment();

/// `self` and `oldSelf` of the validation rules of CustomResourceDefinitions: any values.
const Environment& RuleEnvironment();

}  // namespace outrigger::cel
