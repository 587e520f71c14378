#include "devices/dra/constraints.h"

#include <algorithm>

namespace outrigger::dra {

bool ConstraintState::IsOf(const AskPlan& ask) const {
  const std::vector<std::string>& requests = constraint_->requests;
  return requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const auto& name) {
           return name == ask.request->name || name == ask.label;
         });
}

bool ConstraintState::Add(const AskPlan& ask, const Spot& spot) {
  if (!IsOf(ask)) return true;
  const AttributeValue* value =
      AttributeOf(*spot.device, spot.slice->driver, constraint_->attribute);
  if (value == nullptr) return false;
  // Values of different kinds are different. One of a kind that is not known is like none.
  const bool is_known = value->index() != 0;
  if (!values_.empty()) {
    if (!is_known) return false;
    const auto is_equal = [value](const AttributeValue* each) { return *each == *value; };
    if (constraint_->distinct ? std::any_of(values_.begin(), values_.end(), is_equal)
                              : !is_equal(values_[0])) {
      return false;
    }
  }
  values_.push_back(value);
  return true;
}

void ConstraintState::Remove(const AskPlan& ask) {
  if (IsOf(ask)) values_.pop_back();
}

}  // namespace outrigger::dra
