#include "serve/engine/decision_log.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "serve/engine/text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

constexpr size_t kShownReasons = 3;
constexpr size_t kShownNodes = 5;

std::string PodForLog(std::string_view name_space, std::string_view name) {
  return ForLog(fmt::format("{}/{}", name_space, name));
}
std::string PodForLog(const Pod& pod) {
  return PodForLog(pod.namespace_, pod.name);
}

std::string CommonestReasons(const CallState& state) {
  absl::flat_hash_map<std::string_view, size_t> counts;
  for (const std::string& reason : state.reasons) {
    if (!reason.empty()) ++counts[reason];
  }
  std::vector<std::pair<std::string_view, size_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kShownReasons); ++i) {
    text += fmt::format("; {} x {}", sorted[i].second, ForLog(sorted[i].first));
  }
  if (sorted.size() > kShownReasons) {
    text += fmt::format("; {} more reasons", sorted.size() - kShownReasons);
  }
  return text;
}

}  // namespace

bool DecisionsAreLogged() {
  return spdlog::should_log(spdlog::level::debug);
}

void LogFilterDecision(const Endpoint& endpoint, const CallState& state) {
  const auto fits = std::count(state.kinds.begin(), state.kinds.end(), Verdict::Kind::kFits);
  spdlog::debug("{} pod={} {} of {} nodes fit{}", endpoint.path, PodForLog(state.args.pod), fits,
                state.kinds.size(), CommonestReasons(state));
}

void LogScoreDecision(const Endpoint& endpoint, const CallState& state) {
  std::vector<size_t> order(state.scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(order.size(), kShownNodes);
  const auto better = [&](size_t a, size_t b) { return state.sums[a] > state.sums[b]; };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    better);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const size_t at = order[i];
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", ForLog(state.nodes[at].node->name),
                        state.scores[at]);
    const std::string& why = state.node_scores[at].why.text();
    if (i == 0 && !why.empty()) text += fmt::format(" ({})", ForLog(why));
  }
  if (order.size() > shown) text += fmt::format(" and {} more", order.size() - shown);
  spdlog::debug("{} pod={} {}", endpoint.path, PodForLog(state.args.pod), text);
}

void LogBindDecision(const Endpoint& endpoint, const BindRequest& request,
                     std::string_view outcome) {
  spdlog::debug("{} pod={} node={} {}", endpoint.path,
                PodForLog(request.pod_namespace, request.pod_name), ForLog(request.node), outcome);
}

}  // namespace outrigger::engine
