#pragma once

#include <optional>

#include "nlohmann/json.hpp"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"

namespace outrigger::testing {

/// Does what a command says to PriorityClasses and ConfigMaps, through what agents get for that:
///
///     {"verb":"class-read","name":"c"}
///     {"verb":"class-create","manifest":{...},"value":7,"annotations":{...}}   and "class-try"
///     {"verb":"class-delete","name":"c","uid":"u","version":"7"}
///     {"verb":"pod-try","namespace":"d","name":"c"}   of a class c
///     {"verb":"owner","apiVersion":"v1","kind":"Namespace","name":"n","uid":"u"}
///     {"verb":"map-read","namespace":"d","name":"m"}
///     {"verb":"map-write",...,"uid":"u","version":"7","labels":{...},"data":{...}}
///     {"verb":"map-delete",...,"uid":"u","version":"7"}
///
/// A manifest may be a text, too. Answers {"code":"ABORTED","text":"...","value":...}; "value" is
/// what was read or made. Nothing for other verbs. tests/golden/object_rows.json has rows of it.
std::optional<nlohmann::json> DoToObjects(const nlohmann::json& command,
                                          PriorityClassAccess* classes, ConfigMapAccess* maps);

}  // namespace outrigger::testing
