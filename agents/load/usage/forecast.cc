#include "load/usage/forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace outrigger::usage {
namespace {

constexpr size_t kOrder = 5;
// Relative to the diagonal: keeps a fit of differences that obey an exact rule (a sine, a line)
// solvable, and changes others in digits that do not count.
constexpr double kRidge = 1e-10;

using Terms = std::array<double, kOrder>;

static_assert(kFewestForForecast == 1 + kOrder + 2 * kOrder);

/// Returns what the difference at `at` is explained by.
Terms TermsAt(std::span<const double> differences, size_t at) {
  Terms terms{};
  for (size_t lag = 1; lag <= kOrder; ++lag) terms[lag - 1] = differences[at - lag];
  return terms;
}

double Dot(const Terms& a, const Terms& b) {
  double sum = 0;
  for (size_t i = 0; i < kOrder; ++i) sum += a[i] * b[i];
  return sum;
}

/// A symmetric system of linear equations, and its solution by Cholesky's decomposition.
class NormalEquations {
 public:
  void Add(const Terms& terms, double result) {
    for (size_t row = 0; row < kOrder; ++row) {
      for (size_t column = 0; column <= row; ++column) {
        left_[row][column] += terms[row] * terms[column];
      }
      right_[row] += terms[row] * result;
    }
  }

  std::optional<Terms> Solve() {
    for (size_t i = 0; i < kOrder; ++i) left_[i][i] *= 1 + kRidge;
    if (!Decompose()) return std::nullopt;
    Terms x = right_;
    for (size_t row = 0; row < kOrder; ++row) {
      for (size_t k = 0; k < row; ++k) x[row] -= left_[row][k] * x[k];
      x[row] /= left_[row][row];
    }
    for (size_t row = kOrder; row-- > 0;) {
      for (size_t k = row + 1; k < kOrder; ++k) x[row] -= left_[k][row] * x[k];
      x[row] /= left_[row][row];
    }
    return x;
  }

 private:
  bool Decompose() {
    for (size_t row = 0; row < kOrder; ++row) {
      for (size_t column = 0; column <= row; ++column) {
        double sum = left_[row][column];
        for (size_t k = 0; k < column; ++k) sum -= left_[row][k] * left_[column][k];
        if (row != column) {
          left_[row][column] = sum / left_[column][column];
        } else if (sum > 0) {
          left_[row][row] = std::sqrt(sum);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  std::array<Terms, kOrder> left_{};  // its lower triangle
  Terms right_{};
};

/// Returns the differences of the series, divided by the largest; empty where all are zero.
std::vector<double> ScaledDifferences(std::span<const double> series, double* scale) {
  std::vector<double> differences;
  differences.reserve(series.size());
  for (size_t i = 1; i < series.size(); ++i) differences.push_back(series[i] - series[i - 1]);
  *scale = 0;
  for (const double difference : differences) *scale = std::max(*scale, std::abs(difference));
  if (*scale == 0) return {};
  for (double& difference : differences) difference /= *scale;
  return differences;
}

}  // namespace

std::optional<double> ForecastNext(std::span<const double> series) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (series.size() < kFewestForForecast || !std::all_of(series.begin(), series.end(), is_finite)) {
    return std::nullopt;
  }
  double scale = 0;
  const std::vector<double> differences = ScaledDifferences(series, &scale);
  if (differences.empty()) return series.back();
  NormalEquations equations;
  for (size_t at = kOrder; at < differences.size(); ++at) {
    equations.Add(TermsAt(differences, at), differences[at]);
  }
  const std::optional<Terms> model = equations.Solve();
  if (!model) return series.back();
  const double next = series.back() + scale * Dot(*model, TermsAt(differences, differences.size()));
  return std::isfinite(next) ? std::optional(next) : std::nullopt;
}

std::optional<double> ForecastWithin(std::span<const double> series) {
  const std::optional<double> next = ForecastNext(series);
  if (!next) return next;
  const auto [least, most] = std::minmax_element(series.begin(), series.end());
  return std::clamp(*next, *least, *most);
}

std::vector<double> WithoutGaps(std::span<const double> series) {
  std::vector<double> filled;
  filled.reserve(series.size());
  for (const double value : series) {
    if (std::isfinite(value)) {
      filled.push_back(value);
    } else if (!filled.empty()) {
      filled.push_back(filled.back());
    }
  }
  return filled;
}

}  // namespace outrigger::usage
