#include "measures.h"

#include <algorithm>
#include <cmath>

namespace outrigger::load_bench {

void Measures::Add(const Measures& other) {
  cpu_errors.insert(cpu_errors.end(), other.cpu_errors.begin(), other.cpu_errors.end());
  memory_errors.insert(memory_errors.end(), other.memory_errors.begin(), other.memory_errors.end());
  cpu_bias += other.cpu_bias;
  overloaded += other.overloaded;
  pods += other.pods;
  placed += other.placed;
  misplaced += other.misplaced;
  refusals += other.refusals;
  in_vain += other.in_vain;
  pods_in_vain += other.pods_in_vain;
  used_nodes += other.used_nodes;
  imbalance += other.imbalance;
  minutes += other.minutes;
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double place = std::ceil(share * static_cast<double>(values.size())) - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(place, 0.0));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Row RowOf(const Measures& measures) {
  const double errors = std::max(static_cast<double>(measures.cpu_errors.size()), 1.0);
  const double minutes = std::max(static_cast<double>(measures.minutes), 1.0);
  return {.error_median = Quantile(measures.cpu_errors, 0.5),
          .error_p95 = Quantile(measures.cpu_errors, 0.95),
          .bias = measures.cpu_bias / errors,
          .memory_error_median = Quantile(measures.memory_errors, 0.5),
          .memory_error_p95 = Quantile(measures.memory_errors, 0.95),
          .overloaded = measures.overloaded,
          .in_vain = static_cast<double>(measures.in_vain),
          .pods_in_vain = static_cast<double>(measures.pods_in_vain),
          .refusals = static_cast<double>(measures.refusals),
          .pods = static_cast<double>(measures.pods),
          .placed = static_cast<double>(measures.placed),
          .misplaced = static_cast<double>(measures.misplaced),
          .used_nodes = measures.used_nodes / minutes,
          .imbalance = measures.imbalance / minutes};
}

}  // namespace outrigger::load_bench
