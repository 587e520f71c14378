#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kube/write/event_recorder.h"

// Texts of events as the API server takes them: what it would refuse is made to fit.

namespace outrigger::kube {

/// The name of an Event about `about`, as client-go's: the object's name and a number that the
/// caller uses once. Names that no Event may have are shortened, or the kind stands in their place.
std::string EventName(const EventObject& about, uint64_t number);

/// At most `longest` bytes (>= 3) of valid UTF-8, with "..." where something was cut off.
std::string Shortened(const std::string& text, size_t longest);

}  // namespace outrigger::kube
