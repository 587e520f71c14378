#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace outrigger::pigeon {

/// What is summed up of the nodes that count. Utilizations are between 0 and 1, times the weight of
/// the resource.
struct FleetSums {
  double nodes = 0;
  std::vector<double> use;            // by resource: sum of utilizations
  std::vector<double> products;       // resources x resources: sum of products of two of them
  std::vector<double> capacity;       // by resource: sum of capacities
  std::vector<double> with_capacity;  // by resource: nodes that have any
  double prime = 0;                   // sum of utilizations of the prime resource, not clamped
  double prime_squares = 0;
};

/// Nodes by row: what each has of every resource, and what is taken of it. The sums over the nodes
/// that count follow every change in time that does not depend on the number of nodes, so that a
/// pod on one node can be judged by the whole cluster. Thread-compatible.
class Fleet {
 public:
  /// `weights` by resource, at least one; `prime` is the resource that is looked at alone.
  Fleet(std::vector<double> weights, size_t prime);

  void Clear();
  /// Adds a row. One that does not `count` (cordoned) is in no sum. Amounts are finite, at least 0.
  void Add(std::span<const double> capacity, std::span<const double> used, bool counts);
  void Set(size_t row, std::span<const double> capacity, std::span<const double> used, bool counts);

  size_t size() const { return counts_.size(); }
  size_t resources() const { return weights_.size(); }
  size_t prime() const { return prime_; }
  double weight(size_t resource) const { return weights_[resource]; }
  std::span<const double> capacity(size_t row) const { return Row(capacity_, row); }
  std::span<const double> used(size_t row) const { return Row(used_, row); }
  /// Utilizations as they are summed up.
  std::span<const double> use(size_t row) const { return Row(use_, row); }
  /// Utilization of the prime resource, not clamped.
  double prime_use(size_t row) const { return prime_use_[row]; }
  bool counts(size_t row) const { return counts_[row]; }
  const FleetSums& sums() const { return sums_; }
  /// By resource: what the largest node has, whether it counts or not.
  std::span<const double> largest() const { return largest_; }

  /// Utilization, clamped and weighted. Without capacity a resource is either unused or full.
  double UseOf(size_t resource, double capacity, double used) const;
  /// The same of the prime resource, neither clamped nor weighted; 1 without capacity.
  static double PrimeUseOf(double capacity, double used);

 private:
  std::span<const double> Row(const std::vector<double>& values, size_t row) const {
    return std::span(values).subspan(row * resources(), resources());
  }
  void Write(size_t row, std::span<const double> capacity, std::span<const double> used,
             bool counts);
  /// Adds (1) or takes away (-1) the row.
  void Sum(size_t row, double sign);
  void SumAll();

  const std::vector<double> weights_;
  const size_t prime_;
  std::vector<double> capacity_;  // rows x resources, as the next two
  std::vector<double> used_;
  std::vector<double> use_;
  std::vector<double> prime_use_;
  std::vector<char> counts_;
  FleetSums sums_;
  std::vector<double> largest_;
  size_t changes_ = 0;  // since the sums were made from nothing
};

}  // namespace outrigger::pigeon
