#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/crd/structural_schema.h"
#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "apiserver/select/columns.h"

namespace outrigger::apiserver {

/// A version of a custom resource.
struct CustomVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  std::shared_ptr<const StructuralSchema> schema = {};
  Columns columns = {};
  bool has_status = false;
  std::vector<std::string> selectable_fields = {"metadata.name", "metadata.namespace"};
};

/// What a CustomResourceDefinition serves. A plain value.
struct CustomDefinition {
  std::string group;
  std::string kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  std::vector<CustomVersion> versions = {};

  /// Reads a CustomResourceDefinition of apiextensions.k8s.io/v1 that has its defaults. 422 for one
  /// that is invalid, and for one with a conversion webhook.
  static std::optional<Failure> Read(const Json& object, CustomDefinition* definition);
};

/// Sets what upstream does where it is absent: singular, listKind, conversion, storedVersions.
void SetDefinitionDefaults(Json* object);

/// Names that are taken in the definition's group, by other definitions or built-in resources.
struct NamesTaken {
  std::vector<std::string> resources;  // plurals, singulars, short names
  std::vector<std::string> kinds;      // kinds, kinds of lists
};

/// Writes acceptedNames and the conditions NamesAccepted and Established into the status. True:
/// all names are accepted, and the definition's versions are to be served. `now` is RFC 3339.
bool AcceptNames(const NamesTaken& taken, const std::string& now, Json* object);

}  // namespace outrigger::apiserver
