#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kube/api.h"
#include "kube/errors.h"

namespace outrigger::kube {

/// Answers the calls of each path one after the other as a test says, and holds back those for
/// which there is no answer yet. Thread-safe.
class ScriptedPaths final : public Api {
 public:
  /// The next call of `path` is answered with `body`, and then ends with `end`.
  void Answer(const std::string& path, std::string body, absl::Status end = absl::OkStatus()) {
    const std::lock_guard lock(mutex_);
    answers_[path].emplace_back(std::move(body), std::move(end));
    changed_.notify_all();
  }

  /// From now on calls, other than streams, of `path` are answered with `body`.
  void AnswerCalls(const std::string& path, absl::StatusOr<std::string> body) {
    const std::lock_guard lock(mutex_);
    calls_.insert_or_assign(path, std::move(body));
  }

  /// 404 where nothing else was set: a server without further API groups.
  absl::StatusOr<ApiResponse> Call(const ApiRequest& request) override {
    const std::lock_guard lock(mutex_);
    bodies_[request.path] = request.body;
    const auto found = calls_.find(request.path);
    if (found == calls_.end()) return ErrorOfAnswer(404, "404 page not found", "");
    if (!found->second.ok()) return found->second.status();
    return ApiResponse{200, *found->second};
  }

  absl::Status Stream(const ApiRequest& request, ByteSink sink) override {
    std::pair<std::string, absl::Status> answer;
    {
      std::unique_lock lock(mutex_);
      auto& answers = answers_[request.path];
      if (answers.empty()) ++waiting_;
      changed_.notify_all();
      const bool held = answers.empty();
      std::stop_token stop = request.stop;
      changed_.wait(lock, stop, [&] { return !answers.empty(); });
      if (held) --waiting_;
      if (answers.empty()) return absl::CancelledError("stopped");
      answer = std::move(answers.front());
      answers.pop_front();
    }
    if (!answer.first.empty() && !sink(answer.first)) return absl::CancelledError("enough");
    return answer.second;
  }

  /// The body of the last call of `path`; empty: there was none.
  std::string BodyOf(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return bodies_[path];
  }

  /// Until `calls` are held back and no answer is left; false if that is not so after two minutes.
  bool AwaitIdle(int calls) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [&] {
      for (const auto& [path, answers] : answers_) {
        if (!answers.empty()) return false;
      }
      return waiting_ == calls;
    });
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::map<std::string, std::deque<std::pair<std::string, absl::Status>>> answers_;
  std::map<std::string, absl::StatusOr<std::string>> calls_;
  std::map<std::string, std::string> bodies_;
  int waiting_ = 0;
};

}  // namespace outrigger::kube
