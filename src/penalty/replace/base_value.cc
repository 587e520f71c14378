#include "outrigger/penalty/base_value.h"

#include <optional>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/penalty/policy.h"
#include "penalty/policy/numbers.h"

namespace outrigger::penalty {

BaseValue BaseOf(const PriorityClass& priority_class) {
  const int32_t value = priority_class.value;
  const std::string* text = priority_class.annotations.Find(kBaseValueAnnotation);
  if (text == nullptr) return {value, ""};
  const std::optional<int64_t> base = IntegerOf(*text);
  if (base && *base >= value && *base <= kHighestValue) {
    return {static_cast<int32_t>(*base), ""};
  }
  return {value,
          fmt::format("annotation {}: \"{}\" is not accepted: an integer from the class's "
                      "value, {}, to {}; the value is taken for the base",
                      kBaseValueAnnotation, Printable(Shortened(*text, 64)), value, kHighestValue)};
}

StringMap AnnotationsAt(const StringMap& annotations, int32_t base, int32_t value) {
  StringMap result;
  for (const auto& [key, text] : annotations) {
    if (key != kBaseValueAnnotation) result.Append(key, text);
  }
  if (value != base) result.Append(kBaseValueAnnotation, fmt::format("{}", base));
  result.Normalize();
  return result;
}

}  // namespace outrigger::penalty
