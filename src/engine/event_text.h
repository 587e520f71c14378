#pragma once

#include <string>
#include <string_view>

namespace outrigger::engine {

/// `text` as kube-scheduler can pass it on to people: '%' becomes "percent".
///
/// kube-scheduler hands the message of a pod's FailedScheduling event to Go's Sprintf as the
/// *format* (schedule_one.go, 1.31 to 1.36), so that "90 % used" reaches people as
/// "90 %!u(MISSING)sed".
std::string ForEvent(std::string_view text);

}  // namespace outrigger::engine
