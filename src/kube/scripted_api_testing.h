#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kube/api.h"

namespace outrigger::kube {

/// What a call asked for.
struct SeenRequest {
  std::string path;
  std::map<std::string, std::string> query;
  std::chrono::milliseconds silence;
  std::string accept = {};

  bool is_watch() const { return query.contains("watch"); }
  bool is_watch_list() const { return query.contains("sendInitialEvents"); }
  std::string Query(const std::string& key) const {
    const auto found = query.find(key);
    return found == query.end() ? "-" : found->second;
  }
};

/// Answers one call after the other as a test says, and holds back the one for which there is no
/// answer any more, until it is stopped. Thread-safe.
class ScriptedApi final : public Api {
 public:
  using Step = std::function<absl::Status(const ApiRequest& request, ByteSink sink)>;

  ScriptedApi& Add(Step step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    return *this;
  }
  /// The body in pieces, then the end.
  ScriptedApi& Answer(std::vector<std::string> pieces, absl::Status end = absl::OkStatus()) {
    return Add([pieces = std::move(pieces), end = std::move(end)](const ApiRequest&,
                                                                  ByteSink sink) -> absl::Status {
      for (const std::string& piece : pieces) {
        if (!sink(piece)) return absl::CancelledError("the sink has had enough");
      }
      return end;
    });
  }
  ScriptedApi& Fail(absl::Status error) { return Answer({}, std::move(error)); }

  /// A stream whose head comes, and then nothing until it is stopped. The last step.
  ScriptedApi& AddQuiet() {
    return Add([this](const ApiRequest& request, ByteSink) -> absl::Status {
      if (request.on_head) request.on_head();
      return Hold(request);
    });
  }

  absl::StatusOr<ApiResponse> Call(const ApiRequest&) override {
    return absl::UnimplementedError("not for reflectors");
  }

  absl::Status Stream(const ApiRequest& request, ByteSink sink) override {
    Step step;
    {
      const std::lock_guard lock(mutex_);
      SeenRequest seen{request.path, {}, request.silence, std::string(request.accept)};
      for (const auto& [key, value] : request.query) seen.query[key] = value;
      seen_.push_back(std::move(seen));
      if (!steps_.empty()) {
        step = std::move(steps_.front());
        steps_.pop_front();
      }
    }
    return step ? step(request, sink) : Hold(request);
  }

  /// Until a call is held back; false if none is after two minutes.
  bool AwaitIdle() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [this] { return idle_; });
  }
  std::vector<SeenRequest> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  absl::Status Hold(const ApiRequest& request) {
    std::unique_lock lock(mutex_);
    idle_ = true;
    changed_.notify_all();
    std::stop_token stop = request.stop;
    changed_.wait(lock, stop, [] { return false; });
    return absl::CancelledError("stopped");
  }

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Step> steps_;
  std::vector<SeenRequest> seen_;
  bool idle_ = false;
};

}  // namespace outrigger::kube
