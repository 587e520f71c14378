#pragma once

#include <string>
#include <vector>

#include "apiserver/crd/schema_validation.h"
#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// The schema of a version of a CustomResourceDefinition, and what it does to objects. Immutable
/// after Compile(), so thread-safe. Schemas and objects may be at most 1000 levels deep.
class StructuralSchema {
 public:
  /// Keeps everything, knows nothing.
  StructuralSchema();

  /// Reads an openAPIV3Schema; what is wrong with it goes to `causes`, with fields below `path`.
  /// False: there are causes, and this must not be used.
  bool Compile(Json schema, const std::string& path, std::vector<Cause>* causes);

  /// Sets defaults where nothing is, and takes out nulls that are not `nullable`.
  void SetDefaults(Json* object) const;
  /// Takes out the fields that the schema does not have; `unknown` (unless nullptr) gets their
  /// paths in order: "spec.items[0].x". Fields of metadata are not looked at.
  void Prune(Json* object, std::vector<std::string>* unknown) const;
  /// What is wrong with an object that was pruned and has its defaults.
  std::vector<Cause> Validate(const Json& object) const;
  /// The CEL rules of x-kubernetes-validations, which Validate() does not check, with their places:
  /// "openAPIV3Schema.properties[spec]: self.a > 1".
  std::vector<std::string> UncheckedRules() const;

  const Json& json() const { return schema_; }

 private:
  Json schema_;
  SchemaPatterns patterns_;
};

/// Takes out of `value` what its schema does not have, as Prune() does; `resource`: it has
/// metadata.
void PruneBySchema(const Json& schema, bool resource, Json* value,
                   std::vector<std::string>* unknown);

}  // namespace outrigger::apiserver
