#include "kube/watch/paged_list.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "kube/stream/encoded_body.h"
#include "kube/watch/errors.h"

namespace outrigger::kube {
namespace {

// A list of one object is quick, or something is wrong.
constexpr std::chrono::milliseconds kVersionTimeout{15'000};

// One page. A server that sends a byte now and then is not waited for without end.
absl::StatusOr<ListPage> GetPage(Api* api, const ListRequest& request,
                                 std::string_view continue_token, const Timing& timing,
                                 OnListItem on_item) {
  ApiRequest call;
  call.path = request.path;
  // A continued list has the resource version of its first page.
  if (continue_token.empty()) {
    call.query.emplace_back("resourceVersion", request.resource_version);
  } else {
    call.query.emplace_back("continue", continue_token);
  }
  if (request.page_size > 0) {
    call.query.emplace_back("limit", fmt::to_string(request.page_size));
  }
  call.timeout = request.silence;
  call.silence = request.silence;
  call.stop = request.stop;
  if (request.protobuf) call.accept = kAcceptProtobuf;
  ListBody reader;
  absl::Status failed;
  const auto deadline = timing.now() + request.timeout;
  auto last_item = timing.now();
  const auto note_item = [&](const ListItem& item) {
    last_item = timing.now();
    return on_item(item);
  };
  const absl::Status status = api->Stream(call, [&](std::string_view bytes) {
    failed = reader.Feed(bytes, note_item);
    const auto now = timing.now();
    if (failed.ok() && now >= deadline) {
      failed = absl::DeadlineExceededError(
          fmt::format("the list is not complete after {} s", request.timeout.count() / 1000));
    } else if (failed.ok() && now - last_item >= request.silence) {
      // Bytes that trickle and never make an object are silence, too.
      failed = absl::DeadlineExceededError(
          fmt::format("no object of the list within {} s", request.silence.count() / 1000));
    }
    return failed.ok();
  });
  if (!failed.ok()) return failed;
  if (!status.ok()) return status;
  return reader.Finish();
}

}  // namespace

absl::StatusOr<ListResult> ListAll(Api* api, const ListRequest& first, const Timing& timing,
                                   ObjectFeed* feed) {
  ListRequest request = first;
  ListResult result;
  std::string token;
  const auto on_item = [feed](const ListItem& item) {
    return item.protobuf.data() != nullptr ? feed->UpsertProtobuf(item.head, item.protobuf)
                                           : feed->Upsert(item.head, item.object, item.document);
  };
  feed->BeginReplace();
  while (true) {
    absl::StatusOr<ListPage> page = GetPage(api, request, token, timing, on_item);
    if (!page.ok()) {
      const bool again = !token.empty() && FailureOf(page.status()) == Failure::kExpired;
      if (!again) return page.status();
      request.page_size = 0;
      token.clear();
      result.resource_version.clear();
      feed->BeginReplace();
      continue;
    }
    // Continued pages may say another version; what follows goes on from the first.
    if (result.resource_version.empty()) result.resource_version = page->resource_version;
    if (page->continue_token.empty()) break;
    result.paginated = true;
    token = std::move(page->continue_token);
  }
  feed->EndReplace(result.resource_version);
  return result;
}

absl::StatusOr<std::string> CurrentVersion(Api* api, const ListRequest& request,
                                           const Timing& timing) {
  ListRequest one = request;
  one.resource_version.clear();
  one.page_size = 1;
  one.silence = std::min(one.silence, kVersionTimeout);
  absl::StatusOr<ListPage> page =
      GetPage(api, one, {}, timing, [](const ListItem&) { return absl::OkStatus(); });
  if (!page.ok()) return page.status();
  return std::move(page->resource_version);
}

}  // namespace outrigger::kube
