#include "penalty/classes/base_value.h"

#include <optional>

#include "fmt/format.h"
#include "penalty/classes/policy.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {

BaseValue BaseOf(const PriorityClass& priority_class) {
  const int64_t value = priority_class.value;
  const std::string* text = priority_class.annotations.Find(kBaseValueAnnotation);
  if (text == nullptr) return {value, ""};
  const std::optional<int64_t> base = IntegerOf(*text);
  if (base && *base >= value && *base <= kHighestValue) {
    return {*base, ""};
  }
  return {value, fmt::format("annotation {}: {} is not accepted; expected an integer from the "
                             "class's value, {}, to {}; the value is used as the base",
                             kBaseValueAnnotation, Quoted(*text), value, kHighestValue)};
}

StringMap AnnotationsAt(const StringMap& annotations, int64_t base, int64_t value) {
  StringMap result;
  for (const auto& [key, text] : annotations) {
    if (key != kBaseValueAnnotation) result.Append(key, text);
  }
  if (value != base) result.Append(kBaseValueAnnotation, fmt::format("{}", base));
  result.Normalize();
  return result;
}

}  // namespace outrigger::penalty
