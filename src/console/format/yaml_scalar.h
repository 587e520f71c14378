#pragma once

#include <cstdint>
#include <string>

namespace outrigger::cli {

/// What a scalar of YAML 1.1 is in JSON, as kubectl (go-yaml 2) reads it.
struct ScalarForm {
  enum class Kind : uint8_t {
    kText,        ///< a string: the scalar itself
    kOther,       ///< a number, a truth value or null: `json`
    kImpossible,  ///< an infinity or not a number
  };
  Kind kind = Kind::kText;
  std::string json;
};

/// `tag` as yaml-cpp reports it: "?" for a plain scalar, "!" for a quoted one, else an explicit
/// tag. A tag that is not known makes a text.
ScalarForm FormOf(const std::string& tag, const std::string& value);

}  // namespace outrigger::cli
