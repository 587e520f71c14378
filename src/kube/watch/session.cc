#include "kube/watch/session.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/watch/errors.h"

namespace outrigger::kube {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

Query QueryOf(const WatchRequest& request) {
  Query query{{"watch", "1"},
              {"allowWatchBookmarks", "true"},
              {"resourceVersion", request.initial_events ? "" : request.resource_version},
              {"timeoutSeconds", fmt::to_string(request.length.count())}};
  if (request.initial_events) {
    query.emplace_back("sendInitialEvents", "true");
    query.emplace_back("resourceVersionMatch", "NotOlderThan");
  }
  return query;
}

}  // namespace

WatchEnd WatchSession::Run(Api* api) {
  ApiRequest call;
  call.path = request_.path;
  call.query = QueryOf(request_);
  // Some proxies send the head with the first event.
  call.timeout = request_.silence;
  call.silence = request_.silence;
  call.stop = request_.stop;
  if (request_.protobuf) call.accept = kAcceptProtobuf;
  // A quiet kind brings its first event after a minute. What failed before is over sooner; a state
  // that is not complete yet has no such haste.
  if (!request_.initial_events) call.on_head = [this] { board_->Answered(); };
  started_ = last_event_ = timing_.now();
  if (!request_.initial_events) end_.resource_version = request_.resource_version;
  board_->WatchBegins();
  if (request_.initial_events) feed_->BeginReplace();
  end_.status = api->Stream(call, [this](std::string_view bytes) { return TakeBytes(bytes); });
  if (!failed_.ok()) end_.status = failed_;
  // Whoever noticed it, Api or this.
  const bool too_late = timing_.now() - last_event_ >= request_.silence;
  end_.silent = too_late && absl::IsDeadlineExceeded(end_.status) &&
                FailureOf(end_.status) == Failure::kConnection;
  return std::move(end_);
}

bool WatchSession::TakeBytes(std::string_view bytes) {
  end_.answered = true;
  failed_ = body_.Feed(bytes, [this](const WatchEvent& event) { return OnEvent(event); });
  // Bytes that trickle and never make an event are silence, too.
  if (failed_.ok()) failed_ = CheckTime(timing_.now());
  return failed_.ok();
}

absl::Status WatchSession::CheckTime(TimePoint now) {
  if (now - last_event_ >= request_.silence) {
    return absl::DeadlineExceededError(
        fmt::format("no event within {} s", request_.silence.count() / 1000));
  }
  if (in_initial_events() && now - started_ >= request_.list_timeout) {
    return absl::DeadlineExceededError(
        fmt::format("the state is not complete after {} s", request_.list_timeout.count() / 1000));
  }
  return absl::OkStatus();
}

absl::Status WatchSession::OnEvent(const WatchEvent& event) {
  if (request_.stop.stop_requested()) return absl::CancelledError("stopped");
  if (event.type == WatchEventType::kError) return ErrorOfEvent(event.error);
  absl::Status status = event.type == WatchEventType::kBookmark ? OnBookmark(event) : Apply(event);
  if (!status.ok()) return status;
  last_event_ = timing_.now();
  // The first events are in no order: none of their versions says what came before it.
  if (in_initial_events()) {
    board_->Event({}, last_event_);
    return status;
  }
  end_.resource_version = event.head.resource_version;
  board_->Event(end_.resource_version, last_event_);
  board_->Count(feed_->objects(), feed_->unreadable());
  ++end_.events;
  return status;
}

absl::Status WatchSession::Apply(const WatchEvent& event) {
  if (event.type == WatchEventType::kDeleted) {
    feed_->Remove(event.head);
    return absl::OkStatus();
  }
  return event.protobuf.data() != nullptr ? feed_->UpsertProtobuf(event.head, event.protobuf)
                                          : feed_->Upsert(event.head, event.object, event.document);
}

absl::Status WatchSession::OnBookmark(const WatchEvent& event) {
  if (!in_initial_events()) return absl::OkStatus();
  if (!event.head.initial_events_end) {
    // Ordinary bookmarks wait for the one that ends the state; so this server knows no such state.
    return absl::UnimplementedError("the server does not stream lists");
  }
  feed_->EndReplace(event.head.resource_version);
  end_.synced = true;
  board_->Synced(event.head.resource_version, timing_.now());
  return absl::OkStatus();
}

}  // namespace outrigger::kube
