#include "judge.h"

#include <algorithm>
#include <cmath>

namespace outrigger::pigeon {
namespace {

double Root(double value) {
  return std::sqrt(std::max(value, 0.0));
}

}  // namespace

double Gamma(std::span<const double> mean, std::span<const double> covariance) {
  const size_t resources = mean.size();
  double numerator = 0;
  double denominator = 0;
  for (size_t a = 0; a < resources; ++a) {
    denominator += mean[a] * mean[a];
    for (size_t b = 0; b < resources; ++b) {
      numerator += mean[a] * covariance[a * resources + b] * mean[b];
    }
  }
  if (!(numerator > 0 && denominator > 0)) return 0;
  return std::sqrt(numerator) / denominator;
}

double DemandGamma(const Fleet& fleet, const Demand& demand) {
  const size_t resources = fleet.resources();
  std::vector<double> scale(resources);  // 0: no node has any of it
  for (size_t r = 0; r < resources; ++r) {
    const FleetSums& sums = fleet.sums();
    if (sums.with_capacity[r] < 0.5 || sums.capacity[r] <= 0) continue;
    scale[r] = fleet.weight(r) * sums.with_capacity[r] / sums.capacity[r];
  }
  std::vector<double> mean(resources);
  std::vector<double> covariance(resources * resources);
  for (size_t a = 0; a < resources; ++a) mean[a] = demand.mean(a) * scale[a];
  for (size_t a = 0; a < resources; ++a) {
    for (size_t b = 0; b < resources; ++b) {
      covariance[a * resources + b] = demand.square(a, b) * scale[a] * scale[b] - mean[a] * mean[b];
    }
  }
  return Gamma(mean, covariance);
}

Judge::Judge(Objective objective, const Fleet& fleet, const Demand& demand,
             std::span<const double> asked)
    : objective_(objective),
      fleet_(fleet),
      asked_(asked),
      knows_demand_(demand.pods() > 0),
      after_(fleet.resources()),
      mean_(fleet.resources()) {
  if (objective_ == Objective::kBinPack) demand_gamma_ = DemandGamma(fleet, demand);
  if (objective_ == Objective::kConsolidate) SortPrime();
}

void Judge::SortPrime() {
  for (size_t row = 0; row < fleet_.size(); ++row) {
    if (fleet_.counts(row)) prime_.push_back(fleet_.prime_use(row));
  }
  std::sort(prime_.begin(), prime_.end());
  sums_.assign(1, 0);
  squares_.assign(1, 0);
  for (const double x : prime_) {
    sums_.push_back(sums_.back() + x);
    squares_.push_back(squares_.back() + x * x);
  }
}

Judgement Judge::OnRow(size_t row) const {
  const std::span<const double> capacity = fleet_.capacity(row);
  const std::span<const double> used = fleet_.used(row);
  if (!fleet_.counts(row)) return OnOther(capacity, used);
  for (size_t r = 0; r < after_.size(); ++r) {
    after_[r] = fleet_.UseOf(r, capacity[r], used[r] + asked_[r]);
  }
  const size_t prime = fleet_.prime();
  return Of({.before = fleet_.use(row),
             .after = after_,
             .prime_before = fleet_.prime_use(row),
             .prime_after = Fleet::PrimeUseOf(capacity[prime], used[prime] + asked_[prime])});
}

Judgement Judge::OnOther(std::span<const double> capacity, std::span<const double> used) const {
  for (size_t r = 0; r < after_.size(); ++r) {
    after_[r] = fleet_.UseOf(r, capacity[r], used[r] + asked_[r]);
  }
  const size_t prime = fleet_.prime();
  return Of({.before = {},
             .after = after_,
             .prime_before = 0,
             .prime_after = Fleet::PrimeUseOf(capacity[prime], used[prime] + asked_[prime])});
}

Judgement Judge::Of(const Change& change) const {
  switch (objective_) {
    case Objective::kLoadBalance:
      return {LoadBalance(change), 0};
    case Objective::kConsolidate:
      return {Consolidate(change), 0};
    case Objective::kBinPack:
      break;
  }
  const double gamma = BinPack(change);
  return {knows_demand_ ? std::fabs(gamma - demand_gamma_) : 0, gamma};
}

// m'Sm is worked out as the mean of the squares of m'x less the square of its mean, m'm: so the
// node that changes is two products of vectors.
double Judge::BinPack(const Change& change) const {
  const size_t resources = after_.size();
  const FleetSums& sums = fleet_.sums();
  const double nodes = sums.nodes + (change.before.empty() ? 1 : 0);
  double square_of_mean = 0;
  double before = 0;
  double after = 0;
  for (size_t r = 0; r < resources; ++r) {
    const double old_use = change.before.empty() ? 0 : change.before[r];
    mean_[r] = (sums.use[r] - old_use + change.after[r]) / nodes;
    square_of_mean += mean_[r] * mean_[r];
    before += mean_[r] * old_use;
    after += mean_[r] * change.after[r];
  }
  double squares = after * after - before * before;
  for (size_t a = 0; a < resources; ++a) {
    for (size_t b = 0; b < resources; ++b) {
      squares += mean_[a] * sums.products[a * resources + b] * mean_[b];
    }
  }
  const double numerator = squares / nodes - square_of_mean * square_of_mean;
  if (!(numerator > 0 && square_of_mean > 0)) return 0;
  return std::sqrt(numerator) / square_of_mean;
}

double Judge::LoadBalance(const Change& change) const {
  const FleetSums& sums = fleet_.sums();
  const double nodes = sums.nodes + (change.before.empty() ? 1 : 0);
  const double mean = (sums.prime - change.prime_before + change.prime_after) / nodes;
  const double squares = sums.prime_squares - change.prime_before * change.prime_before +
                         change.prime_after * change.prime_after;
  return Root(squares / nodes - mean * mean);
}

double Judge::Consolidate(const Change& change) const {
  const FleetSums& sums = fleet_.sums();
  const bool is_new = change.before.empty();
  const double nodes = sums.nodes + (is_new ? 1 : 0);
  const double mean = (sums.prime - change.prime_before + change.prime_after) / nodes;
  if (mean <= 0 || mean >= 1) return 0;
  const auto at =
      static_cast<size_t>(std::lower_bound(prime_.begin(), prime_.end(), mean) - prime_.begin());
  const auto below = static_cast<double>(at);
  const double above = static_cast<double>(prime_.size()) - below;
  const double square = mean * mean;
  const double low = below * square - 2 * mean * sums_[at] + squares_[at];
  const double high =
      above * square - 2 * mean * (sums_.back() - sums_[at]) + (squares_.back() - squares_[at]);
  const auto distance = [mean](double x) {
    const double t = x < mean ? (mean - x) / mean : (x - mean) / (1 - mean);
    return t * t;
  };
  double total = low / square + high / ((1 - mean) * (1 - mean)) + distance(change.prime_after);
  if (!is_new) total -= distance(change.prime_before);
  return 1 - Root(total / nodes);
}

double TieSpan(size_t nodes) {
  constexpr double kSpan = 1e-6;
  constexpr double kNodes = 32;
  return kSpan * std::min(1.0, kNodes / static_cast<double>(std::max<size_t>(nodes, 1)));
}

std::vector<double> ScoresOf(std::span<const std::optional<double>> values, size_t nodes) {
  double least = 0;
  double most = 0;
  bool any = false;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    least = any ? std::min(least, *value) : *value;
    most = any ? std::max(most, *value) : *value;
    any = true;
  }
  const double span = most - least;
  const bool tie = span <= TieSpan(nodes);
  std::vector<double> scores;
  scores.reserve(values.size());
  for (const std::optional<double>& value : values) {
    scores.push_back(!value ? 0 : tie ? 10 : 1 + 9 * (most - *value) / span);
  }
  return scores;
}

}  // namespace outrigger::pigeon
