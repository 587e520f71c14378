#pragma once

#include <cstdint>
#include <vector>

#include "chance.h"
#include "families.h"

// How the use of an application goes over time, as a factor of its mean. Pure.

namespace outrigger::load_bench {

/// A factor for each kGrid seconds of a run.
class Curve {
 public:
  static constexpr double kGrid = 5;

  explicit Curve(std::vector<double> values) : values_(std::move(values)) {}
  /// The first value before the run, the last after it.
  double At(double time) const {
    const double place = time / kGrid;
    if (place <= 0) return values_.front();
    const auto at = static_cast<size_t>(place);
    return at < values_.size() ? values_[at] : values_.back();
  }

 private:
  std::vector<double> values_;
};

/// The curve of one application of a trace of that family, `length` seconds long. `phase`, in
/// [0, 1), is where its day begins.
Curve CurveOf(Family family, double length, double phase, Chance* chance);

/// The relative deviation of one pod from its application at `time`: by half from one scrape to the
/// next, by half slower.
double NoiseAt(uint64_t seed, double time, double deviation);
/// The deviation of that in a trace of the family.
double NoiseOf(Family family);

}  // namespace outrigger::load_bench
