// The text form of what is counted of a PodGroup.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/penalty/edges.h"
#include "penalty/policy/text.h"

namespace outrigger::penalty {
namespace {

constexpr int64_t kMostEpoch = 1'000'000'000;

constexpr std::array<std::pair<Stage, std::string_view>, 3> kStages = {
    {{Stage::kWaiting, "waiting"}, {Stage::kRunning, "started"}, {Stage::kCompleted, "completed"}}};

// "20 2026-11-25T21:49:49.123Z".
std::optional<Added> ParseAdded(std::string_view text) {
  const std::optional<double> penalty = NumberOf(TakeWord(&text));
  const std::optional<Millis> at = TimeOf(text);
  if (!penalty || *penalty < 0 || *penalty > kMostPenalty || !at) return std::nullopt;
  return Added{*penalty, *at};
}

std::optional<GroupState> Parsed(std::string_view text) {
  const std::optional<int64_t> epoch = IntegerOf(TakeWord(&text));
  if (!epoch || *epoch < 1 || *epoch > kMostEpoch) return std::nullopt;
  const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
  for (const auto& [stage, name] : kStages) {
    if (name != word) continue;
    GroupState state = {stage, *epoch, {}};
    if (text == name) return state;
    if (stage != Stage::kCompleted) return std::nullopt;
    const std::optional<Added> added = ParseAdded(text.substr(name.size() + 1));
    if (!added) return std::nullopt;
    state.completion = *added;
    return state;
  }
  return std::nullopt;
}

}  // namespace

bool HasMark(const GroupState& state) {
  return state.stage != Stage::kNew && state.epoch > 0;
}

std::string MarkText(const GroupState& state) {
  std::string text = fmt::format("{}", state.epoch);
  for (const auto& [stage, name] : kStages) {
    if (stage == state.stage) text += fmt::format(" {}", name);
  }
  if (state.completion == Added()) return text;
  return fmt::format("{} {} {}", text, state.completion.penalty, TimeText(state.completion.at));
}

absl::StatusOr<GroupState> ParseMark(std::string_view text) {
  const std::optional<GroupState> state = Parsed(text);
  if (state) return *state;
  return absl::InvalidArgumentError(
      fmt::format("annotation {}: {} is not accepted: the number of a run and \"waiting\", "
                  "\"started\" or \"completed\"",
                  kCountedAnnotation, Quoted(text)));
}

}  // namespace outrigger::penalty
