#include "cli/look/top_screen.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <thread>
#include <utility>

#include "cli/look/frame.h"
#include "cli/look/screen.h"
#include "console/process/stop_on_signals.h"
#include "outrigger/base/mutex.h"

namespace outrigger::cli::look {
namespace {

constexpr std::chrono::seconds kEvery{2};
// Ages on the screen grow meanwhile.
constexpr int kDrawEveryMs = 1'000;

/// Wakes a thread that polls its descriptor.
class Waker {
 public:
  Waker() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Waker() { close(fd_); }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  int fd() const { return fd_; }
  void Wake() { eventfd_write(fd_, 1); }
  void Clear() {
    eventfd_t count = 0;
    eventfd_read(fd_, &count);
  }

 private:
  int fd_;
};

/// What is read on one thread and drawn on another.
class Shared {
 public:
  explicit Shared(Readings readings) : readings_(std::move(readings)) {}
  Readings Get() {
    const MutexLock lock(mutex_);
    return readings_;
  }
  void Set(Readings readings) {
    const MutexLock lock(mutex_);
    readings_ = std::move(readings);
  }

 private:
  Mutex mutex_;
  Readings readings_ ABSL_GUARDED_BY(mutex_);
};

void Press(Key key, size_t page, View* view, bool* quits) {
  switch (key) {
    case Key::kQuit:
      *quits = true;
      break;
    case Key::kUp:
      view->scroll -= view->scroll > 0 ? 1 : 0;
      break;
    case Key::kDown:
      ++view->scroll;
      break;
    case Key::kPageUp:
      view->scroll -= std::min(view->scroll, page);
      break;
    case Key::kPageDown:
      view->scroll += page;
      break;
    case Key::kHome:
      view->scroll = 0;
      break;
    case Key::kEnd:
      view->scroll = INT32_MAX;  // Frame() goes no further than the list does
      break;
    case Key::kNodes:
      view->nodes = !view->nodes;
      view->scroll = 0;
      break;
  }
}

// The end of standard input is the end of the terminal.
std::vector<Key> ReadKeys() {
  std::array<char, 64> bytes{};
  const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count <= 0) return {Key::kQuit};
  return KeysIn({bytes.data(), static_cast<size_t>(count)});
}

void DrawUntilStopped(const TopScreen& top, const Clock& clock, const std::stop_token& stop,
                      Shared* shared, Waker* waker) {
  Screen screen(top.out);
  View view{.color = top.color};
  bool quits = false;
  while (!stop.stop_requested() && !quits) {
    const ScreenSize size = Screen::Size();
    view.width = size.width;
    view.height = size.height;
    view.now = clock.wall();
    const Drawn drawn = Frame(shared->Get(), view);
    view.scroll = drawn.scroll;
    screen.Draw(drawn.lines);
    if (!top.out->good()) return;
    std::array<pollfd, 2> fds = {{{waker->fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    poll(fds.data(), screen.has_keys() ? 2 : 1, kDrawEveryMs);
    waker->Clear();
    if (fds[1].revents == 0) continue;
    for (const Key key : ReadKeys()) Press(key, drawn.page, &view, &quits);
  }
}

}  // namespace

void ShowTop(TopScreen top, const Clock& clock) {
  Waker waker;
  StopOnSignals stops([&waker] { waker.Wake(); });
  const std::stop_callback wake_to_stop(stops.token(), [&waker] { waker.Wake(); });
  Shared shared(top.readings);
  std::thread reader([&] {
    Readings readings = top.readings;
    do {
      top.read(stops.token(), &readings);
      shared.Set(readings);
      waker.Wake();
    } while (clock.sleep(kEvery, stops.token()));
  });
  DrawUntilStopped(top, clock, stops.token(), &shared, &waker);
  stops.RequestStop();
  reader.join();
}

}  // namespace outrigger::cli::look
