#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/method.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/state_store.h"
#include "rule/rule.h"
#include "settings.h"

namespace outrigger::reward {

inline constexpr std::string_view kConfigMap = "outrigger-reward";

/// The settings, read.
struct Options {
  Rule rule;
  bool draws = false;
  bool is_original = false;
  PodFilter filter;
  StateStoreOptions store;
  LeaseClaim claim;
};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Options> OptionsFrom(const Settings& settings);

}  // namespace outrigger::reward
