#include "fleet.h"

#include <algorithm>
#include <utility>

namespace outrigger::pigeon {
namespace {

// What is added and taken away again leaves rounding errors, which must stay far below the
// difference of two placements.
constexpr size_t kChangesBetweenSums = 1024;

FleetSums NoSums(size_t resources) {
  FleetSums sums;
  sums.use.resize(resources);
  sums.products.resize(resources * resources);
  sums.capacity.resize(resources);
  sums.with_capacity.resize(resources);
  return sums;
}

}  // namespace

Fleet::Fleet(std::vector<double> weights, size_t prime)
    : weights_(std::move(weights)),
      prime_(prime),
      sums_(NoSums(weights_.size())),
      largest_(weights_.size()) {}

void Fleet::Clear() {
  for (auto* values : {&capacity_, &used_, &use_, &prime_use_}) values->clear();
  counts_.clear();
  sums_ = NoSums(resources());
  largest_.assign(resources(), 0);
  changes_ = 0;
}

void Fleet::Add(std::span<const double> capacity, std::span<const double> used, bool counts) {
  const size_t row = size();
  for (auto* values : {&capacity_, &used_, &use_}) values->resize((row + 1) * resources());
  prime_use_.resize(row + 1);
  counts_.resize(row + 1);
  Write(row, capacity, used, counts);
  Sum(row, 1);
}

void Fleet::Set(size_t row, std::span<const double> capacity, std::span<const double> used,
                bool counts) {
  Sum(row, -1);
  Write(row, capacity, used, counts);
  Sum(row, 1);
  if (++changes_ >= kChangesBetweenSums) SumAll();
}

double Fleet::UseOf(size_t resource, double capacity, double used) const {
  if (capacity <= 0) return used > 0 ? weights_[resource] : 0;
  return std::min(used / capacity, 1.0) * weights_[resource];
}

double Fleet::PrimeUseOf(double capacity, double used) {
  return capacity <= 0 ? 1 : used / capacity;
}

void Fleet::Write(size_t row, std::span<const double> capacity, std::span<const double> used,
                  bool counts) {
  for (size_t r = 0; r < resources(); ++r) {
    capacity_[row * resources() + r] = capacity[r];
    used_[row * resources() + r] = used[r];
    use_[row * resources() + r] = UseOf(r, capacity[r], used[r]);
    largest_[r] = std::max(largest_[r], capacity[r]);
  }
  prime_use_[row] = PrimeUseOf(capacity[prime_], used[prime_]);
  counts_[row] = counts ? 1 : 0;
}

void Fleet::Sum(size_t row, double sign) {
  if (!counts(row)) return;
  const std::span<const double> use = this->use(row);
  const std::span<const double> capacity = this->capacity(row);
  for (size_t a = 0; a < resources(); ++a) {
    sums_.use[a] += sign * use[a];
    sums_.capacity[a] += sign * capacity[a];
    if (capacity[a] > 0) sums_.with_capacity[a] += sign;
    for (size_t b = 0; b < resources(); ++b) {
      sums_.products[a * resources() + b] += sign * (use[a] * use[b]);
    }
  }
  sums_.nodes += sign;
  sums_.prime += sign * prime_use_[row];
  sums_.prime_squares += sign * (prime_use_[row] * prime_use_[row]);
}

void Fleet::SumAll() {
  sums_ = NoSums(resources());
  largest_.assign(resources(), 0);
  for (size_t row = 0; row < size(); ++row) {
    Sum(row, 1);
    for (size_t r = 0; r < resources(); ++r) {
      largest_[r] = std::max(largest_[r], capacity(row)[r]);
    }
  }
  changes_ = 0;
}

}  // namespace outrigger::pigeon
