#include "apiserver/select/label_selector.h"

#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {

StringMap LabelsOf(const Json& object) {
  StringMap labels;
  const Json* const all = ValueAt(object, "metadata.labels");
  if (all == nullptr || !all->is_object()) return labels;
  for (const auto& [key, value] : all->items()) {
    if (value.is_string()) labels.Append(key, value.get_ref<const std::string&>());
  }
  labels.Normalize();
  return labels;
}

LabelSelector ReadLabelSelector(const Json& selector) {
  // In of no values is invalid, and so matches nothing.
  LabelSelector nothing{.match_labels = {},
                        .match_expressions = {{"none", SelectorOperator::kIn, {}}}};
  if (!selector.is_object()) return nothing;
  LabelSelector parsed;
  if (const Json* const labels = ValueAt(selector, "matchLabels")) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) parsed.match_labels.Set(key, value.get_ref<const std::string&>());
    }
  }
  for (const Json& one : ListAt(selector, "matchExpressions")) {
    SelectorRequirement requirement;
    requirement.key = TextAt(one, "key");
    if (!ParseSelectorOperator(TextAt(one, "operator"), &requirement.op).ok()) return nothing;
    for (const Json& value : ListAt(one, "values")) requirement.values.push_back(value);
    parsed.match_expressions.push_back(std::move(requirement));
  }
  return parsed;
}

bool Selects(const Json& selector, const Json& labelled) {
  return ReadLabelSelector(selector).Matches(LabelsOf(labelled));
}

}  // namespace outrigger::apiserver
