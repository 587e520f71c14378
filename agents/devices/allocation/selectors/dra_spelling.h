#pragma once

#include <string>
#include <string_view>

namespace outrigger::devices {

/// The expression as it is written for this API, of one that is written as for DRA: an attribute is
/// `device.id` in place of `device.attributes["domain"].id` and `device.capacity["domain"].id`,
/// versions are texts, and quantities and versions are compared by functions. Empty: nothing of
/// that is in it.
std::string AsWrittenHere(std::string_view text);

}  // namespace outrigger::devices
