#include "console/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kTick{20};
constexpr int kNotRun = 127;

// Behind fork(): nothing that allocates or locks. A group of its own keeps Ctrl-C, which the
// terminal sends to all, for the parent, which stops its children in order.
[[noreturn]] void BecomeProgram(char* const* words, int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotRun);  // it died before that
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(words[0], words);
  ::_exit(kNotRun);
}

bool WaitFor(pid_t pid, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!HasEnded(pid)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kTick);
  }
  return true;
}

}  // namespace

absl::StatusOr<pid_t> StartChild(const std::vector<std::string>& words, int output) {
  if (::access(words[0].c_str(), X_OK) != 0) {
    return absl::UnavailableError(fmt::format("cannot run {}: {}", words[0], std::strerror(errno)));
  }
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) BecomeProgram(pointers.data(), output, parent);
  if (pid < 0) {
    return absl::UnavailableError(fmt::format("cannot run {}: {}", words[0], std::strerror(errno)));
  }
  return pid;
}

bool HasEnded(pid_t child) {
  return ::waitpid(child, nullptr, WNOHANG) != 0;
}

void EndChild(pid_t child) {
  ::kill(child, SIGTERM);
  if (WaitFor(child, kPatience)) return;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace outrigger::cli
