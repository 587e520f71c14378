#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"
#include "sdk/names/name_set.h"

// Lists of nodes: read, and checked to be sets of named nodes.

namespace outrigger::json {

/// Reads an array of nodes into `nodes`, whose elements are reused; `raw`, if not null, gets the
/// bytes of each. Whether names are there and differ is for CheckNames().
absl::Status ReadNodes(Value value, const Path& at, const Needs& needs, std::vector<Node>* nodes,
                       std::vector<std::string_view>* raw);

/// The names of `nodes`: views into it.
void ListNames(const std::vector<Node>& nodes, std::vector<std::string_view>* names);

/// FailedPrecondition if a name is empty (`at` is the list of nodes it is in) or comes twice.
/// Leaves the names in `set`.
absl::Status CheckNames(std::span<const std::string_view> names, const Path& at,
                        names::NameSet* set);

/// A list of nodes as `kubectl get nodes -o json` prints it (NodeList, List, or one Node).
absl::Status DecodeNodeList(Body body, const Needs& needs, std::vector<Node>* nodes,
                            std::vector<MalformedValue>* malformed);

}  // namespace outrigger::json
