#pragma once

#include <string_view>

#include "apiserver/json.h"

// core/v1 and events.k8s.io/v1 Events are one object with two faces. It is kept as core/v1 has it.

namespace outrigger::apiserver {

inline constexpr std::string_view kEventsGroup = "events.k8s.io";

Json ToEventsFace(Json core);
Json FromEventsFace(Json event);

}  // namespace outrigger::apiserver
