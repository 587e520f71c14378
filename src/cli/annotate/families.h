#pragma once

#include <vector>

#include "annotate/counters.h"
#include "server/metrics.h"

namespace outrigger::cli {

/// The metrics of `outrigger annotate`; docs/annotators.md lists them.
std::vector<server::ShownFamily> FamiliesOf(const annotate::Figures& figures);

}  // namespace outrigger::cli
