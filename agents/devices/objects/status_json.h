#pragma once

#include <string>
#include <string_view>

#include "devices/objects/objects.h"
#include "nlohmann/json.hpp"

// Parts of statuses as JSON that several kinds have.

namespace outrigger::device_objects {

using OrderedJson = nlohmann::ordered_json;

/// Sets a text, or removes the field if the text is empty.
inline void SetText(std::string_view key, std::string_view text, OrderedJson* json) {
  (*json)[std::string(key)] = text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

/// [{name, allocation}].
OrderedJson AmountList(const devices::Amounts& amounts);

/// RFC 3339 in UTC, to the second.
std::string TimeText(devices::WallTime time);

/// Bytes that are not UTF-8 are replaced.
std::string Text(const OrderedJson& json);

}  // namespace outrigger::device_objects
