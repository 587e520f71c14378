#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"
#include "outrigger/agent/custom_objects.h"

namespace outrigger::testing {

/// A kind that the rows name ("DevicePool"); null: they do not name it.
const CustomKind* CustomKindOf(std::string_view kind);

/// What rows look at of a custom object.
nlohmann::json SummaryOf(const nlohmann::json& object);

/// Does what a command says to custom objects, through what agents get for that:
///
///     {"verb":"custom-read","kind":"DevicePool","name":"p"}
///     {"verb":"custom-create","kind":"DeviceClaim","namespace":"d","object":{...}}
///     {"verb":"custom-patch",...,"uid":"u","version":"7","patch":{...}}
///     {"verb":"custom-follow","kind":"DevicePool"}  {"verb":"custom-end","kind":"DevicePool"}
///     {"verb":"custom-seen","kind":"DevicePool","prefix":"follow-"}
///
/// Answers {"code":"ABORTED","text":"...","value":...}; "value" is the SummaryOf() what was read or
/// made; of "custom-seen", whose code is that of Usable(), those of what is seen, by
/// "namespace/name". Nothing for other verbs. tests/golden/custom_rows.json has rows of it. Not
/// thread-safe.
class CustomDeeds {
 public:
  /// `objects` outlives this.
  explicit CustomDeeds(CustomObjectAccess* objects);
  ~CustomDeeds();

  std::optional<nlohmann::json> Do(const nlohmann::json& command);

 private:
  class View;

  CustomObjectAccess& objects_;
  std::map<std::string, std::unique_ptr<View>> views_;  // by kind
};

}  // namespace outrigger::testing
