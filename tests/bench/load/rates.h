#pragma once

#include <optional>
#include <span>

namespace outrigger::load_bench {

/// What Prometheus has of a series at one scrape.
struct Sample {
  double time = 0;  // seconds
  double value = 0;
};

/// PromQL's rate() of a counter over (end - range, end]: the increase between the first and the
/// last sample there, a fall counted as a reset, extrapolated to the ends of the range where these
/// are closer than 1.1 intervals of samples (else by half an interval), and not below zero. Nothing
/// of fewer than two samples. (Prometheus, promql/functions.go, extrapolatedRate.)
std::optional<double> RateAt(std::span<const Sample> samples, double end, double range);

/// The samples in (from, to]; `samples` are in the order of time.
std::span<const Sample> Between(std::span<const Sample> samples, double from, double to);

}  // namespace outrigger::load_bench
