#include "adoption.h"

#include "fmt/format.h"
#include "outrigger/penalty/base_value.h"

namespace outrigger::penalty {

Replacement AdoptedAs(const ClassAccount& account, const PriorityClass& fresh, Millis now) {
  Replacement adopted;
  adopted.outcome = Replacement::Outcome::kAdopted;
  adopted.class_name = account.name;
  adopted.base = BaseOf(fresh).base;
  adopted.before = account.written;
  adopted.value = fresh.value;
  adopted.begun = now;
  adopted.message =
      fmt::format("value {}, base {}: another writer made it; before that value {}, base {}",
                  adopted.value, adopted.base, account.written, account.base);
  return adopted;
}

PriorityClass AsFound(const Replacement& adopted) {
  PriorityClass found;
  found.name = adopted.class_name;
  found.value = static_cast<int32_t>(adopted.value);
  found.annotations = AnnotationsAt({}, adopted.base, adopted.value);
  return found;
}

}  // namespace outrigger::penalty
