#include "desk/leadership/term_writes.h"

#include <functional>
#include <memory>

namespace outrigger::desk {

// It is stopped by its caller, and with the term.
class TermWrites::Write {
 public:
  Write(TermWrites* all, const std::stop_token& caller, const std::stop_token& term)
      : all_(all),
        by_caller_(caller, [this] { stop_.request_stop(); }),
        by_term_(term, [this] { stop_.request_stop(); }) {
    const std::lock_guard<std::mutex> lock(all_->mutex_);
    ++all_->under_way_;
  }
  ~Write() {
    const std::lock_guard<std::mutex> lock(all_->mutex_);
    --all_->under_way_;
    all_->ended_.notify_all();
  }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  TermWrites* const all_;
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> by_caller_;
  const std::stop_callback<std::function<void()>> by_term_;
};

WritePermit TermWrites::Begin(const CallLimits& limits, const std::stop_token& term) {
  auto write = std::make_shared<Write>(this, limits.stop, term);
  return {.limits = {.timeout = limits.timeout, .stop = write->stop()}, .under_way = write};
}

void TermWrites::AwaitNone() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return under_way_ == 0; });
}

}  // namespace outrigger::desk
