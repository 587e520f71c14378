#pragma once

#include <string>
#include <string_view>

#include "outrigger/base/text.h"
#include "yaml-cpp/exceptions.h"

namespace outrigger::cli {

/// What to say of `text`, which came from `name` and which yaml-cpp refused by `error`: the place
/// and the cause. May hold control characters of `name`; see Printable().
std::string YamlErrorText(std::string_view name, std::string_view text,
                          const YAML::Exception& error);

}  // namespace outrigger::cli
