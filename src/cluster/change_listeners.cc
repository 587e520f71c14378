#include "cluster/change_listeners.h"

#include <condition_variable>
#include <utility>
#include <vector>

#include "outrigger/base/mutex.h"

namespace outrigger::cluster {

class ChangeListeners::State {
 public:
  struct Listener {
    std::function<void()> changed;
    ChangeScope scope = ChangeScope::kAllButGroupStatus;
    int calls = 0;  // under way
    bool ended = false;
  };

  void Add(std::shared_ptr<Listener> listener) {
    const MutexLock lock(mutex_);
    listeners_.push_back(std::move(listener));
  }

  void End(const std::shared_ptr<Listener>& listener) {
    MutexLock lock(mutex_);
    listener->ended = true;
    std::erase(listeners_, listener);
    call_ended_.wait(lock, [&] { return listener->calls == 0; });
  }

  void Notify(ChangeScope scope) {
    MutexLock lock(mutex_);
    // A copy, since listeners come and go during the calls.
    const std::vector<std::shared_ptr<Listener>> listeners = listeners_;
    for (const std::shared_ptr<Listener>& listener : listeners) {
      if (listener->ended || listener->scope < scope) continue;
      ++listener->calls;
      lock.unlock();
      listener->changed();
      lock.lock();
      if (--listener->calls == 0) call_ended_.notify_all();
    }
  }

 private:
  Mutex mutex_;  // not held while a listener is called
  std::condition_variable_any call_ended_;
  std::vector<std::shared_ptr<Listener>> listeners_ ABSL_GUARDED_BY(mutex_);
};

ChangeListeners::ChangeListeners() : state_(std::make_shared<State>()) {}
ChangeListeners::~ChangeListeners() = default;

Subscription ChangeListeners::Add(std::function<void()> changed, ChangeScope scope) {
  auto listener = std::make_shared<State::Listener>(
      State::Listener{.changed = std::move(changed), .scope = scope});
  state_->Add(listener);
  return Subscription([state = state_, listener] { state->End(listener); });
}

void ChangeListeners::Notify() {
  state_->Notify(ChangeScope::kAllButGroupStatus);
}

void ChangeListeners::NotifyOfStatus() {
  state_->Notify(ChangeScope::kAll);
}

void ChangeListeners::NotifyOfState() {
  state_->Notify(ChangeScope::kAllAndStates);
}

}  // namespace outrigger::cluster
