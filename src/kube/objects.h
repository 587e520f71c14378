#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/resource.h"

// The verbs of the API over Api, on objects as JSON text. All functions block and are thread-safe;
// errors are those of Api::Call(), and InvalidArgument for arguments that make no request. An
// answer that is not the JSON that it should be is Internal.

namespace outrigger::kube {

/// An object, or what is below it: {"shop", "web-1"}, {"", "node-1", "status"}.
struct ObjectName {
  std::string_view namespace_;  // empty for objects without
  std::string_view name;
  std::string_view subresource = {};  // "status", "scale"
};

struct CallOptions {
  std::chrono::milliseconds timeout{30'000};
  std::stop_token stop = {};
  bool rate_limited = true;
  /// False: sent once only, as ApiRequest::may_retry. Create() and Evict() never send twice.
  bool may_retry = true;
};

/// The same with what is left of the timeout for a further call of one that `began` then.
CallOptions WithTimeLeft(CallOptions options, std::chrono::steady_clock::time_point began);

/// The same past the rate limit.
CallOptions Unhindered(CallOptions options, bool may_retry);

absl::StatusOr<std::string> Get(Api& api, const Resource& resource, const ObjectName& object,
                                const CallOptions& options = {});

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  /// Empty: the newest state.
  std::string resource_version;
  int64_t page_size = 500;  // 0: all in one answer
};
struct ObjectList {
  std::string resource_version;
  std::vector<std::string> items;  // JSON objects; without apiVersion and kind
};
/// All objects of a namespace, or of all if it is empty, fetched page by page; each page has the
/// whole timeout. Where the server has forgotten the state that the pages show (410), the list is
/// fetched anew in one piece, so that it is of one state always.
absl::StatusOr<ObjectList> List(Api& api, const Resource& resource, std::string_view namespace_,
                                const ListOptions& list = {}, const CallOptions& options = {});

/// The object as the server made it. Sent once only: whether a lost answer was a success is the
/// caller's question (AlreadyExists tells it to who tries again). `dry_run`: everything is checked,
/// nothing is created.
absl::StatusOr<std::string> Create(Api& api, const Resource& resource, std::string_view namespace_,
                                   std::string_view json, const CallOptions& options = {},
                                   bool dry_run = false);

/// Replaces the object; where `json` has a resourceVersion, only that version (else Aborted).
absl::StatusOr<std::string> Update(Api& api, const Resource& resource, const ObjectName& object,
                                   std::string_view json, const CallOptions& options = {});

enum class PatchType { kMerge, kStrategicMerge, kApply };
struct PatchOptions {
  PatchType type = PatchType::kMerge;
  std::string field_manager;  // kApply wants one
  bool force = false;         // kApply: take fields over from other managers
};
/// Changes a part of the object; kApply creates it where it is missing.
absl::StatusOr<std::string> Patch(Api& api, const Resource& resource, const ObjectName& object,
                                  std::string_view json, const PatchOptions& patch,
                                  const CallOptions& options = {});

/// Update() and Patch() of the subresource "status".
absl::StatusOr<std::string> UpdateStatus(Api& api, const Resource& resource, ObjectName object,
                                         std::string_view json, const CallOptions& options = {});
absl::StatusOr<std::string> PatchStatus(Api& api, const Resource& resource, ObjectName object,
                                        std::string_view json, const PatchOptions& patch,
                                        const CallOptions& options = {});

struct DeleteOptions {
  /// Preconditions: another object of that name, or another version, is Aborted. Empty: none.
  std::string uid;
  std::string resource_version;
  std::optional<int64_t> grace_period_seconds;
  std::string propagation;  // "Foreground", "Background", "Orphan", or the server's default
  bool dry_run = false;     // everything is checked, nothing is done
};
absl::Status Delete(Api& api, const Resource& resource, const ObjectName& object,
                    const DeleteOptions& what = {}, const CallOptions& options = {});

/// Asks for a pod to be evicted (policy/v1), of which `what.uid` and the others are respected. A
/// disruption budget that forbids it is ResourceExhausted, told at once and not tried again.
absl::Status Evict(Api& api, std::string_view namespace_, std::string_view pod,
                   const DeleteOptions& what = {}, const CallOptions& options = {});

}  // namespace outrigger::kube
