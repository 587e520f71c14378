#include "original/original.h"

#include <algorithm>
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
constexpr std::string_view kAll = "all";  // in the place of a node

std::string NodeKey(std::string_view node) {
  return fmt::format("{}{}", kNodesPrefix, node);
}
std::string TypeKey(std::string_view type, std::string_view node) {
  return fmt::format("{}{}/{}", kPodsPrefix, type, node);
}

// The type and the node of a key "/pods/<type>/<node>".
std::pair<std::string_view, std::string_view> TypeAndNode(std::string_view key) {
  key.remove_prefix(kPodsPrefix.size());
  const size_t slash = key.rfind('/');
  if (slash == std::string_view::npos) return {key, {}};
  return {key.substr(0, slash), key.substr(slash + 1)};
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

int64_t OriginalScore(const OriginalStore& store, std::string_view type, std::string_view node,
                      int64_t missing) {
  const auto found = store.find(TypeKey(type, node));
  if (found == store.end()) return missing;
  const std::optional<double> value = Parse(found->second);
  return value ? Truncated(*value * 10) : 0;
}

bool KnowsType(const OriginalStore& store, std::string_view type) {
  const std::string prefix = TypeKey(type, "");
  const auto found = store.lower_bound(prefix);
  return found != store.end() && found->first.starts_with(prefix);
}

std::vector<std::string> TypesOf(const OriginalStore& store) {
  OriginalMonitor::Names types;
  for (auto at = store.lower_bound(kPodsPrefix); at != store.end(); ++at) {
    if (!at->first.starts_with(kPodsPrefix)) break;
    types.emplace(TypeAndNode(at->first).first);
  }
  return {types.begin(), types.end()};
}

void OriginalMonitor::Begin(OriginalStore store, std::span<const std::string> nodes,
                            std::span<const std::string> types, Writes* writes) {
  store_ = std::move(store);
  refused_ = 0;
  values_.clear();
  for (const auto& [key, text] : store_) values_[key] = Parse(text).value_or(0);
  nodes_.clear();
  types_.clear();
  for (const std::string& node : nodes) AddNode(node, writes);
  for (const std::string& type : types) {
    if (!type.empty() && !types_.contains(type)) AddType(type, writes);
  }
}

void OriginalMonitor::OnPod(const Pod& pod, Writes* writes) {
  const std::string type(TypeOf(pod));
  const OriginalReward reward = OriginalRewardOf(pod);
  if (type.empty() || !reward.counts) return;
  AddNode(pod.node_name, writes);
  Update(NodeKey(pod.node_name), reward.value, writes);
  if (!types_.contains(type) && !AddType(type, writes)) return;
  Update(TypeKey(type, pod.node_name), reward.value, writes);
  Update(TypeKey(type, kAll), reward.value, writes);
}

// A type that becomes known has all nodes at 1; a node that becomes known later starts at 0 there.
bool OriginalMonitor::AddType(const std::string& type, Writes* writes) {
  if (!HasRoomForType(type)) {
    ++refused_;
    return false;
  }
  types_.insert(type);
  const auto add = [&](const std::string& key) {
    if (!values_.contains(key)) Write(key, 1, writes);
  };
  add(TypeKey(type, kAll));
  for (const std::string& node : nodes_) add(TypeKey(type, node));
  return true;
}

bool OriginalMonitor::HasRoomForType(const std::string& type) const {
  if (store_.size() + nodes_.size() < most_keys_) return true;
  if (!values_.contains(TypeKey(type, kAll))) return false;
  const auto missing = std::ranges::count_if(
      nodes_, [&](const std::string& node) { return !values_.contains(TypeKey(type, node)); });
  return store_.size() + static_cast<size_t>(missing) <= most_keys_;
}

void OriginalMonitor::AddNode(const std::string& node, Writes* writes) {
  if (nodes_.contains(node)) return;
  if (!values_.contains(NodeKey(node))) Write(NodeKey(node), 1, writes);
  if (values_.contains(NodeKey(node))) nodes_.insert(node);
}

void OriginalMonitor::KeepOnly(const Names& types, const Names& nodes) {
  const auto is_gone = [&](const auto& entry) {
    const std::string_view key = entry.first;
    if (!key.starts_with(kPodsPrefix)) return !nodes.contains(key.substr(kNodesPrefix.size()));
    const auto [type, node] = TypeAndNode(key);
    return !types.contains(type) || (node != kAll && !nodes.contains(node));
  };
  std::erase_if(store_, is_gone);
  std::erase_if(values_, is_gone);
  std::erase_if(nodes_, [&](const std::string& node) { return !nodes.contains(node); });
  std::erase_if(types_, [&](const std::string& type) { return !types.contains(type); });
  refused_ = 0;
}

double OriginalMonitor::Read(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : found->second;
}

void OriginalMonitor::Update(const std::string& key, double reward, Writes* writes) {
  Write(key, kKept * Read(key) + (1 - kKept) * reward, writes);
}

void OriginalMonitor::Write(const std::string& key, double value, Writes* writes) {
  if (store_.size() >= most_keys_ && !store_.contains(key)) {
    ++refused_;
    return;
  }
  values_[key] = value;
  std::string text = fmt::format("{:f}", value);
  if (writes != nullptr) writes->emplace_back(key, text);
  store_[key] = std::move(text);
}

}  // namespace outrigger::reward
