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
Failure NotOfType(const Json& expected, const Json& value);
Failure UnknownPatchType(const Json& directive, const Json& holder);

/// Whether Go decodes both to one type: integers are not floats.
bool HaveOneType(const Json& a, const Json& b);

/// All items of both lists must be of one type, and there must be one.
std::optional<Failure> CheckItemTypes(const Json& original, const Json& patch);

/// The items of `patch` that are no directives must come as `order` has them.
std::optional<Failure> CheckOrder(const Json& patch, const Json& order, std::string_view key);

/// Orders `items`: those in `order` as it has them, others as `server_order` has them; where both
/// are in `server_order` it decides which comes first, else those of `order` come first.
std::optional<Failure> PutInOrder(const Json& order, const Json& server_order, std::string_view key,
                                  Json* items);

using MergeItem = absl::FunctionRef<std::optional<Failure>(const Json& patch, Json* original)>;

/// Merges `patch` into the list, or deletes its primitives from it. `server_order` (if not nullptr)
/// gets what PutInOrder() is to be given for an order that the patch demands.
std::optional<Failure> MergeItems(const Json& patch, std::string_view key, bool deletes,
                                  MergeItem merge_item, Json* original, Json* server_order);

}  // namespace outrigger::apiserver
