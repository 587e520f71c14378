#include "apiserver/verbs/watches.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/failure.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMostUnread = size_t{1} << 20;  // bytes for one watcher
constexpr size_t kBatch = 1000;                  // changes
constexpr std::chrono::milliseconds kTick{100};  // for those that have read their backlog
constexpr std::chrono::minutes kBetweenBookmarks{1};
constexpr std::chrono::seconds kLongestWatch{3600};

std::string EventText(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
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

void SendBookmark(const Watch& watch, bool initial_end) {
  Json object = {{"apiVersion", watch.face.served->GroupVersion()},
                 {"kind", watch.face.served->kind},
                 {"metadata", {{"resourceVersion", std::to_string(watch.at)}}}};
  if (initial_end) object["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  watch.stream->Write(EventText("BOOKMARK", object.dump()));
}

}  // namespace

Watches::Watches(Store* store, Clock clock)
    : store_(store),
      clock_(std::move(clock)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Watches::~Watches() {
  thread_.request_stop();
  thread_.join();
  for (const auto& watch : watches_) watch->stream->End();
}

void Watches::Begin(std::shared_ptr<Watch> watch, std::chrono::seconds time) {
  const Clock::TimePoint now = clock_.now();
  watch->ends = now + (time.count() > 0 ? std::min(time, kLongestWatch) : kLongestWatch);
  watch->next_bookmark = now + kBetweenBookmarks;
  const MutexLock lock(mutex_);
  watches_.push_back(std::move(watch));
}

void Watches::EndAllOf(const Collection* collection) {
  const MutexLock lock(mutex_);
  for (const auto& watch : watches_) {
    if (watch->face.served->collection == collection) watch->stream->End();
  }
}

void Watches::Run(const std::stop_token& stop) {
  for (uint64_t seen = 0; !stop.stop_requested();) {
    store_->WaitForChange(seen, kTick, stop);
    seen = store_->version();
    std::vector<std::shared_ptr<Watch>> active;
    {
      const MutexLock lock(mutex_);
      active = watches_;
    }
    for (const auto& watch : active) watch->over = !Advance(watch.get());
    const MutexLock lock(mutex_);
    std::erase_if(watches_, [](const auto& watch) { return watch->over; });
  }
}

// False: it has ended.
bool Watches::Advance(Watch* watch) const {
  http::Stream& stream = *watch->stream;
  if (stream.closed()) return false;
  while (!watch->initial.empty()) {
    if (stream.backlog() > kMostUnread) return true;
    Send(*watch, "ADDED", watch->initial.front());
    watch->initial.pop_front();
  }
  if (std::exchange(watch->initial_ends, false)) SendBookmark(*watch, /*initial_end=*/true);
  if (!SendChanges(watch)) {
    const Failure expired = Failure::Expired(
        fmt::format("too old resource version: {} ({})", watch->at, store_->version()));
    stream.Write(EventText("ERROR", expired.Body().dump()));
    stream.End();
    return false;
  }
  const Clock::TimePoint now = clock_.now();
  const bool ends = now >= watch->ends;
  if (watch->bookmarks && (now >= watch->next_bookmark || ends)) {
    watch->next_bookmark = now + kBetweenBookmarks;
    SendBookmark(*watch, /*initial_end=*/false);
  }
  if (ends) stream.End();
  return !ends;
}

// False: the log no longer has what comes next.
bool Watches::SendChanges(Watch* watch) const {
  const auto is_selected = [&](const StoredPtr& object) {
    return object != nullptr && watch->selection.Has(*object);
  };
  std::vector<Change> changes;
  do {
    changes.clear();
    if (!store_->ChangesAfter(watch->at, kBatch, &changes)) return false;
    for (const Change& change : changes) {
      if (watch->stream->backlog() > kMostUnread) return true;
      watch->at = change.now->version;
      if (change.collection != watch->face.served->collection) continue;
      const bool was = is_selected(change.before);
      const bool is_gone = change.kind == Change::Kind::kDeleted;
      if (!is_gone && is_selected(change.now)) {
        Send(*watch, was ? "MODIFIED" : "ADDED", change.now);
      } else if (was) {
        Send(*watch, "DELETED", is_gone ? change.now : AtVersion(*change.before, watch->at));
      }
    }
  } while (changes.size() == kBatch);
  return true;
}

void Watches::Send(const Watch& watch, const char* type, const StoredPtr& object) const {
  watch.stream->Write(EventText(type, watch.face.Show(object, clock_.wall())));
}

}  // namespace outrigger::apiserver
