#include "lag.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace outrigger::kube_follow {

void Lag::Stored(const cluster::PodRecord& pod) {
  const absl::Time now = absl::Now();
  const std::string_view text = pod.Annotation(annotation_);
  if (text.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  absl::Time sent;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(text.data(), text.size()), &sent,
                       &error)) {
    return;
  }
  // A second look at a record comes long after the first.
  auto& known = sent_[std::string(pod.uid())];
  if (sent <= known) return;
  known = sent;
  if (begun_) milliseconds_.push_back(absl::ToDoubleMilliseconds(now - sent));
}

void Lag::Begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  begun_ = true;
}

Lag::Figures Lag::Sum() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<double> all = milliseconds_;
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  const auto at = [&all](double share) {
    return all[static_cast<size_t>(share * static_cast<double>(all.size() - 1))];
  };
  return {at(0.5), at(0.99), all.size()};
}

}  // namespace outrigger::kube_follow
