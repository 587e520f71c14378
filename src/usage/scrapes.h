#pragma once

#include <chrono>
#include <span>

#include "usage/prometheus_answer.h"

namespace outrigger::usage {

/// The interval at which these raw samples were scraped: the longest median of a series, so that
/// rates are there for all of them. Zero where no series has two samples.
std::chrono::milliseconds ScrapeInterval(std::span<const Series> series);

}  // namespace outrigger::usage
