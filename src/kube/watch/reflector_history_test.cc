// Random histories of a server: whatever happens on the way, in the end the sink holds what the
// server has.
#include <rapidcheck/gtest.h>

#include <deque>

#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

struct Op {
  enum Kind {
    kPut,
    kDelete,
    kCut,       // the connection, within an event
    kEnd,       // the watch, properly
    kCompact,   // versions so far are gone: 410
    kRefuse,    // a few connections
    kRestore,   // the state of some time ago, while the connection is lost
    kLongGone,  // as kRestore, away for minutes, and changed since
    kSilence,
    kInternal,
    kTooMany,
    kDamage,
    kBookmark,
    kKinds
  };
  Kind kind;
  int object;
};

std::ostream& operator<<(std::ostream& out, const Op& op) {
  return out << static_cast<int>(op.kind) << ":" << op.object;
}

struct Entry {
  int64_t version;
  std::string name;
  std::string value;  // empty: deleted
};

// An API server with an etcd. Its history goes on while a stream is read.
class FakeServer final : public Api {
 public:
  FakeServer(std::vector<Op> ops, bool streams_lists, VirtualTime* time)
      : ops_(ops.begin(), ops.end()), streams_lists_(streams_lists), time_(time) {}

  absl::StatusOr<ApiResponse> Call(const ApiRequest&) override {
    return absl::UnimplementedError("not for reflectors");
  }

  absl::Status Stream(const ApiRequest& request, ByteSink sink) override {
    SeenRequest seen{request.path, {}, {}};
    for (const auto& [key, value] : request.query) seen.query[key] = value;
    if (refuse_ > 0) {
      --refuse_;
      return absl::UnavailableError("connection refused");
    }
    if (seen.is_watch_list()) {
      if (!streams_lists_) return Refused(422, "Invalid", "?");
      std::string state;
      for (const auto& [name, value] : objects_) state += Added(name, 1, value);
      if (!sink(state + InitialEnd(version_))) return absl::CancelledError("sink");
      return Watch(request, version_, sink);
    }
    if (seen.is_watch()) {
      const int64_t from = std::stoll(seen.Query("resourceVersion"));
      if (from < compacted_) return Refused(410, "Expired", "too old");
      return Watch(request, from, sink);
    }
    return List(seen, sink);
  }

  Objects Wanted() const {
    Objects wanted;
    for (const auto& [name, value] : objects_) wanted["d/" + name] = value;
    return wanted;
  }

  ScriptedApi script;  // holds back what comes when nothing happens any more

 private:
  absl::Status List(const SeenRequest& seen, ByteSink sink) {
    const std::string at_least = seen.Query("resourceVersion");
    if (!at_least.empty() && at_least != "-" && std::stoll(at_least) > version_) return TooLarge();
    std::vector<std::string> items;
    for (const auto& [name, value] : objects_) items.push_back(Json(name, 1, value));
    if (seen.Query("limit") == "1" && items.size() > 1) items.resize(1);
    sink(kube::List(version_, items));
    return absl::OkStatus();
  }

  // What is behind `from`, and what happens meanwhile. A `from` of the future hides the present, as
  // the watch cache does it.
  absl::Status Watch(const ApiRequest& request, int64_t from, ByteSink sink) {
    int64_t sent = from;
    while (true) {
      for (const Entry& entry : log_) {
        if (entry.version <= sent) continue;
        sent = entry.version;
        if (!sink(EventFor(entry))) return absl::CancelledError("sink");
      }
      if (ops_.empty()) {
        if (version_ >= from) return script.Stream(request, sink);
        time_->Advance(request.silence);
        return absl::DeadlineExceededError("silence");
      }
      const Op op = ops_.front();
      ops_.pop_front();
      if (std::optional<absl::Status> end = Apply(op, request, sink)) return *end;
    }
  }

  std::string EventFor(const Entry& entry) const {
    return entry.value.empty() ? Deleted(entry.name, entry.version)
                               : Modified(entry.name, entry.version, entry.value);
  }

  void Write(int object, bool put) {
    const std::string name = fmt::format("o{}", object);
    if (!put && !objects_.contains(name)) return;
    Entry entry{++version_, name, put ? fmt::format("v{}", ++values_) : ""};
    if (put) {
      objects_[name] = entry.value;
    } else {
      objects_.erase(name);
    }
    log_.push_back(std::move(entry));
    if (object == 0) backup_ = {version_, objects_, log_};
  }

  void Restore() {
    version_ = backup_.version;
    objects_ = backup_.objects;
    log_ = backup_.log;
    compacted_ = std::min(compacted_, version_);
  }

  // How the stream ends with `op`, if it does.
  std::optional<absl::Status> Apply(const Op& op, const ApiRequest& request, ByteSink sink) {
    switch (op.kind) {
      case Op::kPut:
      case Op::kDelete:
        Write(op.object, op.kind == Op::kPut);
        return std::nullopt;
      case Op::kCut:
        Write(op.object, true);
        sink(EventFor(log_.back()).substr(0, static_cast<size_t>(op.object) * 20));
        return Lost();
      case Op::kEnd:
        return absl::OkStatus();
      case Op::kCompact:
        compacted_ = version_;
        Write(op.object, true);
        compacted_ = version_;
        return Lost();
      case Op::kRefuse:
        refuse_ = op.object;
        return Lost();
      case Op::kRestore:
        Restore();
        return Lost();
      case Op::kLongGone:
        Restore();
        for (int i = 0; i < 20; ++i) Write(op.object, i % 2 == 0);
        refuse_ = 8;
        return Lost();
      case Op::kSilence:
        time_->Advance(request.silence);
        return absl::DeadlineExceededError("silence");
      case Op::kInternal:
        return Refused(500, "InternalError", "?");
      case Op::kTooMany:
        return Refused(429, "TooManyRequests", "?", "1");
      case Op::kDamage:
        sink("{\"type\":\"MODIFIED\",\"object\":{]}\n");
        return absl::CancelledError("sink");
      default:
        return sink(Bookmark(version_)) ? std::nullopt
                                        : std::optional(absl::CancelledError("sink"));
    }
  }

  struct Backup {
    int64_t version = 10;
    Objects objects;
    std::vector<Entry> log;
  };

  std::deque<Op> ops_;
  const bool streams_lists_;
  VirtualTime* const time_;
  int64_t version_ = 10;
  int64_t compacted_ = 0;
  int values_ = 0;
  int refuse_ = 0;
  Objects objects_;
  std::vector<Entry> log_;
  Backup backup_;
};

rc::Gen<Op> AnyOp() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 2 * static_cast<int>(Op::kKinds)), rc::gen::inRange(0, 5)),
      [](const std::pair<int, int>& drawn) {
        // Half of all are writes.
        const int kind = drawn.first < Op::kKinds ? drawn.first : drawn.first % 2;
        return Op{static_cast<Op::Kind>(kind), drawn.second};
      });
}

void CheckEndsEqual(bool streams_lists) {
  const auto ops = *rc::gen::container<std::vector<Op>>(AnyOp());
  VirtualTime time;
  FakeServer server(ops, streams_lists, &time);
  MapSink sink;
  Reflector reflector(&server, kPods, &sink, {.timing = time.timing()});
  reflector.Start();
  RC_ASSERT(server.script.AwaitIdle());
  const ReflectorState state = reflector.State();
  reflector.Stop();
  RC_ASSERT(sink.objects == server.Wanted());
  RC_ASSERT(state.synced);
  RC_ASSERT(state.objects == sink.objects.size());
}

RC_GTEST_PROP(ReflectorHistories, EndEqualWithStreamedLists, ()) {
  CheckEndsEqual(true);
}
RC_GTEST_PROP(ReflectorHistories, EndEqualWithPages, ()) {
  CheckEndsEqual(false);
}

}  // namespace
}  // namespace outrigger::kube
