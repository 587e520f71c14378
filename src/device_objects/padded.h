#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/body.h"

namespace outrigger::device_objects {

/// A copy of a text with the bytes that the JSON parser may read after its end.
class Padded {
 public:
  explicit Padded(std::string_view json) : size_(json.size()) {
    text_.reserve(size_ + json::kPadding);
    text_.assign(json);
    text_.append(json::kPadding, ' ');
  }
  json::Body body() const { return {text_.data(), size_}; }

 private:
  size_t size_;
  std::string text_;
};

}  // namespace outrigger::device_objects
