#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace outrigger::usage {

/// Fewest values of which a forecast is made: five coefficients need twice as many differences, and
/// five before the first of these.
inline constexpr size_t kFewestForForecast = 16;

/// The next value of `series` by ARIMA(5,1,0) without drift: the differences are a linear function
/// of the five before, fitted by least squares (Box, Jenkins, Reinsel: Time Series Analysis, ch. 7,
/// conditional least squares). Nothing where there are too few values, or where
/// one of them is not finite. A constant series goes on as it is. Pure.
std::optional<double> ForecastNext(std::span<const double> series);

/// ForecastNext(), but not beyond what the series has had: after a step the line would overshoot by
/// many times its height.
std::optional<double> ForecastWithin(std::span<const double> series);

/// `series` without gaps: values before the first that is finite are dropped, later ones that are
/// not finite repeat the one before.
std::vector<double> WithoutGaps(std::span<const double> series);

}  // namespace outrigger::usage
