#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "outrigger/k8s/node.h"
#include "wire/json_reader.h"

// Lists of nodes as the protocol has them: read, and checked to be sets of named nodes.

namespace outrigger::wire {

/// Reads an array of nodes into `nodes`, whose elements are reused; `raw`, if not null, gets the
/// bytes of each. Whether names are there and differ is for CheckNames().
absl::Status ReadNodes(Value value, const Path& at, const Needs& needs, std::vector<Node>* nodes,
                       std::vector<std::string_view>* raw);

/// FailedPrecondition if a node has no name (`at` is the list it is in) or a name comes twice.
/// Leaves the names in `names`, as views into `nodes`.
absl::Status CheckNames(const std::vector<Node>& nodes, const Path& at,
                        absl::flat_hash_set<absl::string_view>* names);

/// FailedPrecondition unless `given` names exactly the nodes of `names`, each once, in any order.
/// Takes out of `names` what it finds.
absl::Status CheckSameNames(const std::vector<std::string_view>& given,
                            absl::flat_hash_set<absl::string_view>* names);

}  // namespace outrigger::wire
