#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/crd/validation_rules.h"
#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "re2/re2.h"

namespace outrigger::apiserver {

/// The patterns of a schema, compiled.
using SchemaPatterns = std::map<std::string, std::shared_ptr<const RE2>>;

/// What keeps a schema of a CustomResourceDefinition from being a structural one. Upstream has more
/// rules, of which these are the general ones. `path` is that of the schema
/// ("spec.validation.openAPIV3Schema"); patterns that are fine are added to `patterns`. Pure.
std::vector<Cause> CheckSchema(const Json& schema, const std::string& path,
                               SchemaPatterns* patterns);

/// What a schema says of a value.
struct SchemaFindings {
  std::vector<Cause> causes = {};  // what is wrong with it
  /// What was not checked: `the rule self.a > 1 of spec`, `the format email of spec.mail`.
  std::vector<std::string> unchecked = {};
};

/// Judges `value` by an OpenAPI v3 schema, with the texts and paths of upstream's validator.
/// Bounded by the size of the value times that of the schema. `rules`: those that compile. Pure.
SchemaFindings ValidateBySchema(const Json& schema, const SchemaPatterns& patterns,
                                const Json& value, const ValidationRules* rules = nullptr);

/// The schema of a version of a CustomResourceDefinition, and what it does to objects. Immutable
/// after Compile(), so thread-safe; before it keeps everything and knows nothing. Schemas and
/// objects may be at most 1000 levels deep.
class StructuralSchema {
 public:
  /// Reads an openAPIV3Schema; what is wrong with it goes to `causes`, with fields below `path`.
  /// False: there are causes, and this must not be used.
  bool Compile(Json schema, const std::string& path, std::vector<Cause>* causes);

  /// Sets defaults where nothing is, and takes out nulls that are not `nullable`.
  void SetDefaults(Json* object) const;
  /// Takes out the fields that the schema does not have; `unknown` (unless nullptr) gets their
  /// paths in order: "spec.items[0].x". Fields of metadata are not looked at.
  void Prune(Json* object, std::vector<std::string>* unknown) const;
  /// What is wrong with an object that was pruned and has its defaults, and what was not checked.
  SchemaFindings Validate(const Json& object) const;
  /// What a valid object breaks of the rules in CEL (ValidationRules::Check).
  void CheckRules(const Json& object, const Json* old, std::vector<Cause>* causes) const;

  const Json& json() const { return schema_; }

 private:
  Json schema_ = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  SchemaPatterns patterns_;
  ValidationRules rules_;
};

/// The schema of a member or of the items of `schema`; nullptr: there is none.
const Json* SchemaOfMember(const Json* schema, const std::string& key);
const Json* SchemaOfItems(const Json* schema);

}  // namespace outrigger::apiserver
