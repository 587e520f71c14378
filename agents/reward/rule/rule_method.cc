#include "rule/rule_method.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "pods/pod_type.h"
#include "rule/state_text.h"

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
  std::unique_lock<Mutex> lock(mutex_, std::defer_lock);
  if (known == nullptr) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return known;
  }
  mutex_.AssertHeld();
  const bool is_same = known != nullptr && known->revision == experience_.Revision(type) &&
                       now >= known->at && now < known->at + kDecays;
  if (is_same) return known;
  std::shared_ptr<const TypeScores> made = MakeScores(experience_, type, now);
  lock.unlock();
  Remember(type, made);
  return made;
}

std::shared_ptr<const TypeScores> Scoreboard::Remembered(std::string_view type) const {
  const MutexLock lock(remembered_mutex_);
  const auto found = remembered_.find(type);
  return found == remembered_.end() ? nullptr : found->second;
}

void Scoreboard::Remember(std::string_view type, std::shared_ptr<const TypeScores> scores) const {
  const MutexLock lock(remembered_mutex_);
  if (remembered_.size() >= kRememberedTypes && !remembered_.contains(type)) {
    remembered_.erase(std::ranges::min_element(remembered_, {},
                                               [](const auto& entry) { return entry.second->at; }));
  }
  remembered_[std::string(type)] = std::move(scores);
}

void Scoreboard::Replace(Experience experience) {
  {
    const MutexLock lock(mutex_);
    std::swap(experience_, experience);
  }
  // What was there goes without the lock. Revisions of the two have nothing in common.
  const MutexLock lock(remembered_mutex_);
  remembered_.clear();
}

void Scoreboard::Use(absl::FunctionRef<void(Experience* experience)> use) {
  const MutexLock lock(mutex_);
  use(&experience_);
}

void Scoreboard::Read(absl::FunctionRef<void(const Experience& experience)> read) const {
  const MutexLock lock(mutex_);
  read(experience_);
}

namespace {

constexpr Seconds kHour = 3600;
// The clock of the day went by so many seconds more, or less, than the other one: it was set.
constexpr Seconds kJump = 60;
// Changes that are made at once, while calls of the scheduler wait.
constexpr size_t kAtOnce = 1000;

std::vector<std::string> TextsOf(const StateRead& read) {
  std::vector<std::string> texts;
  for (const StateFinding& finding : read.findings) {
    texts.push_back(finding.line == 0 ? finding.text
                                      : fmt::format("line {}: {}", finding.line, finding.text));
  }
  const auto shown = static_cast<int64_t>(read.findings.size());
  if (read.unusable > shown) {
    texts.push_back(fmt::format("{} further lines cannot be used", read.unusable - shown));
  }
  return texts;
}

size_t FailuresSince(Seconds since, const Experience::Pair& pair) {
  return static_cast<size_t>(
      std::ranges::count_if(pair.failed_at, [since](Seconds at) { return at >= since; }));
}

// "3 failures of type D here in the last hour", "type D failed here last 5 h ago".
std::string FailuresText(std::string_view type, const Experience::Pair& pair, Seconds now) {
  const size_t recent = FailuresSince(now - kHour, pair);
  if (recent > 0) {
    return fmt::format("{}{} failure{} of type {} here in the last hour",
                       recent == Experience::kRemembered ? "at least " : "", recent,
                       recent == 1 ? "" : "s", type);
  }
  if (pair.failed_at.empty()) return fmt::format("failures of type {} here", type);
  return fmt::format("last failure of type {} here {} h ago", type,
                     (now - pair.failed_at.front()) / kHour);
}

std::string WhyText(std::string_view type, const TypeScores& known, const TypeScores::Node& node,
                    const Rule& rule, Seconds now) {
  const Sums elsewhere = {std::max(0.0, known.all.successes - node.pair.sums.successes),
                          std::max(0.0, known.all.failures - node.pair.sums.failures)};
  return fmt::format("{}, value {:.2f} against {:.2f} elsewhere",
                     FailuresText(type, node.pair, now), node.value, MeanOf(elsewhere, rule));
}

uint64_t NextSeed() {
  static std::atomic<uint64_t> next{std::random_device()()};
  return next.fetch_add(0x9e3779b97f4a7c15);
}

void AddTo(Experience* experience, std::string_view type, std::string_view node,
           const Outcome& outcome) {
  if (outcome.IsFailure()) {
    experience->AddFailure(type, node, outcome.ran, outcome.at);
  } else if (outcome.kind == Outcome::Kind::kRunning) {
    experience->AddRunning(type, node, outcome.periods, outcome.at);
  } else {
    experience->AddSuccess(type, node, outcome.at);
  }
}

PodNow PodNowOf(const Pod& pod) {
  return {.uid = pod.uid,
          .phase = pod.phase,
          .status_reason = pod.status_reason,
          .being_deleted = pod.being_deleted,
          .start_time = pod.start_time,
          .containers = pod.container_states};
}

}  // namespace

RuleMethod::RuleMethod(const Rule& rule, PodFilter filter, bool draws)
    : rule_(rule), filter_(std::move(filter)), draws_(draws), board_(rule) {}

// ---- Counting ----

std::vector<std::string> RuleMethod::Begin(std::string_view text, Moment now) {
  StateRead read(rule_);
  if (!text.empty()) read = ReadState(text, now.wall, rule_);
  const bool is_known = read.state.time != 0;
  counted_until_ = read.state.time;
  paid_until_ = is_known ? read.state.time : CountedEnds::kNever;
  counted_ = std::move(read.state.counted);
  board_.Replace(std::move(read.state.experience));
  changes_.Reset();
  pods_.clear();
  due_ = {};
  last_ = now;
  is_first_ = true;
  return TextsOf(read);
}

std::vector<std::string> RuleMethod::Show(std::string_view text, Moment now) {
  StateRead read(rule_);
  if (!text.empty()) read = ReadState(text, now.wall, rule_);
  board_.Replace(std::move(read.state.experience));
  return TextsOf(read);
}

reward::Look RuleMethod::LookAt(Moment now) const {
  return {.now = now.wall, .mttf = rule_.mttf, .is_first = is_first_, .paid_until = paid_until_};
}

std::string RuleMethod::OnClock(Moment now) {
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now.steady - last_.steady);
  const Seconds jump = now.wall - last_.wall - passed.count();
  last_ = now;
  if (jump > -kJump && jump < kJump) return "";
  counted_.Shift(jump);
  board_.Use([jump](Experience* experience) { experience->Shift(jump); });
  const reward::Look look = LookAt(now);
  due_ = {};
  for (auto& [uid, pod] : pods_) {
    pod.history.SkipUntil(look);
    pod.due = pod.is_left ? 0 : pod.history.NextDue(look);
    if (pod.due != 0) due_.emplace(pod.due, uid);
  }
  if (!is_first_) counted_until_ = now.wall;
  return fmt::format("the clock was set by {} s: what was counted keeps its age", jump);
}

Progress RuleMethod::Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) {
  const std::string note = OnClock(now);
  const reward::Look look = LookAt(now);
  changes_.Next(
      std::move(snapshot), [&](const PodView& pod) { OnPod(pod, look); },
      [&](std::string_view uid) { pods_.erase(uid); });
  OnDue(look);
  is_first_ = false;
  Progress progress = Finish(now);
  progress.note = note;
  return progress;
}

Progress RuleMethod::Tick(Moment now) {
  const std::string note = OnClock(now);
  OnDue(LookAt(now));
  Progress progress = Finish(now);
  progress.note = note;
  return progress;
}

void RuleMethod::OnPod(const PodView& view, const reward::Look& look) {
  if (!filter_.MayTake(view)) return;
  const Pod pod = view.Unpack();
  const std::string_view type = TypeOf(pod);
  const bool is_taken = filter_.Takes(pod) && IsName(type) && IsName(pod.node_name);
  if (!is_taken && !pods_.contains(pod.uid)) return;
  KnownPod& known = pods_[pod.uid];
  // What happens while it is not taken counts for nothing, also when it is taken again.
  if (known.is_left) known.history.SkipUntil(look);
  known.history.OnPod(PodNowOf(pod), look, &counted_, &outcomes_);
  known.is_left = !is_taken;
  if (known.is_left) {
    outcomes_.clear();
    known.due = 0;
    return;
  }
  known.type = type;
  known.node = pod.node_name;
  Take(pod.uid, look, &known);
}

void RuleMethod::OnDue(const reward::Look& look) {
  while (!due_.empty() && due_.top().first <= look.now) {
    const auto [due, uid] = due_.top();
    due_.pop();
    const auto found = pods_.find(uid);
    if (found == pods_.end() || found->second.due != due) continue;
    found->second.due = 0;
    found->second.history.OnTime(look, &outcomes_);
    Take(uid, look, &found->second);
  }
}

// What a pod has brought, and when it will bring something without a change.
void RuleMethod::Take(const std::string& uid, const reward::Look& look, KnownPod* pod) {
  for (const Outcome& outcome : outcomes_) news_.push_back({pod->type, pod->node, outcome});
  outcomes_.clear();
  const Seconds due = pod->history.NextDue(look);
  if (due != 0 && due != pod->due) due_.emplace(due, uid);
  pod->due = due;
}

Progress RuleMethod::Finish(Moment now) {
  Progress progress;
  for (const PodOutcome& news : news_) {
    ++progress.outcomes[WordOf(news.outcome.kind)];
  }
  progress.has_changes = !news_.empty();
  for (size_t from = 0; from < news_.size(); from += kAtOnce) {
    board_.Use([&](Experience* experience) {
      const size_t end = std::min(news_.size(), from + kAtOnce);
      for (size_t i = from; i < end; ++i) {
        AddTo(experience, news_[i].type, news_[i].node, news_[i].outcome);
      }
    });
  }
  news_.clear();
  counted_until_ = now.wall;
  counted_.SetHorizon(now.wall - CountedEnds::kKept);
  if (!due_.empty()) progress.next = due_.top().first;
  return progress;
}

std::string RuleMethod::Text(size_t most_bytes, size_t* left_out) {
  Experience copy(rule_);
  board_.Use([&](Experience* experience) {
    experience->Forget(counted_until_);
    copy = *experience;
  });
  return WriteState(counted_until_, copy, counted_, most_bytes, left_out);
}

// ---- Scores ----

absl::Status RuleMethod::Score(const Request& request, Seconds now,
                               std::span<NodeScore> scores) const {
  const std::string_view type = TypeOf(request.pod);
  if (draws_) {
    Draw(request, type, now, scores);
    return absl::OkStatus();
  }
  const std::shared_ptr<const TypeScores> known = board_.ScoresOf(type, now);
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i].value = 1;
    if (known->nodes.empty() && !request.explaining) continue;
    const auto found = known->nodes.find(request.nodes[i].name);
    if (found != known->nodes.end()) {
      scores[i].value = found->second.score;
      if (request.explaining) scores[i].why = WhyText(type, *known, found->second, rule_, now);
    } else {
      scores[i].why = known->revision == 0
                          ? request.Why("nothing is known of type {}", type)
                          : request.Why("no failure of type {} here is known, {:.2f} of all nodes",
                                        type, known->mean);
    }
  }
  return absl::OkStatus();
}

void RuleMethod::Draw(const Request& request, std::string_view type, Seconds now,
                      std::span<NodeScore> scores) const {
  std::mt19937_64 random(NextSeed());
  board_.Read([&](const Experience& experience) {
    const double mean = MeanOf(experience.All(type, now), rule_);
    experience.AskAbout(type, now, [&](const auto& sums_of) {
      for (size_t i = 0; i < scores.size(); ++i) {
        const Sums here = sums_of(request.nodes[i].name);
        const double drawn = DrawValue(here, mean, rule_, &random);
        scores[i].value = ScoreOf(drawn, mean);
        scores[i].why = request.Why(
            "drawn {:.2f} for type {} here, {:.4g} successes and {:.4g} "
            "failures against {:.2f} of all nodes",
            drawn, type, here.successes, here.failures, mean);
      }
    });
  });
}

void RuleMethod::FillPage(Seconds now, PageTable* table) const {
  struct Row {
    std::string type, node;
    double value = 0;
    double score = 0;
    Experience::Pair pair;
  };
  std::vector<Row> rows;
  board_.Read([&](const Experience& experience) {
    rows.reserve(experience.pairs());
    experience.ForEachType(now, [&](const std::string& type, const Sums& all) {
      const double mean = MeanOf(all, rule_);
      experience.ForEachPairOf(type, now, [&](const std::string& node, Experience::Pair pair) {
        const double value = ValueOf(pair.sums, mean, rule_);
        rows.push_back({type, node, value, ScoreOf(value, mean), std::move(pair)});
      });
    });
  });
  // The worst first.
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    if (a.score != b.score) return a.score < b.score;
    return a.type != b.type ? a.type < b.type : a.node < b.node;
  });
  for (const Row& row : rows) {
    if (table->full()) {
      table->Count(1);
      continue;
    }
    PageCell last;
    if (!row.pair.failed_at.empty()) last = now - row.pair.failed_at.front();
    table->Add({row.type, row.node, row.score, row.value, row.pair.sums.successes,
                row.pair.sums.failures, static_cast<int64_t>(FailuresSince(now - kHour, row.pair)),
                last});
  }
}

size_t RuleMethod::Pairs() const {
  size_t pairs = 0;
  board_.Read([&](const Experience& experience) { pairs = experience.pairs(); });
  return pairs;
}

}  // namespace outrigger::reward
