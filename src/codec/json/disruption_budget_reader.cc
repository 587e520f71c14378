#include "codec/json/object_readers.h"

namespace outrigger::json {

absl::Status ReadDisruptionBudget(Object object, const Path& at, DisruptionBudget* budget) {
  *budget = DisruptionBudget();
  const auto metadata = [budget](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &budget->name},
                      Field{"namespace", &budget->namespace_});
  };
  const auto spec = [budget](Value part, const Path& place) {
    return ReadObject(part, place, Field{"selector", &budget->selector});
  };
  const auto status = [budget](Value part, const Path& place) {
    return ReadObject(part, place, Field{"disruptionsAllowed", &budget->allowed});
  };
  return ReadObject(object, at, Field{"metadata", metadata}, Field{"spec", spec},
                    Field{"status", status});
}

}  // namespace outrigger::json
