#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fake_cluster.h"
#include "load/annotate/node_writer.h"
#include "load/annotate/value_source.h"

namespace outrigger::annotate {

/// A time that tests set.
class FakeTime {
 public:
  Clock clock() {
    Clock clock;
    clock.now = [this] { return now_; };
    return clock;
  }
  void Advance(std::chrono::milliseconds time) { now_ += time; }
  Clock::TimePoint now() const { return now_; }

 private:
  Clock::TimePoint now_{std::chrono::hours(1000)};
};

/// Writes into a FakeCluster, unless a test says otherwise.
class FakeWriter final : public NodeWriter {
 public:
  explicit FakeWriter(testing::FakeCluster* cluster = nullptr) : cluster_(cluster) {}

  absl::StatusOr<std::string> Write(std::string_view node, const NodeChange& change,
                                    std::stop_token /*stop*/) override {
    writes.emplace_back(node, change);
    if (!answers.empty()) {
      const absl::Status answer = answers.front();
      answers.erase(answers.begin());
      if (!answer.ok()) return answer;
    }
    if (cluster_ == nullptr) return std::to_string(++version_);
    const auto view = cluster_->Take();
    const auto there = view->snapshot->FindNode(node);
    if (!there) return absl::NotFoundError("no such node");
    Node changed = there->node();
    StringMap annotations;
    for (const auto& [key, text] : changed.annotations) {
      if (!change.contains(key)) annotations.Set(key, text);
    }
    for (const auto& [key, text] : change) {
      if (text) annotations.Set(key, *text);
    }
    changed.annotations = annotations;
    changed.resource_version = std::to_string(++version_);
    if (shows) cluster_->Put(changed);
    return changed.resource_version;
  }

  std::vector<std::pair<std::string, NodeChange>> writes;
  std::vector<absl::Status> answers;  // of the next calls; after that all go well
  bool shows = true;                  // the cluster shows what was written

 private:
  testing::FakeCluster* const cluster_;
  int version_ = 1000;
};

}  // namespace outrigger::annotate
