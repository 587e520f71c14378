#include "reports/explainer.h"

#include <utility>

namespace outrigger::gang {
void Explainer::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Explainer::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool Explainer::IsIdle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !job_ && !is_working_ && !explained_;
}

void Explainer::Begin(Job job) {
  if (!thread_.joinable()) {
    explained_ = Work(job, {});
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job_ = std::move(job);
  }
  wake_.notify_one();
}

std::optional<Explainer::Explained> Explainer::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(explained_, std::nullopt);
}

void Explainer::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return job_.has_value(); })) return;
      job = *std::exchange(job_, std::nullopt);
      is_working_ = true;
    }
    Explained explained = Work(job, stop);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_working_ = false;
      explained_ = std::move(explained);
    }
    if (changed_ && !stop.stop_requested()) changed_();
  }
}

Explainer::Explained Explainer::Work(const Job& job, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  plan::Shortfall shortfall =
      planner_.Explain(job.snapshot, job.units, job.index, job.options, stop);
  return {.gang = job.units[job.index].key,
          .word = job.word,
          .kept = job.kept,
          .text = std::move(shortfall.text),
          .took = std::chrono::steady_clock::now() - began};
}

}  // namespace outrigger::gang
