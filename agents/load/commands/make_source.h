#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "load/annotate/value_source.h"
#include "load/commands/options.h"

namespace outrigger::cli {

/// Makes what computes the values of annotations, as the settings choose it. `api` outlives it and
/// is that of the source "metrics". `warn` gets lines for an operator. InvalidArgument names the
/// setting that is wrong.
absl::StatusOr<std::unique_ptr<annotate::ValueSource>> MakeValueSource(
    const AnnotateOptions& options, kube::Api* api, usage::Progress progress,
    std::function<void(const std::string& line)> warn);

}  // namespace outrigger::cli
