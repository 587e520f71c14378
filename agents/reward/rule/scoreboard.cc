#include "rule/scoreboard.h"

#include <algorithm>
#include <utility>

namespace outrigger::reward {
namespace {

std::shared_ptr<const TypeScores> MakeScores(const Experience& experience, std::string_view type,
                                             Seconds now) {
  auto made = std::make_shared<TypeScores>();
  made->all = experience.All(type, now);
  made->mean = MeanOf(made->all, experience.rule());
  made->at = now;
  made->revision = experience.Revision(type);
  const std::vector<Experience::NodePair> failing = experience.Failing(type, now);
  made->nodes.reserve(failing.size());
  for (const auto& [node, pair] : failing) {
    const double value = ValueOf(pair.sums, made->mean, experience.rule());
    made->nodes[std::string(node)] = {ScoreOf(value, made->mean), value, pair};
  }
  return made;
}

}  // namespace

std::shared_ptr<const TypeScores> Scoreboard::ScoresOf(std::string_view type, Seconds now) const {
  std::shared_ptr<const TypeScores> known = Remembered(type);
  if (known != nullptr && now >= known->at && now < known->at + kFresh) return known;
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (known == nullptr) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return known;
  }
  const bool is_same = known != nullptr && known->revision == experience_.Revision(type) &&
                       now >= known->at && now < known->at + kDecays;
  if (is_same) return known;
  std::shared_ptr<const TypeScores> made = MakeScores(experience_, type, now);
  lock.unlock();
  Remember(type, made);
  return made;
}

std::shared_ptr<const TypeScores> Scoreboard::Remembered(std::string_view type) const {
  const std::lock_guard<std::mutex> lock(remembered_mutex_);
  const auto found = remembered_.find(type);
  return found == remembered_.end() ? nullptr : found->second;
}

void Scoreboard::Remember(std::string_view type, std::shared_ptr<const TypeScores> scores) const {
  const std::lock_guard<std::mutex> lock(remembered_mutex_);
  if (remembered_.size() >= kRememberedTypes && !remembered_.contains(type)) {
    remembered_.erase(std::ranges::min_element(remembered_, {},
                                               [](const auto& entry) { return entry.second->at; }));
  }
  remembered_[std::string(type)] = std::move(scores);
}

void Scoreboard::Replace(Experience experience) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(experience_, experience);
  }
  // What was there goes without the lock. Revisions of the two have nothing in common.
  const std::lock_guard<std::mutex> lock(remembered_mutex_);
  remembered_.clear();
}

void Scoreboard::Use(absl::FunctionRef<void(Experience* experience)> use) {
  const std::lock_guard<std::mutex> lock(mutex_);
  use(&experience_);
}

void Scoreboard::Read(absl::FunctionRef<void(const Experience& experience)> read) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  read(experience_);
}

}  // namespace outrigger::reward
