#include "original/original_method.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
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
  const std::string type(OriginalTypeOf(pod));
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

namespace {

constexpr std::string_view kOne = "1.000000";
constexpr size_t kLongestKey = 600;  // "/pods/", two names
constexpr size_t kLongestValue = 32;
constexpr std::string_view kAllNodes = "/all";
constexpr std::string_view kLacksOnes = "# values of 1.000000 are left out";
constexpr int64_t kBest = 10;
constexpr std::chrono::hours kRoomAgain{1};

bool IsKey(std::string_view key) {
  return key.size() <= kLongestKey &&
         (key.starts_with(kNodesPrefix) || key.starts_with(kPodsPrefix));
}

// Without it the type would not be known.
bool IsOfAllNodes(std::string_view key) {
  return key.starts_with(kPodsPrefix) && key.ends_with(kAllNodes);
}

std::vector<std::string> Findings(size_t unusable) {
  if (unusable == 0) return {};
  return {fmt::format("{} lines are no key and value of the original program", unusable)};
}

}  // namespace

std::string WriteOriginal(const OriginalStore& store, size_t most_bytes, size_t* left_out) {
  size_t whole = 0;
  for (const auto& [key, value] : store) whole += key.size() + value.size() + 2;
  const bool leaves_ones_out = whole > most_bytes;
  std::string text;
  if (leaves_ones_out) text = fmt::format("{}\n", kLacksOnes);
  size_t out = 0;
  for (const auto& [key, value] : store) {
    const bool has_room = text.size() + key.size() + value.size() + 2 <= most_bytes;
    if (!has_room || (leaves_ones_out && value == kOne && !IsOfAllNodes(key))) {
      ++out;
      continue;
    }
    text += key;
    text += ' ';
    text += value;
    text += '\n';
  }
  if (left_out != nullptr) *left_out = out;
  return text;
}

OriginalStore ReadOriginal(std::string_view text, size_t* unusable, bool* lacks_ones) {
  OriginalStore store;
  *unusable = 0;
  if (lacks_ones != nullptr) *lacks_ones = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line == kLacksOnes) {
      if (lacks_ones != nullptr) *lacks_ones = true;
      continue;
    }
    const size_t blank = line.find(' ');
    const std::string_view key = line.substr(0, blank);
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    const bool is_value = !value.empty() && value.size() <= kLongestValue;
    if (!IsKey(key) || !is_value) {
      ++*unusable;
      continue;
    }
    store[std::string(key)] = std::string(value);
  }
  return store;
}

std::vector<std::string> OriginalMethod::Begin(std::string_view text, Moment now) {
  std::vector<std::string> findings = Show(text, now);
  changes_.Reset();
  is_first_ = true;
  return findings;
}

std::vector<std::string> OriginalMethod::Show(std::string_view text, Moment /*now*/) {
  size_t unusable = 0;
  bool lacks_ones = false;
  OriginalStore store = ReadOriginal(text, &unusable, &lacks_ones);
  const MutexLock lock(mutex_);
  lacks_ones_ = lacks_ones;
  monitor_.Begin(std::move(store), {}, {});
  return Findings(unusable);
}

std::vector<Pod> OriginalMethod::PodsThatChanged(std::shared_ptr<const ClusterSnapshot> snapshot) {
  std::vector<Pod> pods;
  const auto add = [&](const PodView& view) {
    if (view.IsAssumed() || !filter_.IsInNamespace(view)) return;
    Pod pod = view.Unpack();
    if (filter_.Takes(pod)) pods.push_back(std::move(pod));
  };
  changes_.Next(std::move(snapshot), add, [](std::string_view /*uid*/) {});
  std::ranges::sort(pods, {}, [](const Pod& pod) { return std::pair(pod.namespace_, pod.name); });
  return pods;
}

Progress OriginalMethod::Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) {
  const ClusterSnapshot& seen = *snapshot;
  const std::vector<Pod> pods = PodsThatChanged(snapshot);
  Progress progress;
  const MutexLock lock(mutex_);
  if (is_first_) BeginMonitor(seen, pods);
  progress.has_changes = MakeRoom(seen, now) || is_first_;
  is_first_ = false;
  OriginalMonitor::Writes writes;
  for (const Pod& pod : pods) {
    const OriginalReward reward = OriginalRewardOf(pod);
    monitor_.OnPod(pod, &writes);
    if (reward.counts && reward.value < 1) ++progress.outcomes["original"];
  }
  progress.has_changes = progress.has_changes || !writes.empty();
  progress.note = Note();
  return progress;
}

bool OriginalMethod::MakeRoom(const ClusterSnapshot& snapshot, Moment now) {
  if (monitor_.refused() == 0) return false;
  if (room_made_ && now.steady - *room_made_ < kRoomAgain) return false;
  room_made_ = now.steady;
  OriginalMonitor::Names types;
  OriginalMonitor::Names nodes;
  snapshot.ForEachPod([&](const PodView& pod) { types.emplace(OriginalTypeOf(pod)); });
  snapshot.ForEachNode([&](const NodeView& node) { nodes.emplace(node.Name()); });
  monitor_.KeepOnly(types, nodes);
  return true;
}

std::string OriginalMethod::Note() {
  if (is_noted_ || monitor_.refused() == 0) return "";
  is_noted_ = true;
  return fmt::format(
      "there is no room for more than {} values of pod types by nodes: further types are not "
      "counted, and once an hour those without pods make room",
      monitor_.most_keys());
}

void OriginalMethod::BeginMonitor(const ClusterSnapshot& snapshot, const std::vector<Pod>& pods) {
  std::vector<std::string> nodes;
  snapshot.ForEachNode([&](const NodeView& node) { nodes.push_back(node.Name()); });
  OriginalMonitor::Names names;
  for (const Pod& pod : pods) names.emplace(OriginalTypeOf(pod));
  std::vector<std::string> types(names.begin(), names.end());
  // Where values of 1 were left out, they become 1 again.
  if (lacks_ones_) std::ranges::move(TypesOf(monitor_.store()), std::back_inserter(types));
  monitor_.Begin(monitor_.store(), nodes, types);
  lacks_ones_ = lacks_ones_ && monitor_.refused() > 0;
}

std::string OriginalMethod::Text(size_t most_bytes, size_t* left_out) {
  const MutexLock lock(mutex_);
  return WriteOriginal(monitor_.store(), most_bytes, left_out);
}

// The protocol has no more than 10 and no less than 0.
absl::Status OriginalMethod::Score(const Request& request, Seconds /*now*/,
                                   std::span<NodeScore> scores) const {
  const std::string_view type = OriginalTypeOf(request.pod);
  const MutexLock lock(mutex_);
  const OriginalStore& store = monitor_.store();
  const int64_t missing = lacks_ones_ && KnowsType(store, type) ? kBest : 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const int64_t score = OriginalScore(store, type, request.nodes[i].name, missing);
    scores[i].value = static_cast<double>(std::clamp<int64_t>(score, 0, kBest)) / kBest;
    scores[i].why = request.Why("score {} by the original's arithmetic of type {}", score, type);
  }
  return absl::OkStatus();
}

void OriginalMethod::FillPage(Seconds /*now*/, PageTable* table) const {
  const MutexLock lock(mutex_);
  for (const auto& [key, value] : monitor_.store()) {
    if (!key.starts_with(kPodsPrefix)) continue;
    const std::string_view rest = std::string_view(key).substr(kPodsPrefix.size());
    const size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view type = rest.substr(0, slash);
    const std::string_view node = rest.substr(slash + 1);
    const auto score = static_cast<double>(OriginalScore(monitor_.store(), type, node)) / 10;
    table->Add({{}, std::string(type), {}, std::string(node), score, {}, {}, {}, {}, {}});
  }
}

size_t OriginalMethod::Pairs() const {
  const MutexLock lock(mutex_);
  return monitor_.store().size();
}

}  // namespace outrigger::reward
