#include "original/original.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include "fmt/format.h"
#include "pods/pod_type.h"

namespace outrigger::reward {
namespace {

constexpr double kKept = 0.9;
constexpr int64_t kLongEnough = 600;

std::string NodeKey(std::string_view node) {
  return fmt::format("/nodes/{}", node);
}
std::string TypeKey(std::string_view type, std::string_view node) {
  return fmt::format("/pods/{}/{}", type, node);
}

// A decimal number as Go's ParseFloat reads it.
std::optional<double> Parse(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What Go's conversion gives on amd64, also where the value is none of an integer.
int64_t Truncated(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t SecondOfMinute(int64_t time) {
  const int64_t second = time % 60;
  return second < 0 ? second + 60 : second;
}

// One container's share; it sees what those before it left.
void Take(const ContainerState& state, OriginalReward* reward) {
  if (state.end) {
    reward->counts = true;
    reward->value = 0.5;
    if (state.last_end) {
      const int64_t gap =
          SecondOfMinute(state.end->started) - SecondOfMinute(state.last_end->finished);
      reward->value = gap > kLongEnough ? 0.5 : 0;
    }
    return;
  }
  if (state.running_since != 0 && !state.last_end) return;
  reward->counts = false;
}

}  // namespace

OriginalReward OriginalRewardOf(const Pod& pod) {
  if (pod.phase == "Failed" || pod.phase == "Unknown") return {true, 0};
  if (pod.phase != "Running") return {};
  OriginalReward reward{true, 1};
  for (const ContainerState& state : pod.container_states) {
    if (!state.init) Take(state, &reward);
  }
  return reward;
}

int64_t OriginalScore(const OriginalStore& store, std::string_view type, std::string_view node) {
  const auto found = store.find(TypeKey(type, node));
  if (found == store.end()) return 0;
  const std::optional<double> value = Parse(found->second);
  return value ? Truncated(*value * 10) : 0;
}

void OriginalMonitor::Begin(OriginalStore store, std::span<const std::string> nodes,
                            std::span<const std::string> types, Writes* writes) {
  store_ = std::move(store);
  values_.clear();
  for (const auto& [key, text] : store_) values_[key] = Parse(text).value_or(0);
  nodes_ = {nodes.begin(), nodes.end()};
  types_.clear();
  for (const std::string& node : nodes_) {
    if (!values_.contains(NodeKey(node))) Write(NodeKey(node), 1, writes);
  }
  for (const std::string& type : types) {
    if (!type.empty() && !types_.contains(type)) AddType(type, writes);
  }
}

void OriginalMonitor::OnPod(const Pod& pod, Writes* writes) {
  const std::string type(TypeOf(pod));
  const OriginalReward reward = OriginalRewardOf(pod);
  if (type.empty() || !reward.counts) return;
  if (nodes_.insert(pod.node_name).second && !values_.contains(NodeKey(pod.node_name))) {
    Write(NodeKey(pod.node_name), 1, writes);
  }
  Update(NodeKey(pod.node_name), reward.value, writes);
  if (!types_.contains(type)) AddType(type, writes);
  Update(TypeKey(type, pod.node_name), reward.value, writes);
  Update(TypeKey(type, "all"), reward.value, writes);
}

// A type that becomes known has all nodes at 1; a node that becomes known later starts at 0 there.
void OriginalMonitor::AddType(const std::string& type, Writes* writes) {
  types_.insert(type);
  const auto add = [&](const std::string& key) {
    if (!values_.contains(key)) Write(key, 1, writes);
  };
  add(TypeKey(type, "all"));
  for (const std::string& node : nodes_) add(TypeKey(type, node));
}

double OriginalMonitor::Read(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : found->second;
}

void OriginalMonitor::Update(const std::string& key, double reward, Writes* writes) {
  Write(key, kKept * Read(key) + (1 - kKept) * reward, writes);
}

void OriginalMonitor::Write(const std::string& key, double value, Writes* writes) {
  values_[key] = value;
  std::string text = fmt::format("{:f}", value);
  if (writes != nullptr) writes->emplace_back(key, text);
  store_[key] = std::move(text);
}

}  // namespace outrigger::reward
