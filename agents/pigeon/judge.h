#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "demand/demand.h"
#include "fleet.h"
#include "objective.h"

namespace outrigger::pigeon {

/// The coefficient of variation of several resources after Albert and Zhang, sqrt(m'Sm) / m'm, of
/// mean m and covariance S (by rows): the ordinary one of the sum of all resources, each weighted
/// by its mean. 0 where it has no value.
double Gamma(std::span<const double> mean, std::span<const double> covariance);

/// Gamma of what pods ask for, as shares of the average capacity of a node. Resources of which the
/// fleet has nothing are left out.
double DemandGamma(const Fleet& fleet, const Demand& demand);

/// What a placement is worth. A smaller value is better.
struct Judgement {
  double value = 0;
  double gamma = 0;  ///< of the nodes with the pod in its place; 0 unless A_BINPACK asks for it
};

/// Judges where a pod would best go: the value of the objective over all nodes that count, with the
/// pod on one of them. A node costs resources x resources, whatever the number of nodes
/// (CONSOLIDATE: its logarithm). `fleet` stays as it is while this lives. Thread-compatible.
class Judge {
 public:
  /// `asked` by resource; `demand` counts for A_BINPACK alone.
  Judge(Objective objective, const Fleet& fleet, const Demand& demand,
        std::span<const double> asked);

  /// With the pod on a node of the fleet.
  Judgement OnRow(size_t row) const;
  /// With the pod on a node that is not in it.
  Judgement OnOther(std::span<const double> capacity, std::span<const double> used) const;

  double demand_gamma() const { return demand_gamma_; }

 private:
  /// A node as it is counted now, where it is, and as it would be with the pod.
  struct Change {
    std::span<const double> before;  // utilizations; empty: it does not count yet
    std::span<const double> after;
    double prime_before = 0;
    double prime_after = 0;
  };
  Judgement Of(const Change& change) const;
  double BinPack(const Change& change) const;
  double LoadBalance(const Change& change) const;
  double Consolidate(const Change& change) const;
  void SortPrime();

  const Objective objective_;
  const Fleet& fleet_;
  const std::span<const double> asked_;
  const bool knows_demand_;
  double demand_gamma_ = 0;
  // Utilizations of the prime resource in ascending order, and the sums of the first of them and of
  // their squares: for CONSOLIDATE.
  std::vector<double> prime_;
  std::vector<double> sums_;
  std::vector<double> squares_;
  mutable std::vector<double> after_;
  mutable std::vector<double> mean_;
};

/// Scores 1 to 10 of placements from their values: the best has 10, the worst 1, and those between
/// them are on the line. Nothing (it does not fit) has 0. All are best where the values of a fleet
/// of `nodes` lie so close together that only rounding tells them apart.
std::vector<double> ScoresOf(std::span<const std::optional<double>> values, size_t nodes);

/// The span of values of `nodes` nodes up to which all of them tie: 1e-6, less where there are more
/// than 32, since each node then weighs less.
double TieSpan(size_t nodes);

}  // namespace outrigger::pigeon
