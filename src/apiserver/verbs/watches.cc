#include "apiserver/verbs/watches.h"

#include <algorithm>
#include <utility>

#include "apiserver/failure.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using SharedText = std::shared_ptr<const std::string>;

constexpr size_t kMostUnread = size_t{1} << 20;  // bytes for one watcher
constexpr size_t kBatch = 1000;                  // changes
constexpr std::chrono::milliseconds kTick{100};  // for those that have read their backlog
constexpr std::chrono::minutes kBetweenBookmarks{1};
constexpr std::chrono::minutes kLongestWatch{60};

SharedText EventText(std::string_view type, std::string_view object) {
  return std::make_shared<const std::string>(
      fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object));
}

// The last state that was selected, at the version of the change by which it is no longer.
StoredPtr AtVersion(const Stored& object, uint64_t version) {
  auto last = std::make_shared<Stored>(object);
  Json parsed = object.Parse();
  parsed["metadata"]["resourceVersion"] = std::to_string(version);
  last->version = version;
  last->text = parsed.dump().substr(1);
  return last;
}

}  // namespace

struct Watches::Watch {
  WatchRequest request;
  size_t initial_sent = 0;
  bool initial_done = false;
  bool columns_sent = false;
  uint64_t at = 0;  // the last version it has seen
  Clock::TimePoint ends;
  Clock::TimePoint next_bookmark;
};

// Events that several watches share.
struct Watches::Round {
  uint64_t from = 0;
  std::vector<Change> changes;  // after `from`
  Clock::TimePoint now;
  std::chrono::system_clock::time_point wall;
  std::map<std::pair<const Served*, std::pair<StoredPtr, char>>, SharedText> texts;
};

Watches::Watches(Store* store, Clock clock)
    : store_(store),
      clock_(std::move(clock)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Watches::~Watches() {
  thread_.request_stop();
  thread_.join();
  const MutexLock lock(mutex_);
  for (const auto* list : {&watches_, &new_}) {
    for (const auto& watch : *list) watch->request.stream->End();
  }
}

void Watches::Begin(WatchRequest request) {
  auto watch = std::make_unique<Watch>();
  const Clock::TimePoint now = clock_.now();
  watch->at = request.after;
  watch->ends =
      now + std::min<std::chrono::seconds>(request.timeout.value_or(kLongestWatch), kLongestWatch);
  watch->next_bookmark = now + kBetweenBookmarks;
  watch->request = std::move(request);
  const MutexLock lock(mutex_);
  new_.push_back(std::move(watch));
}

size_t Watches::size() const {
  const MutexLock lock(mutex_);
  return watches_.size() + new_.size();
}

void Watches::EndAllOf(const Collection* collection) {
  const MutexLock lock(mutex_);
  for (const auto* list : {&watches_, &new_}) {
    for (const auto& watch : *list) {
      if (watch->request.face.served->collection == collection) watch->request.stream->End();
    }
  }
}

void Watches::Run(const std::stop_token& stop) {
  uint64_t read = store_->version();
  while (!stop.stop_requested()) {
    RunOnce(stop, &read);
  }
}

void Watches::RunOnce(const std::stop_token& stop, uint64_t* read) {
  store_->WaitForChange(*read, kTick, stop);
  Round round{
      .from = *read, .changes = {}, .now = clock_.now(), .wall = clock_.wall(), .texts = {}};
  if (!store_->ChangesAfter(*read, kBatch, &round.changes)) round.from = *read = store_->version();
  std::vector<std::unique_ptr<Watch>> active;
  {
    const MutexLock lock(mutex_);
    std::move(new_.begin(), new_.end(), std::back_inserter(watches_));
    new_.clear();
    active.swap(watches_);
  }
  std::erase_if(active, [&](const auto& watch) { return !Advance(watch.get(), &round); });
  *read += round.changes.size();
  const MutexLock lock(mutex_);
  watches_.swap(active);
}

// False: it has ended.
bool Watches::Advance(Watch* watch, Round* round) {
  http::Stream& stream = *watch->request.stream;
  if (stream.closed()) return false;
  if (!watch->initial_done && !SendInitial(watch, round)) return true;
  if (!SendChanges(watch, round)) {
    const Failure expired = Failure::Expired(
        fmt::format("too old resource version: {} ({})", watch->at, store_->version()));
    stream.Write(EventText("ERROR", expired.Body().dump()));
    stream.End();
    return false;
  }
  const bool ends = round->now >= watch->ends;
  if (watch->request.bookmarks && (round->now >= watch->next_bookmark || ends)) {
    watch->next_bookmark = round->now + kBetweenBookmarks;
    SendBookmark(watch, watch->at, /*initial_end=*/false);
  }
  if (ends) stream.End();
  return !ends;
}

// True once all have been sent.
bool Watches::SendInitial(Watch* watch, Round* round) {
  WatchRequest& request = watch->request;
  while (watch->initial_sent < request.initial.size()) {
    if (request.stream->backlog() > kMostUnread) return false;
    SendObject(watch, "ADDED", request.initial[watch->initial_sent++], round);
  }
  if (request.initial_ends) SendBookmark(watch, request.after, /*initial_end=*/true);
  request.initial = {};
  watch->initial_done = true;
  return true;
}

// False: the log no longer has what comes next.
bool Watches::SendChanges(Watch* watch, Round* round) {
  std::vector<Change> own;
  if (watch->at != round->from && !store_->ChangesAfter(watch->at, kBatch, &own)) return false;
  const std::vector<Change>& changes = watch->at == round->from ? round->changes : own;
  for (const Change& change : changes) {
    if (watch->request.stream->backlog() > kMostUnread) return true;
    SendChange(watch, change, round);
    watch->at = change.now->version;
  }
  return true;
}

void Watches::SendChange(Watch* watch, const Change& change, Round* round) {
  const WatchRequest& request = watch->request;
  if (change.collection != request.face.served->collection) return;
  const bool was = change.before != nullptr && request.selection.Has(*change.before);
  const bool is = change.kind != Change::Kind::kDeleted && request.selection.Has(*change.now);
  if (is) return SendObject(watch, was ? "MODIFIED" : "ADDED", change.now, round);
  if (!was) return;
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  SendObject(watch, "DELETED",
             is_gone ? change.now : AtVersion(*change.before, change.now->version), round);
}

void Watches::SendObject(Watch* watch, const char* type, const StoredPtr& object, Round* round) {
  const Face& face = watch->request.face;
  if (face.as_table) {
    const Json metadata = {{"resourceVersion", std::to_string(object->version)}};
    const bool first = !std::exchange(watch->columns_sent, true);
    watch->request.stream->Write(
        EventText(type, face.TableOf({object}, metadata, first, round->wall)));
    return;
  }
  // Initial objects are sent once, as a rule: their texts are not worth keeping.
  if (!watch->initial_done) {
    watch->request.stream->Write(EventText(type, face.TextOf(*object)));
    return;
  }
  SharedText& text = round->texts[{face.served.get(), {object, type[0]}}];
  if (text == nullptr) text = EventText(type, face.TextOf(*object));
  watch->request.stream->Write(text);
}

void Watches::SendBookmark(Watch* watch, uint64_t version, bool initial_end) {
  const Served& served = *watch->request.face.served;
  Json metadata = {{"resourceVersion", std::to_string(version)}};
  if (initial_end) metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  Json object = {
      {"apiVersion", served.GroupVersion()}, {"kind", served.kind}, {"metadata", metadata}};
  if (watch->request.face.as_table) {
    // A table without rows would have no place for the annotation.
    Json row = {{"cells", Json::array()}, {"object", std::move(object)}};
    row["object"]["apiVersion"] = "meta.k8s.io/v1";
    row["object"]["kind"] = "PartialObjectMetadata";
    object = {{"apiVersion", "meta.k8s.io/v1"},
              {"kind", "Table"},
              {"metadata", {{"resourceVersion", std::to_string(version)}}},
              {"columnDefinitions", Json::array()},
              {"rows", Json::array({std::move(row)})}};
  }
  watch->request.stream->Write(EventText("BOOKMARK", object.dump()));
}

}  // namespace outrigger::apiserver
