#include "gang/plan/unit.h"

namespace outrigger::plan {

std::string TextOf(const UnitKey& key) {
  return key.namespace_ + "/" + key.name;
}

}  // namespace outrigger::plan
