#include "apiserver/commands/children.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "fmt/format.h"
#include "kube/config/process.h"

namespace outrigger::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kTick{20};
constexpr int kNotRun = 127;

// Behind fork(): nothing that allocates or locks. A group of its own keeps Ctrl-C, which the
// terminal sends to all, for the parent, which stops its children in order.
[[noreturn]] void BecomeProgram(char* const* words, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words);
  ::_exit(kNotRun);
}

bool WaitFor(pid_t pid, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (::waitpid(pid, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kTick);
  }
  return true;
}

}  // namespace

absl::Status Children::Start(const std::string& name, const std::vector<std::string>& words,
                             const std::string& log) {
  if (::access(words[0].c_str(), X_OK) != 0) {
    return absl::UnavailableError(
        fmt::format("{}: cannot run {}: {}", name, words[0], std::strerror(errno)));
  }
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::UnavailableError(fmt::format("cannot write {}: {}", log, std::strerror(errno)));
  }
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) BecomeProgram(pointers.data(), file);
  ::close(file);
  if (pid < 0) return absl::UnavailableError(fmt::format("{}: {}", name, std::strerror(errno)));
  children_.push_back({name, log, pid});
  return absl::OkStatus();
}

std::optional<Child> Children::Ended() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (::waitpid(child->pid, nullptr, WNOHANG) == 0) continue;
    Child ended = *child;
    children_.erase(child);
    return ended;
  }
  return std::nullopt;
}

void Children::Stop() {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
    ::kill(child->pid, SIGTERM);
    if (WaitFor(child->pid, kPatience)) continue;
    ::kill(child->pid, SIGKILL);
    ::waitpid(child->pid, nullptr, 0);
  }
  children_.clear();
}

absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& words) {
  kube::ProcessSpec spec;
  spec.path = words[0];
  spec.args.assign(words.begin() + 1, words.end());
  absl::StatusOr<kube::ProcessResult> result = kube::RunProcess(spec, {});
  if (!result.ok()) return result.status();
  if (result->exit_code != 0) return absl::FailedPreconditionError(result->errors);
  return std::move(result->output);
}

std::string OwnProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace outrigger::cli
