#pragma once

#include "cel/values/value.h"

namespace outrigger::cel {

/// A part of a value. `absent`: there is none; then the value is the error that says so.
struct Selection {
  Value value = {};
  bool absent = false;
  bool unreadable = false;  // it is there, and the value is why it cannot be read
};

/// The entry of a map at a key, or the item of a list at an index. Other values have no parts.
Selection Select(const Value& value, const Value& key);

}  // namespace outrigger::cel
