#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "apiserver/failure.h"
#include "apiserver/json.h"

// How a strategic merge patch merges lists. Items are told apart by their member `key`, or are
// primitives where `key` is empty. Pure and thread-safe.

namespace outrigger::apiserver {

inline constexpr const char* kPatchDirective = "$patch";

/// A fault of the patch that the real server takes for its own: 500 without a reason.
Failure PatchFault(std::string message);
Failure UnknownPatchType(const Json& holder);

using MergeItem = absl::FunctionRef<std::optional<Failure>(const Json& patch, Json* original)>;

/// Merges `patch` into the list. What it names comes in its order.
std::optional<Failure> MergeLists(const Json& patch, std::string_view key, MergeItem merge_item,
                                  Json* original);

/// Orders `items`: those in `order` as it has them, others as `server_order` has them; where both
/// are in `server_order` it decides which comes first, else those of `order` come first.
void PutInOrder(const Json& order, const Json& server_order, std::string_view key, Json* items);

}  // namespace outrigger::apiserver
