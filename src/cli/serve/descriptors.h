#pragma once

#include <cstddef>
#include <string>

namespace outrigger::cli {

/// Raises this process's limit of open files towards `wanted` descriptors, as far as it may. What
/// is missing then, in words; empty if nothing is.
std::string RaiseDescriptorLimit(size_t wanted);

}  // namespace outrigger::cli
