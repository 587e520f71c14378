#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "json_testing.h"
#include "serve/wire/extender.h"

namespace outrigger::wire {

/// The bytes of tests/golden/wire/<name>; a missing file fails the test.
std::string GoldenBytes(std::string_view name);

/// The views in `args` live until the next call on this thread.
absl::Status DecodeArgs(std::string_view json, const Needs& needs, ExtenderArgs* args);
/// The status alone, with every field needed.
absl::Status DecodeArgs(std::string_view json);

/// A small call: `pod` and `nodes` are JSON.
std::string CallWithNodes(std::string_view pod, std::string_view nodes);

}  // namespace outrigger::wire
