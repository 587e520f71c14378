#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "cli/settings/config_file.h"
#include "usage/source.h"

namespace outrigger::cli {

/// Takes the section `further` out of the values of a settings file: annotations and the queries of
/// their values. InvalidArgument, with the place, for a key that is no annotation, or one that the
/// annotator writes itself.
absl::StatusOr<std::vector<usage::FurtherQuery>> TakeFurther(std::vector<FileValue>* file);

}  // namespace outrigger::cli
