// Why gangs wait: who is told of when, and in which words.
#include <algorithm>
#include <utility>

#include "common/desk_names.h"
#include "fmt/format.h"
#include "reports/reports.h"

namespace outrigger::gang {
namespace {

// The same again at most so often.
constexpr std::chrono::minutes kTellAgain{5};
// Of so many at most it is told at once, and of the next after a rest: pods of a tenant may name
// thousands of groups, and Events are written no faster.
constexpr size_t kTellAtOnce = 50;
constexpr std::chrono::seconds kTellRest{1};
// Explanations take a tenth of a core at most.
constexpr int kExplainShare = 10;

// What is done for a gang that waits.
std::string_view Kept(const plan::UnitKey& gang, const plan::PlanOptions& options) {
  if (options.promise && options.promise->unit == gang) {
    return "; others are evicted to make room for it";
  }
  const bool kept = options.reserve_for == gang && !options.kept.empty();
  return kept ? "; nodes are kept free for it" : "";
}

}  // namespace

std::optional<Time> Reports::DueSince(const plan::UnitKey& key, std::string_view word) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  if (found == gangs_.end()) return std::nullopt;
  const Gang& gang = found->second;
  if (!gang.told_at) return *gang.waiting_since + kTellAfter;
  return gang.told_word == word ? *gang.told_at + kTellAgain : *gang.told_at;
}

bool Reports::IsToTell(const plan::UnitKey& key, std::string_view word, Time now) const {
  const std::optional<Time> due = DueSince(key, word);
  return due && *due <= now;
}

// What is known without a search: why nothing is planned for a group, and what the scheduler said
// of gangs that rest, which are behind those that were planned.
std::vector<Reports::Known> Reports::KnownToTell(const Board& board, size_t planned,
                                                 Time now) const {
  std::vector<Known> known;
  const auto add = [&](const plan::UnitKey& key, std::string_view word, std::string_view text) {
    const std::optional<Time> due = DueSince(key, word);
    if (due && *due <= now) known.push_back({*due, &key, word, text});
  };
  for (const plan::GroupState& group : board.groups()) {
    if (Waits(group)) add(group.key, TextOf(group.cause), group.text);
  }
  for (size_t i = planned; i < board.units().size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (unit.gang) add(unit.key, unit.word, unit.word);
  }
  return known;
}

void Reports::TellKnown(const Board& board, size_t planned, Time now, FirstPods* pods) {
  if (next_telling_ && now < *next_telling_) return next_look_.Add(*next_telling_);
  std::vector<Known> known = KnownToTell(board, planned, now);
  if (known.size() > kTellAtOnce) {
    // In the order in which they became due: nobody's groups keep others from being told of.
    std::stable_sort(known.begin(), known.end(),
                     [](const Known& a, const Known& b) { return a.due < b.due; });
    known.resize(kTellAtOnce);
    next_telling_ = now + kTellRest;
    next_look_.Add(*next_telling_);
  }
  for (const Known& gang : known) TellWhy(pods, *gang.key, {gang.word, gang.text, ""}, now);
}

void Reports::TakeExplained(Explainer* explainer, const Board& board, FirstPods* pods, Time now) {
  const std::optional<Explainer::Explained> explained = explainer->Take();
  if (!explained) return;
  next_explanation_ = now + kExplainShare * explained->took;
  const BoardUnit* const unit = board.FindUnit(explained->gang);
  // What it lacked when that began: by now it may have its places.
  if (unit == nullptr || unit->fits || unit->word != explained->word) return;
  TellWhy(pods, explained->gang, {explained->word, explained->text, explained->kept}, now);
}

void Reports::Explain(Explainer* explainer, const std::shared_ptr<const ClusterSnapshot>& snapshot,
                      std::span<const plan::Unit> units, const plan::PlanOptions& options,
                      const Board& board, Time now) {
  FirstPods pods(board);
  TellKnown(board, units.size(), now, &pods);
  TakeExplained(explainer, board, &pods, now);
  for (size_t i = 0; i < units.size(); ++i) {
    const BoardUnit& unit = board.units()[i];
    if (!unit.gang || unit.fits) continue;
    if (next_explanation_ && now < *next_explanation_) return next_look_.Add(*next_explanation_);
    if (!IsToTell(unit.key, unit.word, now)) continue;
    if (!explainer->IsIdle()) return;  // when it is done there is another plan
    explainer->Begin({.snapshot = snapshot,
                      .units = {units.begin(), units.end()},
                      .index = i,
                      .options = options,
                      .word = unit.word,
                      .kept = std::string(Kept(unit.key, options))});
    TakeExplained(explainer, board, &pods, now);
  }
}

void Reports::TellWhy(FirstPods* pods, const plan::UnitKey& key, const Why& why, Time now) {
  std::string text;
  bool is_news = false;  // the log keeps what it was told once; Events expire
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Gang& gang = gangs_[key];
    gang.told_word = why.word;
    gang.told_at = now;
    gang.told_text = fmt::format("{}{}", why.text, gang.gave_up);
    text = fmt::format("gang {} waits: {}{}", TextOf(key), gang.told_text, why.kept);
    is_news = gang.logged != text;
    if (is_news) gang.logged = text;
  }
  if (is_news) log_(text);
  Tell(pods, key, "GangWaiting", std::move(text));
}

std::string Reports::WhyWaits(const plan::UnitKey& key, std::string_view word) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = gangs_.find(key);
  const bool is_told = found != gangs_.end() && found->second.told_word == word;
  return is_told ? found->second.told_text : std::string();
}

}  // namespace outrigger::gang
