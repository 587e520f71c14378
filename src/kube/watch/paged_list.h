#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/stream/list_page.h"
#include "kube/timing.h"
#include "kube/watch/object_feed.h"

namespace outrigger::kube {

/// How a full list is asked for.
struct ListRequest {
  std::string path;
  std::string resource_version;                // "": the latest; "0": any; else not older than that
  uint32_t page_size = 500;                    // 0: all in one page
  std::chrono::milliseconds timeout{300'000};  // for a page
  std::chrono::milliseconds silence{75'000};   // between two objects
  std::stop_token stop = {};
  bool protobuf = false;  // asked for; what comes is read either way
};

struct ListResult {
  std::string resource_version;
  bool paginated = false;  // the server gave more than one page
};

/// Lists everything into `feed`, as client-go's pager does: page by page; where the pages expire on
/// the way, once more in one page. Calls BeginReplace(), and EndReplace() if it went well.
absl::StatusOr<ListResult> ListAll(Api* api, const ListRequest& request, const Timing& timing,
                                   ObjectFeed* feed);

/// The resource version at which the server is now, by a list of one object.
absl::StatusOr<std::string> CurrentVersion(Api* api, const ListRequest& request,
                                           const Timing& timing);

}  // namespace outrigger::kube
