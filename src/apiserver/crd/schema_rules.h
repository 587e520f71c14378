#pragma once

#include <string>
#include <vector>

#include "apiserver/crd/schema_validation.h"
#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// What keeps a schema of a CustomResourceDefinition from being a structural one, or is forbidden
/// in it, as upstream says it. `path` is that of the schema ("spec.validation.openAPIV3Schema");
/// patterns that are fine are added to `patterns`. Rules of CEL are not compiled. Pure.
std::vector<Cause> CheckSchema(const Json& schema, const std::string& path,
                               SchemaPatterns* patterns);

/// The CEL rules of x-kubernetes-validations: "openAPIV3Schema.properties[spec]: self.a > 1".
std::vector<std::string> RulesOf(const Json& schema, const std::string& path);

}  // namespace outrigger::apiserver
