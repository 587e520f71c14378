#pragma once

#include <string>

namespace outrigger::cel {

/// The shortest text that reads back as `number`, as Go's %g: "1", "0.1", "1e+06", "+Inf".
std::string FormatDouble(double number);

}  // namespace outrigger::cel
