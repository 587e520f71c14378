#pragma once

#include <map>
#include <string>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"
#include "cel/program.h"

namespace outrigger::apiserver {

/// The rules in CEL (x-kubernetes-validations) of a schema. Immutable after Compile(), so
/// thread-safe. Not as upstream: their types are unknown when they are compiled, messageExpression
/// is not evaluated, and they also refuse updates that leave alone what breaks them.
class ValidationRules {
 public:
  void Compile(const Json& schema);
  /// nullptr: it does not compile, and is not checked.
  const cel::Program* Find(const std::string& rule) const;
  /// What a valid object of that schema breaks, with upstream's texts and bound of cost. Rules of
  /// oldSelf are checked where `old` (nullptr: the object is new) has what they compare with.
  void Check(const Json& schema, const Json& object, const Json* old,
             std::vector<Cause>* causes) const;
  /// Adds that no rule was checked, if the causes are such that upstream checks none.
  void AddSkipped(std::vector<Cause>* causes) const;

 private:
  std::map<std::string, cel::Program> programs_;
};

}  // namespace outrigger::apiserver
