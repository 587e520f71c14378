#pragma once

#include "nlohmann/json.hpp"

namespace outrigger::apiserver {

/// An API object, or a part of one. Keys are sorted, as in nobody's answer: clients do not care.
using Json = nlohmann::json;

}  // namespace outrigger::apiserver
