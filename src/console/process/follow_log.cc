#include "console/process/follow_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/clock.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

constexpr std::chrono::seconds kPause{1};

}  // namespace

std::string FollowLog::Line(const kube::ReflectorState* before, const kube::ReflectorState& now,
                            bool counts) {
  const bool failed = before != nullptr && !before->last_error.empty();
  const bool was_ready = before != nullptr && before->ready();
  if (!now.last_error.empty()) {
    if (failed && before->last_error == now.last_error) return "";
    return fmt::format("{}: cannot watch the API server, trying again: {}", now.resource,
                       now.last_error);
  }
  if (!now.unknown_versions.empty()) {
    if (before != nullptr && before->unknown_versions == now.unknown_versions) return "";
    return fmt::format("{}: served in version {}, which is not supported", now.resource,
                       now.unknown_versions);
  }
  const bool was_missing = was_ready && before->not_installed && before->unknown_versions.empty();
  if (now.not_installed && !was_missing) {
    return now.resource + ": not installed";
  }
  const bool came = now.ready() && was_ready && before->not_installed && !now.not_installed;
  if (came || (now.ready() && !was_ready))
    return counts ? fmt::format("{}: {} known", now.resource, now.objects) : "";
  if (now.ready() && failed) return fmt::format("{}: following again", now.resource);
  return "";
}

void FollowLog::Look() {
  std::vector<kube::ReflectorState> states = states_();
  for (const kube::ReflectorState& now : states) {
    // Custom kinds come and go: their places change.
    const auto before = std::find_if(
        said_.begin(), said_.end(),
        [&](const kube::ReflectorState& said) { return said.resource == now.resource; });
    const std::string line = Line(before == said_.end() ? nullptr : &*before, now, counts_);
    if (line.empty()) continue;
    spdlog::log(now.last_error.empty() ? spdlog::level::info : spdlog::level::warn, "{}", line);
  }
  said_ = std::move(states);
}

void FollowLog::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Look();
      SleepFor(kPause, stop);
    }
  });
}

void FollowLog::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

}  // namespace outrigger::cli
