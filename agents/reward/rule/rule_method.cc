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
  made->at = now;
  made->revision = experience.Revision(type);
  if (made->all.failures == 0) return made;
  experience.ForEachPairOf(type, now, [&](const std::string& node, Experience::Pair pair) {
    made->nodes[node] = std::move(pair);
  });
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

// "type web (namespace shop, image web:2)".
std::string Shown(std::string_view type) {
  const auto [namespace_, name, images] = PartsOf(type);
  return fmt::format("type {} (namespace {}, image {})", name, namespace_, images);
}

// "3 failures of type D here in the last hour", "last failure of type D here 5 h ago".
std::string FailuresText(std::string_view type, const Experience::Pair& pair, Seconds now) {
  const size_t recent = FailuresSince(now - kHour, pair);
  if (recent > 0) {
    return fmt::format("{}{} failure{} of {} here in the last hour",
                       recent == Experience::kRemembered ? "at least " : "", recent,
                       recent == 1 ? "" : "s", Shown(type));
  }
  if (!pair.failed_at.empty()) {
    return fmt::format("last failure of {} here {} h ago", Shown(type),
                       (now - pair.failed_at.front()) / kHour);
  }
  if (pair.sums.failures > 0) return fmt::format("failures of {} here", Shown(type));
  return fmt::format("no failure of {} here is known", Shown(type));
}

std::string PendingText(double pending) {
  return pending == 0 ? "" : fmt::format(", {} pods here without an outcome yet", pending);
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

RuleMethod::RuleMethod(const Rule& rule, PodFilter filter, bool draws, std::string type_label,
                       ClusterReader* cluster)
    : rule_(rule),
      filter_(std::move(filter)),
      draws_(draws),
      type_label_(std::move(type_label)),
      cluster_(cluster),
      board_(rule) {}

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
  std::string type = TypeOf(pod, type_label_);
  const bool is_taken = filter_.Takes(pod) && !type.empty() && IsName(pod.node_name);
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
  known.type = std::move(type);
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
  const std::string type = TypeOf(request.pod, type_label_);
  const std::shared_ptr<const TypeScores> known = board_.ScoresOf(type, now);
  if (known->nodes.empty()) {
    const std::string why = request.Why("no failure of {} is known", Shown(type));
    for (NodeScore& score : scores) score = {1, why};
    return absl::OkStatus();
  }
  const std::shared_ptr<const ClusterSnapshot> snapshot = Snapshot();
  const TypeParts parts = PartsOf(type);
  std::mt19937_64 random(draws_ ? NextSeed() : 0);
  const Experience::Pair nothing;
  for (size_t i = 0; i < scores.size(); ++i) {
    const std::string& node = request.nodes[i].name;
    const auto found = known->nodes.find(node);
    const Experience::Pair& here = found == known->nodes.end() ? nothing : found->second;
    const Elsewhere elsewhere = ElsewhereOf(known->all, here.sums);
    const double pending = PendingOn(snapshot.get(), node, parts, now);
    const double value = draws_ ? DrawValue(here.sums, pending, elsewhere, rule_, &random)
                                : ValueOf(here.sums, pending, elsewhere, rule_);
    scores[i].value = ScoreOf(value);
    if (!request.explaining) continue;
    scores[i].why =
        fmt::format("{}{}, {} {:.2f} (1: as good as elsewhere)", FailuresText(type, here, now),
                    PendingText(pending), draws_ ? "drawn" : "value", value);
  }
  return absl::OkStatus();
}

std::shared_ptr<const ClusterSnapshot> RuleMethod::Snapshot() const {
  if (cluster_ == nullptr) return nullptr;
  absl::StatusOr<ClusterView> view = cluster_->Take();
  return view.ok() ? std::move(view->snapshot) : nullptr;
}

double RuleMethod::PendingOn(const ClusterSnapshot* snapshot, std::string_view node,
                             const TypeParts& type, Seconds now) const {
  if (snapshot == nullptr) return 0;
  const auto since = now - static_cast<Seconds>(rule_.mttf);
  int pending = 0;
  for (const PodView pod : snapshot->PodsOn(node)) {
    if (!pod.IsAssumed() && pod.ScheduledTime() <= since) continue;
    if (IsNamesake(pod, type, type_label_)) ++pending;
  }
  return pending;
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
      experience.ForEachPairOf(type, now, [&](const std::string& node, Experience::Pair pair) {
        const Elsewhere elsewhere = ElsewhereOf(all, pair.sums);
        const double value = ValueOf(pair.sums, 0, elsewhere, rule_);
        rows.push_back({type, node, value, ScoreOf(value), std::move(pair)});
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
    const auto [namespace_, name, images] = PartsOf(row.type);
    table->Add({std::string(namespace_), std::string(name), std::string(images), row.node,
                row.score, row.value, row.pair.sums.successes, row.pair.sums.failures,
                static_cast<int64_t>(FailuresSince(now - kHour, row.pair)), last});
  }
}

size_t RuleMethod::Pairs() const {
  size_t pairs = 0;
  board_.Read([&](const Experience& experience) { pairs = experience.pairs(); });
  return pairs;
}

}  // namespace outrigger::reward
