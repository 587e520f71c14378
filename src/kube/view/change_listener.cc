#include "kube/view/change_listener.h"

#include <utility>

namespace outrigger::kube {

void ChangeListener::Set(std::function<void()> changed) {
  std::shared_ptr<Listener> next;
  if (changed) next = std::make_shared<Listener>(Listener{std::move(changed)});
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<Listener> before = std::exchange(listener_, std::move(next));
  if (before != nullptr) ended_.wait(lock, [&] { return before->calls == 0; });
}

void ChangeListener::Tell() {
  std::shared_ptr<Listener> listener;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (listener_ == nullptr) return;
    listener = listener_;
    ++listener->calls;
  }
  listener->changed();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--listener->calls == 0) ended_.notify_all();
}

}  // namespace outrigger::kube
