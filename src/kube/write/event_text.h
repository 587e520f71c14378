#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kube/write/event_recorder.h"
#include "outrigger/base/text.h"

// Texts of events as the API server takes them: what it would refuse is made to fit.

namespace outrigger::kube {

/// The name of an Event about `about`, as client-go's: the object's name and a number that the
/// caller uses once. Names that no Event may have are shortened, or the kind stands in their place.
std::string EventName(const EventObject& about, uint64_t number);

}  // namespace outrigger::kube
