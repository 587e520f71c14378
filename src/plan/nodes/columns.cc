#include "plan/nodes/columns.h"

#include <algorithm>

namespace outrigger::plan {

size_t Columns::Of(std::string_view name, bool is_offered) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
  if (!is_offered && absent_ >= kMostAbsent && name != kAbsent) {
    sharing_.emplace(name);
    return Of(kAbsent, is_offered);
  }
  absent_ += is_offered ? 0 : 1;
  names_.emplace_back(name);
  return names_.size() - 1;
}

void Columns::Fill(const ResourceList& list, int64_t* row) const {
  for (size_t column = 0; column < names_.size(); ++column) {
    const Quantity* quantity = list.Find(names_[column]);
    row[column] = quantity == nullptr ? 0 : ValueOf(names_[column], *quantity);
  }
}

int64_t Columns::ValueOf(std::string_view name, const Quantity& quantity) {
  return name == kCpu ? quantity.MilliValue() : quantity.Value();
}

}  // namespace outrigger::plan
