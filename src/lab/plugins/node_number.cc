#include "lab/plugins/node_number.h"

#include "absl/strings/ascii.h"
#include "fmt/core.h"

namespace outrigger::lab {
namespace {

// The pod's digit as PreScore hands it on to Score; nothing in it: the name has none.
struct PodDigit {
  std::optional<int> digit;
};

std::optional<int> ReadPodDigit(CycleState& state, const Pod& pod) {
  state.Count("read the digit of the pod's name");
  return LastDigitOf(pod.name);
}

}  // namespace

std::optional<int> LastDigitOf(std::string_view name) {
  if (name.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(name.back()))) {
    return std::nullopt;
  }
  return name.back() - '0';
}

PluginStatus NodeNumber::PreScore(CycleState& state, const Pod& pod, const NodeList& /*nodes*/) {
  state.Write(kName, PodDigit{ReadPodDigit(state, pod)});
  return PluginStatus::Success();
}

absl::StatusOr<int64_t> NodeNumber::Score(CycleState& state, const Pod& pod, const Node& node) {
  const auto* prepared = state.Read<PodDigit>(kName);
  const std::optional<int> digit = prepared != nullptr ? prepared->digit : ReadPodDigit(state, pod);
  return digit.has_value() && digit == LastDigitOf(node.name) ? kSameDigit : 0;
}

PermitPlugin::Answer NodeNumber::Permit(CycleState& /*state*/, const Pod& pod,
                                        const std::string& node) {
  const int seconds = LastDigitOf(node).value_or(0);
  if (seconds == 0) return {PluginStatus::Success()};
  timers_->After(std::chrono::seconds(seconds), [waiting_pods = waiting_pods_, uid = pod.uid] {
    waiting_pods->Allow(uid, kName);
  });
  return {PluginStatus::Wait(fmt::format("wait {} s", seconds)), kPermitTimeout};
}

// It never rejects a pod; this is for a node whose Permit ran out of time.
std::vector<ClusterEvent> NodeNumber::EventsToRegister() const {
  return {{ClusterEvent::Resource::kNode, ClusterEvent::kAdd}};
}

}  // namespace outrigger::lab
