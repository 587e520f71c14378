#include "node_account.h"

#include <algorithm>
#include <tuple>

namespace outrigger::safe {
namespace {

auto KeyOf(const PodView& pod) {
  return std::tuple(pod.Namespace(), pod.Name());
}

// Since when a pod uses its node. A time that lies in the future is another clock's: then it came
// just now.
double BeginOf(const PodView& pod, double now) {
  if (pod.IsAssumed()) return Stay::kNever;
  for (const int64_t time : {pod.StartTime(), pod.ScheduledTime()}) {
    const auto begin = static_cast<double>(time);
    if (time > 0 && begin <= now) return begin;
  }
  const bool in_future = pod.StartTime() > 0 || pod.ScheduledTime() > 0;
  return in_future ? now : std::min(static_cast<double>(pod.CreationTime()), now);
}

double EndOf(const PodView& pod, const NodeAccount::Moment& at) {
  const auto end = static_cast<double>(pod.EndTime());
  return end > 0 ? std::min(end, at.now) : at.changed;
}

// The two in one that lasts from the begin of the first to the end of the last, and has used as
// much in sum.
Stay Joined(const Stay& a, const Stay& b) {
  Stay both{.begin = std::min(a.begin, b.begin), .end = std::max(a.end, b.end)};
  const double length = both.end - both.begin;
  if (length <= 0) return both;
  for (size_t i = 0; i < both.expected.size(); ++i) {
    both.expected[i] = (a.expected[i] * std::max(a.end - a.begin, 0.0) +
                        b.expected[i] * std::max(b.end - b.begin, 0.0)) /
                       length;
  }
  return both;
}

}  // namespace

// What a node requests in sum lies in its state, of which there is one for each state of the node
// and its pods.
bool IsSameState(const NodeView& a, const NodeView& b) {
  return &a.Requested() == &b.Requested();
}

void NodeAccount::Update(const NodeView& node, const Moment& at) {
  const std::optional<NodeView> before = node_;
  if (before && IsSameState(*before, node)) return;
  node_ = node;
  if (!before || before->node().revision != node.node().revision) ReadNode(at);
  if (before) FindGone(before->Pods(), node.Pods(), at);
  FindYoung(node.Pods(), at);
  Settle();
}

void NodeAccount::AddFinished(const PodView& pod, const Moment& at) {
  AddGone(pod, at);
  Settle();
}

void NodeAccount::ReadNode(const Moment& at) {
  const Node& node = node_->node();
  std::string statistics = StatisticsText(node);
  if (changed_ == 0 || statistics != statistics_) {
    statistics_ = std::move(statistics);
    changed_ = at.changed;
    read_ = at.now;
  }
  const auto stated = ParseMeasured(node.annotations.Get(kMeasuredAnnotation));
  const Window measured{.end = stated ? std::min(stated->end, read_) : changed_,
                        .length = stated ? stated->length : at.window};
  if (measured == measured_) return;
  measured_ = measured;
  ++version_;
}

// Both are sorted in the same way.
void NodeAccount::FindGone(const PodRange& before, const PodRange& after, const Moment& at) {
  size_t j = 0;
  for (const PodView pod : before) {
    while (j < after.size() && KeyOf(after[j]) < KeyOf(pod)) ++j;
    const bool stays = j < after.size() && KeyOf(after[j]) == KeyOf(pod) &&
                       (after[j] == pod || after[j].Uid() == pod.Uid());
    if (!stays) AddGone(pod, at);
  }
}

void NodeAccount::AddGone(const PodView& pod, const Moment& at) {
  if (pod.IsAssumed()) return;  // it never came
  const auto last = at.snapshot.FindPod(pod.Namespace(), pod.Name());
  const bool is_known = last.has_value() && last->Uid() == pod.Uid();
  Stay stay{.begin = BeginOf(is_known ? *last : pod, at.now),
            .end = is_known ? EndOf(*last, at) : at.changed};
  if (IsPast(measured_, stay)) return;
  stay.expected = ExpectedUse(pod, at.estimate);
  Keep(stay);
}

void NodeAccount::Keep(const Stay& gone) {
  const auto place = std::upper_bound(gone_.begin(), gone_.end(), gone,
                                      [](const Stay& a, const Stay& b) { return a.end < b.end; });
  gone_.insert(place, gone);
  if (gone_.size() > kMostGone) JoinTwo();
}

// Those that are shortest together: what is held stays as exact as it can be.
void NodeAccount::JoinTwo() {
  const auto length = [&](size_t i) {
    return gone_[i + 1].end - std::min(gone_[i].begin, gone_[i + 1].begin);
  };
  size_t best = 0;
  for (size_t i = 1; i + 1 < gone_.size(); ++i) {
    if (length(i) < length(best)) best = i;
  }
  gone_[best] = Joined(gone_[best], gone_[best + 1]);
  gone_.erase(gone_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

void NodeAccount::FindYoung(const PodRange& pods, const Moment& at) {
  std::vector<Young> young;
  size_t known = 0;
  for (const PodView pod : pods) {
    Stay stay{.begin = BeginOf(pod, at.now)};
    if (IsPast(measured_, stay)) continue;
    while (known < young_.size() && KeyOf(young_[known].pod) < KeyOf(pod)) ++known;
    if (known < young_.size() && young_[known].pod == pod) {
      stay = young_[known].stay;  // with the use that was worked out, and when it came
    } else {
      stay.expected = ExpectedUse(pod, at.estimate);
    }
    young.push_back({pod, stay});
  }
  young_ = std::move(young);
}

void NodeAccount::Settle() {
  std::erase_if(gone_, [this](const Stay& stay) { return IsPast(measured_, stay); });
  Amounts correction = Correction(measured_, gone_);
  for (const Young& young : young_) {
    const Amounts more = Correction(measured_, {&young.stay, 1});
    for (size_t i = 0; i < correction.size(); ++i) correction[i] += more[i];
  }
  if (correction == correction_) return;
  correction_ = correction;
  ++version_;
}

}  // namespace outrigger::safe
