// Compiled with -ffp-contract=off: a fused multiplication and addition rounds once, not twice.
#include "original.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace outrigger::pigeon::original {
namespace {

constexpr int kMostSamples = 100;

// As the original multiplies: in 32 bits, without a fault of the language.
int32_t WrappingProduct(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

bool Fits(const Node& node, std::span<const int32_t> asked) {
  for (size_t r = 0; r < asked.size(); ++r) {
    if (int64_t{asked[r]} > int64_t{node.capacity[r]} - node.usage[r]) return false;
  }
  return true;
}

void Place(std::span<const int32_t> asked, Node* node) {
  for (size_t r = 0; r < asked.size(); ++r) node->usage[r] += asked[r];
}

void TakeAway(std::span<const int32_t> asked, Node* node) {
  for (size_t r = 0; r < asked.size(); ++r) node->usage[r] -= asked[r];
}

float Clamped(float value) {
  return std::min(std::max(value, 0.0F), 1.0F);
}

float Utilization(const Node& node, size_t r) {
  if (node.capacity[r] == 0) return node.usage[r] == 0 ? 0.0F : 1.0F;
  return Clamped(static_cast<float>(node.usage[r]) / static_cast<float>(node.capacity[r]));
}

// Not clamped: a node may be used above its capacity.
float PrimeUtilization(const Node& node, size_t prime) {
  if (node.capacity[prime] <= 0) return 1.0F;
  return static_cast<float>(node.usage[prime]) / static_cast<float>(node.capacity[prime]);
}

double SystemGamma(std::span<const Node> nodes, size_t resources) {
  std::vector<float> mean(resources);
  std::vector<float> covariance(resources * resources);
  const auto count = static_cast<double>(nodes.size());
  for (size_t a = 0; a < resources; ++a) {
    double sum = 0;
    for (const Node& node : nodes) sum += Utilization(node, a);
    mean[a] = static_cast<float>(sum / count);
  }
  for (size_t a = 0; a < resources; ++a) {
    for (size_t b = 0; b < resources; ++b) {
      double sum = 0;
      for (const Node& node : nodes) {
        const float product = Utilization(node, a) * Utilization(node, b);
        sum += product;
      }
      const float product = mean[a] * mean[b];
      covariance[a * resources + b] = static_cast<float>(sum / count - product);
    }
  }
  return Gamma(mean, covariance);
}

std::vector<float> AverageCapacity(std::span<const Node> nodes, size_t resources) {
  std::vector<float> average(resources);
  for (size_t r = 0; r < resources; ++r) {
    double sum = 0;
    int count = 0;
    for (const Node& node : nodes) {
      if (node.capacity[r] <= 0) continue;
      sum += node.capacity[r];
      ++count;
    }
    if (count > 0) average[r] = static_cast<float>(sum / count);
  }
  return average;
}

// Fault of the original: where a resource has no capacity, and one after it has, a quotient of
// zeros makes the whole 0.
double DemandGamma(std::span<const Node> nodes, const Demand& demand) {
  const size_t resources = demand.resources();
  const std::vector<float> capacity = AverageCapacity(nodes, resources);
  std::vector<float> mean(resources);
  std::vector<float> squares(resources * resources);
  for (size_t i = 0; i < resources; ++i) {
    const bool scaled = capacity[i] > 0;
    mean[i] = scaled ? demand.mean(i) / capacity[i] : demand.mean(i);
    for (size_t j = 0; j < resources; ++j) {
      const float square = demand.square(i, j);
      squares[i * resources + j] = scaled ? square / (capacity[i] * capacity[j]) : square;
    }
  }
  std::vector<float> covariance(resources * resources);
  for (size_t i = 0; i < resources; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const float value = squares[i * resources + j] - mean[i] * mean[j];
      covariance[i * resources + j] = value;
      covariance[j * resources + i] = value;
    }
  }
  return Gamma(mean, covariance);
}

float LoadBalance(std::span<const Node> nodes, size_t prime) {
  double sum = 0;
  double squares = 0;
  for (const Node& node : nodes) {
    const float x = PrimeUtilization(node, prime);
    const float square = x * x;
    sum += x;
    squares += square;
  }
  const auto count = static_cast<double>(nodes.size());
  const double mean = sum / count;
  return static_cast<float>(std::sqrt(std::max(squares / count - mean * mean, 0.0)));
}

// How far a node is from the mean, as a share of the way to empty or to full.
double Distance(float x, double mean) {
  if (x < mean) return (mean - x) / mean;
  if (x > mean) return (x - mean) / (1 - mean);
  return 0;
}

float Consolidate(std::span<const Node> nodes, size_t prime) {
  const auto count = static_cast<double>(nodes.size());
  double sum = 0;
  for (const Node& node : nodes) sum += PrimeUtilization(node, prime);
  const double mean = sum / count;
  if (mean <= 0 || mean >= 1) return 0;
  double squares = 0;
  for (const Node& node : nodes) {
    const double t = Distance(PrimeUtilization(node, prime), mean);
    squares += t * t;
  }
  return static_cast<float>(1 - std::sqrt(squares / count));
}

}  // namespace

void Demand::Add(std::span<const int32_t> asked) {
  const size_t resources = mean_.size();
  const bool first = count_ == 0;
  if (count_ < kMostSamples) ++count_;
  const float share = 1.0F / static_cast<float>(count_);
  for (size_t i = 0; i < resources; ++i) {
    const auto x = static_cast<float>(asked[i]);
    mean_[i] = first ? x : (1.0F - share) * mean_[i] + share * x;
    for (size_t j = i; j < resources; ++j) {
      const auto y = static_cast<float>(asked[j]);
      const float before = squares_[i * resources + j];
      const float square = first ? static_cast<float>(WrappingProduct(asked[i], asked[j]))
                                 : (1.0F - share) * before + share * x * y;
      squares_[i * resources + j] = square;
      squares_[j * resources + i] = square;
    }
  }
}

double Gamma(std::span<const float> mean, std::span<const float> covariance) {
  const size_t resources = mean.size();
  if (resources == 1) {
    if (mean[0] == 0 || covariance[0] < 0) return 0;
    return std::sqrt(static_cast<double>(covariance[0])) / mean[0];
  }
  double numerator = 0;
  double denominator = 0;
  for (size_t i = 0; i < resources; ++i) {
    float inner = 0;
    for (size_t l = 0; l < resources; ++l) inner += mean[l] * covariance[l * resources + i];
    const float product = inner * mean[i];
    const float square = mean[i] * mean[i];
    numerator += product;
    denominator += square;
  }
  if (!(numerator > 0 && denominator > 0)) return 0;  // nor is NaN above 0
  return std::sqrt(numerator) / denominator;
}

float ValueOf(const Terms& terms, std::span<const Node> nodes, const Demand& demand) {
  if (nodes.empty()) return 0;
  switch (terms.objective) {
    case Objective::kLoadBalance:
      return LoadBalance(nodes, terms.prime);
    case Objective::kConsolidate:
      return Consolidate(nodes, terms.prime);
    case Objective::kBinPack:
      break;
  }
  if (demand.empty()) return 0;
  return static_cast<float>(
      std::fabs(SystemGamma(nodes, demand.resources()) - DemandGamma(nodes, demand)));
}

std::vector<float> Evaluate(const Terms& terms, std::span<const int32_t> asked,
                            const Demand& demand, std::vector<Node>* nodes) {
  std::vector<float> values;
  values.reserve(nodes->size());
  for (Node& node : *nodes) {
    if (!Fits(node, asked)) {
      values.push_back(std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    Place(asked, &node);
    values.push_back(ValueOf(terms, *nodes, demand));
    TakeAway(asked, &node);
  }
  return values;
}

std::vector<int> ScoresOf(std::span<const float> values) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const float value : values) {
    if (std::isnan(value)) continue;
    least = std::min<double>(least, value);
    most = std::max<double>(most, value);
  }
  const double span = most - least;
  std::vector<int> scores;
  scores.reserve(values.size());
  for (const float value : values) {
    const double score = std::isnan(value) ? 0 : span == 0 ? 10 : 1 + 9 * (most - value) / span;
    scores.push_back(static_cast<int>(std::clamp(std::round(score), 0.0, 10.0)));
  }
  return scores;
}

}  // namespace outrigger::pigeon::original
