#pragma once

#include <string_view>

#include "nlohmann/json.hpp"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::testing {

/// The parsed file tests/golden/<name>. A missing or broken file ends the test program: a test
/// must not pass because its table is gone.
nlohmann::json LoadGolden(std::string_view name);

/// A Pod or Node from Kubernetes JSON, by a reader of its own (not wire's), so that tests of
/// agents do not lean on the code that other tests prove. Malformed quantities are left out.
Pod PodFromJson(const nlohmann::json& json);
Node NodeFromJson(const nlohmann::json& json);

}  // namespace outrigger::testing
