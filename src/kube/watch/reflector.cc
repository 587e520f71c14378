#include "kube/watch/reflector.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/errors.h"
#include "kube/resource.h"
#include "kube/watch/errors.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/paged_list.h"
#include "kube/watch/reflector_state.h"
#include "kube/watch/served_versions.h"
#include "kube/watch/session.h"
#include "outrigger/k8s/resource_version.h"
#include "sdk/base/backoff.h"

namespace outrigger::kube {

/// What the thread of a reflector does. For that thread alone.
class ReflectorLoop {
 public:
  ReflectorLoop(Api* api, const Resource& resource, ObjectSink* sink, ReflectorOptions options,
                ReflectorStatus* board);

  /// Until stop is requested. To be called once.
  void Run(const std::stop_token& stop);

 private:
  void Fill();
  void FillByList();
  absl::StatusOr<ListResult> List(const std::string& resource_version);
  void Follow();
  bool IsTrusted();
  absl::StatusOr<bool> Discover(const absl::Status& contradiction, std::string* unknown);
  bool LooksForNewer();
  void ReadVersion(std::string_view version);
  WatchEnd Watch(bool initial_events, std::chrono::milliseconds silence);
  void DoubtEncoding(const absl::Status& status);
  bool AsksProtobuf() const;
  void AfterWatch(const WatchEnd& end);
  void AfterWatchError(const WatchEnd& end);
  void Relist(bool latest);
  void Fail(const absl::Status& status);
  std::chrono::milliseconds NextWait();
  void Missing(const absl::Status& status);
  void Wait(std::chrono::milliseconds time) { options_.timing.sleep(time, stop_); }
  ListRequest MakeListRequest() const;

  const ReflectorOptions options_;
  Resource resource_;  // in the version that is read
  std::string path_;
  std::chrono::steady_clock::time_point discovered_;
  Api* const api_;
  ReflectorStatus* const board_;
  const bool reads_protobuf_;
  Backoff<std::chrono::milliseconds> doubt_;       // for how long no protobuf is asked for
  std::chrono::steady_clock::time_point doubted_;  // since then
  ObjectFeed feed_;
  Backoff<std::chrono::milliseconds> backoff_;
  std::optional<std::chrono::steady_clock::time_point> backed_off_;  // last
  std::stop_token stop_;

  bool is_complete_ = false;      // the sink holds all as of version_; else a full list is due
  std::string version_;           // last seen; empty: none
  bool version_is_lost_ = false;  // the server does not have it: list the latest
  bool is_paginated_ = false;     // the server gave pages where a cache would not
  bool is_doubtful_ = false;      // it is to be checked that the server is still the same
  bool listed_at_once_ = false;   // behind an expiry, and no event has come since
  int fruitless_ = 0;
};

namespace {

using std::chrono::milliseconds;

// A watch that ends sooner is no use, however it ended: without a wait it would be asked for
// thousands of times a second.
constexpr milliseconds kShortWatch{1000};
// After so long without a failure the waits start again.
constexpr std::chrono::minutes kQuiet{2};
// A watch may be silent at least for this part of what is allowed: a list that took long is no
// reason for the next one.
constexpr int kLeast = 15;
// So many watches in a row that brought nothing, and the state is listed anew.
constexpr int kFruitlessWatches = 2;
// For how long JSON is asked for behind protobuf that was not understood.
constexpr milliseconds kFirstDoubt = std::chrono::minutes(10);
constexpr milliseconds kLongestDoubt = std::chrono::hours(24);

}  // namespace

ReflectorLoop::ReflectorLoop(Api* api, const Resource& resource, ObjectSink* sink,
                             ReflectorOptions options, ReflectorStatus* board)
    : options_(std::move(options)),
      resource_(resource),
      path_(PathOf(resource)),
      discovered_(options_.timing.now()),
      api_(api),
      board_(board),
      reads_protobuf_(options_.protobuf && sink->ReadsProtobuf()),
      doubt_(kFirstDoubt, kLongestDoubt),
      feed_(resource, sink, options_.report),
      backoff_(options_.first_retry, options_.longest_retry) {
  board_->ReadsVersion(resource.version);
}

void ReflectorLoop::Run(const std::stop_token& stop) {
  stop_ = stop;
  while (!stop_.stop_requested()) {
    if (is_complete_) {
      Follow();
    } else {
      Fill();
    }
  }
}

ListRequest ReflectorLoop::MakeListRequest() const {
  return {.path = path_,
          .resource_version = {},
          .page_size = options_.page_size,
          .timeout = options_.list_timeout,
          .silence = options_.silence,
          .stop = stop_,
          .protobuf = AsksProtobuf()};
}

// JSON has text for people to look at, and tells one object that is not understood from a damaged
// stream. It costs the server much more, so one damaged byte must not decide for good.
void ReflectorLoop::DoubtEncoding(const absl::Status& status) {
  if (status.ok() || FailureOf(status) != Failure::kDamaged || !AsksProtobuf()) return;
  doubt_.Fail();
  doubted_ = options_.timing.now();
}

bool ReflectorLoop::AsksProtobuf() const {
  return reads_protobuf_ &&
         (doubt_.wait().count() == 0 || options_.timing.now() - doubted_ >= doubt_.wait());
}

void ReflectorLoop::Fill() {
  const WatchEnd end = Watch(/*initial_events=*/true, options_.silence);
  if (end.synced) {
    is_complete_ = true;
    version_is_lost_ = is_doubtful_ = false;
    return AfterWatch(end);
  }
  if (stop_.stop_requested()) return;
  const Failure failure = FailureOf(end.status);
  if (failure == Failure::kMissing) return Missing(end.status);
  const bool no_connection = failure == Failure::kConnection && !end.answered && !end.silent;
  if (failure == Failure::kTooMany || no_connection) return Fail(end.status);
  // Whatever it was: to get on is better than to be right about streams.
  FillByList();
}

// The versions to ask for, and when to do without pages, are those of client-go's reflector.
absl::StatusOr<ListResult> ReflectorLoop::List(const std::string& resource_version) {
  ListRequest request = MakeListRequest();
  request.resource_version = resource_version;
  // A cache serves a version as a whole only.
  const bool from_cache = !resource_version.empty() && resource_version != "0";
  if (from_cache && !is_paginated_) request.page_size = 0;
  absl::StatusOr<ListResult> list = ListAll(api_, request, options_.timing, &feed_);
  DoubtEncoding(list.status());
  return list;
}

void ReflectorLoop::FillByList() {
  const auto started = options_.timing.now();
  std::string from = version_is_lost_ ? "" : version_.empty() ? "0" : version_;
  absl::StatusOr<ListResult> list = List(from);
  if (!list.ok() && !from.empty()) {
    const Failure failure = FailureOf(list.status());
    if (failure == Failure::kExpired || failure == Failure::kTooLarge) {
      version_is_lost_ = true;
      list = List("");
    }
  }
  if (!list.ok()) {
    if (FailureOf(list.status()) == Failure::kMissing) return Missing(list.status());
    return Fail(list.status());
  }
  if (from == "0" && list->paginated) is_paginated_ = true;
  version_ = list->resource_version;
  version_is_lost_ = is_doubtful_ = false;
  is_complete_ = true;
  fruitless_ = 0;
  board_->Count(feed_.objects(), feed_.unreadable());
  board_->Synced(version_, started);
}

WatchEnd ReflectorLoop::Watch(bool initial_events, milliseconds silence) {
  const double spread = 1 + options_.timing.random();
  const auto length = static_cast<double>(options_.watch_length.count()) * spread;
  WatchRequest request{.path = path_,
                       .resource_version = version_,
                       .initial_events = initial_events,
                       .length = std::chrono::seconds(std::lround(length)),
                       .silence = silence,
                       .list_timeout = options_.list_timeout,
                       .stop = stop_,
                       .protobuf = AsksProtobuf()};
  WatchEnd end = WatchSession(std::move(request), options_.timing, &feed_, board_).Run(api_);
  DoubtEncoding(end.status);
  return end;
}

void ReflectorLoop::Follow() {
  if (is_doubtful_ && !IsTrusted()) return;
  if (LooksForNewer()) return;
  const auto started = options_.timing.now();
  // Silence counts from what is known on, not from this watch on: one that a proxy cuts off again
  // and again before the first bookmark would never be silent for long enough.
  const auto left = options_.silence - (started - board_->as_of().value_or(started));
  const auto silence = std::max(std::chrono::ceil<milliseconds>(left), options_.silence / kLeast);
  const WatchEnd end = Watch(/*initial_events=*/false, silence);
  const bool was_short = options_.timing.now() - started < kShortWatch;
  AfterWatch(end);
  if (is_complete_ && end.status.ok() && was_short && end.events == 0) {
    ++fruitless_;
    Wait(NextWait());
  }
  if (fruitless_ >= kFruitlessWatches) Relist(/*latest=*/true);
}

// A server that came back may have an older etcd: its versions then lie behind ours, and a watch
// would wait in silence until they have caught up, and miss what was before that.
bool ReflectorLoop::IsTrusted() {
  const auto failing_since = board_->failing_since();
  const auto now = options_.timing.now();
  const absl::StatusOr<std::string> current =
      CurrentVersion(api_, MakeListRequest(), options_.timing);
  if (stop_.stop_requested()) return false;
  DoubtEncoding(current.status());
  if (!current.ok()) {
    if (FailureOf(current.status()) == Failure::kMissing) {
      Missing(current.status());
    } else {
      Fail(current.status());
    }
    return false;
  }
  board_->Answered();
  is_doubtful_ = false;
  const bool was_long = failing_since && now - *failing_since >= options_.distrust_after;
  if (!was_long && !IsOlderVersion(*current, version_)) return true;
  Relist(/*latest=*/true);
  return false;
}

void ReflectorLoop::AfterWatch(const WatchEnd& end) {
  if (!end.resource_version.empty()) version_ = end.resource_version;
  if (end.events > 0) {
    fruitless_ = 0;
    listed_at_once_ = false;
  }
  if (stop_.stop_requested() || end.status.ok()) return;
  if (end.silent) {
    // An API server whose etcd seldom tells of its progress (ten minutes are etcd's default) sends
    // no bookmark of a kind in which nothing has changed since the watch began. Only a list proves
    // that nothing has.
    return Relist(/*latest=*/true);
  }
  AfterWatchError(end);
}

void ReflectorLoop::AfterWatchError(const WatchEnd& end) {
  switch (FailureOf(end.status)) {
    case Failure::kExpired:
      Relist(/*latest=*/false);
      // It is the version that is wrong and not the server, which may just have been started anew:
      // to wait would only make the view older. Unless a list has not helped.
      if (!std::exchange(listed_at_once_, true)) {
        return board_->Failed(end.status, options_.timing.now());
      }
      break;
    case Failure::kTooLarge:
    case Failure::kUnsupported:
      Relist(/*latest=*/true);
      break;
    case Failure::kMissing:
      return Missing(end.status);
    case Failure::kConnection:
      is_doubtful_ = true;
      // The connection of a watch that did its work: likely the next one is better already.
      if (end.events > 0) return board_->Failed(end.status, options_.timing.now());
      break;
    case Failure::kTooMany:
    case Failure::kNotAllowed:
      break;
    case Failure::kDamaged:
    case Failure::kServer:
      if (end.events == 0) ++fruitless_;
      break;
  }
  Fail(end.status);
}

void ReflectorLoop::Relist(bool latest) {
  is_complete_ = false;
  fruitless_ = 0;
  version_is_lost_ = version_is_lost_ || latest;
}

milliseconds ReflectorLoop::NextWait() {
  const auto now = options_.timing.now();
  if (backed_off_ && now - *backed_off_ > kQuiet) backoff_.Reset();
  backed_off_ = now;
  return std::chrono::duration_cast<milliseconds>(backoff_.Fail() * (1 + options_.timing.random()));
}

void ReflectorLoop::Fail(const absl::Status& status) {
  if (stop_.stop_requested()) return;
  const auto now = options_.timing.now();
  board_->Failed(status, now);
  milliseconds wait = NextWait();
  const std::optional<ApiError> error = ApiErrorOf(status);
  if (error && error->retry_after) wait = std::max<milliseconds>(wait, *error->retry_after);
  Wait(wait);
}

// Chooses the version to read after a 404, `contradiction` if that one is served. True if another
// one is to be tried now; else `unknown` has the versions that are served and not known.
absl::StatusOr<bool> ReflectorLoop::Discover(const absl::Status& contradiction,
                                             std::string* unknown) {
  const auto& versions = options_.versions;
  if (versions.empty()) return false;
  const std::string_view before = resource_.version;
  discovered_ = options_.timing.now();
  const auto served = FindServedVersions(*api_, resource_, versions, stop_);
  if (served.ok()) {
    *unknown = served->unknown;
    // One server of several may not have the version yet, or no more: what is known stays.
    if (served->known == before) return contradiction;
    ReadVersion(served->known.empty() ? versions.front() : served->known);
    return !served->known.empty();
  }
  if (FailureOf(served.status()) != Failure::kNotAllowed) return served.status();
  // Without the right to discover, the versions are tried one after the other.
  const auto now = std::find(versions.begin(), versions.end(), before);
  const bool is_last = now == versions.end() || now + 1 == versions.end();
  ReadVersion(is_last ? versions.front() : *(now + 1));
  return !is_last;
}

// True if a newer version is to be read from now on. An older one may be served with it for long.
bool ReflectorLoop::LooksForNewer() {
  if (options_.versions.empty() || resource_.version == options_.versions.front()) return false;
  if (options_.timing.now() - discovered_ < options_.missing_retry) return false;
  discovered_ = options_.timing.now();
  const auto served = FindServedVersions(*api_, resource_, options_.versions, stop_);
  if (!served.ok() || served->known.empty() || served->known == resource_.version) return false;
  ReadVersion(served->known);
  return true;
}

void ReflectorLoop::ReadVersion(std::string_view version) {
  if (version == resource_.version) return;
  resource_.version = version;
  path_ = PathOf(resource_);
  version_.clear();
  Relist(/*latest=*/true);
  board_->ReadsVersion(version);
}

void ReflectorLoop::Missing(const absl::Status& status) {
  if (!options_.may_be_missing) return Fail(status);
  std::string unknown;
  const absl::StatusOr<bool> goes_on = Discover(status, &unknown);
  if (!goes_on.ok()) return Fail(goes_on.status());
  if (*goes_on) return;
  feed_.BeginReplace();
  feed_.EndReplace(/*version=*/{});
  Relist(/*latest=*/false);
  version_.clear();
  version_is_lost_ = is_doubtful_ = false;
  board_->Count(0, 0);
  board_->NotInstalled(options_.timing.now(), unknown);
  Wait(options_.missing_retry);
}

Reflector::Reflector(Api* api, const Resource& resource, ObjectSink* sink, ReflectorOptions options)
    : board_(NameOf(resource), options.turned),
      now_(options.timing.now),
      loop_(std::make_unique<ReflectorLoop>(api, resource, sink, std::move(options), &board_)) {}

Reflector::~Reflector() {
  Stop();
}

void Reflector::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { loop_->Run(stop); });
}

void Reflector::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

ReflectorState Reflector::State() const {
  return board_.Get();
}

std::string Reflector::Describe() const {
  return kube::Describe(State(), now_());
}

}  // namespace outrigger::kube
