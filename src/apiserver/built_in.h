#pragma once

#include <vector>

#include "apiserver/json.h"

namespace outrigger::apiserver {

/// The objects that an API server has from its start: four namespaces, the service `kubernetes`,
/// the system's PriorityClasses.
std::vector<Json> BuiltInObjects(uint16_t port);

}  // namespace outrigger::apiserver
