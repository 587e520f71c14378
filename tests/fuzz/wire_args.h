#pragma once

#include <string_view>

#include "nlohmann/json.hpp"
#include "outrigger/agent/needs.h"
#include "serve/wire/extender.h"

// Properties of decoded filter and prioritize calls.

namespace outrigger::fuzz {

/// Decodes `body` into an object that held other calls before, as the server's do.
absl::Status DecodeReused(wire::Body body, const Needs& needs, wire::ExtenderArgs** args);

/// What must hold for every accepted call: nodes have names, each once; raw nodes are slices of
/// `body`, in order, with nothing but blanks and one comma between them.
void CheckAccepted(std::string_view body, const wire::ExtenderArgs& args);

/// Decodes with fewer needs than `all` was decoded with: that must be accepted where all was, with
/// the same nodes, and refused as broken JSON only where all was refused as such.
void CheckFewer(wire::Body body, const Needs& fewer, const absl::Status& all_status,
                const wire::ExtenderArgs& all);

/// `parsed` is the body as nlohmann reads it: names and forms must agree.
void CheckAgainst(const nlohmann::json& parsed, const wire::ExtenderArgs& args);

/// The status of `decode` of the whole input, after CheckStatus() and CheckPaddingAndEnd().
absl::Status DecodeChecked(std::string_view bytes, const Needs& needs, wire::ExtenderArgs* args);

}  // namespace outrigger::fuzz
