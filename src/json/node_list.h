#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "json/body.h"
#include "json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"

// Lists of nodes: read, and checked to be sets of named nodes.

namespace outrigger::json {

/// Reads an array of nodes into `nodes`, whose elements are reused; `raw`, if not null, gets the
/// bytes of each. Whether names are there and differ is for CheckNames().
absl::Status ReadNodes(Value value, const Path& at, const Needs& needs, std::vector<Node>* nodes,
                       std::vector<std::string_view>* raw);

/// FailedPrecondition if a node has no name (`at` is the list it is in) or a name comes twice.
/// Leaves the names in `names`, as views into `nodes`.
absl::Status CheckNames(const std::vector<Node>& nodes, const Path& at,
                        absl::flat_hash_set<absl::string_view>* names);

/// A list of nodes as `kubectl get nodes -o json` prints it (NodeList, List, or one Node).
absl::Status DecodeNodeList(Body body, const Needs& needs, std::vector<Node>* nodes,
                            std::vector<MalformedValue>* malformed);

}  // namespace outrigger::json
