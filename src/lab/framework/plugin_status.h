#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace outrigger::lab {

/// What a plugin answers (kube-scheduler's framework.Status).
struct PluginStatus {
  enum class Code : uint8_t {
    kSuccess,
    kUnschedulable,  // an expected answer: this pod cannot go there now
    kWait,           // of Permit: not yet
    kSkip,           // this plugin has nothing to say about the pod
    kNotNeeded,      // of Bind: the pod needs no node of ours: it is gone, or others bound it
    kError,          // something broke; nothing is known about the pod
  };
  Code code = Code::kSuccess;
  /// Why, for readers of the pod's condition: "node(s) were unschedulable". Names no
  /// node: equal reasons are counted. Empty with kSuccess and kSkip.
  std::string reason = {};

  static PluginStatus Success() { return {}; }
  static PluginStatus Unschedulable(std::string reason) {
    return {Code::kUnschedulable, std::move(reason)};
  }
  static PluginStatus Wait(std::string reason) { return {Code::kWait, std::move(reason)}; }
  static PluginStatus Skip() { return {Code::kSkip}; }
  static PluginStatus NotNeeded(std::string reason) {
    return {Code::kNotNeeded, std::move(reason)};
  }
  static PluginStatus Error(std::string reason) { return {Code::kError, std::move(reason)}; }

  bool ok() const { return code == Code::kSuccess; }
  bool is_skip() const { return code == Code::kSkip; }
  bool is_wait() const { return code == Code::kWait; }
  bool is_not_needed() const { return code == Code::kNotNeeded; }
  bool is_unschedulable() const { return code == Code::kUnschedulable; }
  friend bool operator==(const PluginStatus&, const PluginStatus&) = default;
};

}  // namespace outrigger::lab
