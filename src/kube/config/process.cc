#include "kube/config/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

// How soon the end of a program, a timeout and stop are seen.
constexpr int kTickMs = 20;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseWriting();
    CloseReading();
  }
  bool valid() const { return ends_[0] >= 0; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void CloseWriting() { Close(&ends_[1]); }
  void CloseReading() { Close(&ends_[0]); }

  // Appends to `text`, of which no more than `largest` bytes are kept, what can be read without
  // waiting. False if bytes were dropped.
  bool Drain(size_t largest, std::string* text) {
    std::array<char, 16384> part;
    bool kept = true;
    while (reading() >= 0) {
      const ssize_t got = ::read(reading(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      if (got <= 0) {
        CloseReading();
        break;
      }
      const size_t room = largest - std::min(largest, text->size());
      kept = kept && static_cast<size_t>(got) <= room;
      text->append(part.data(), std::min(room, static_cast<size_t>(got)));
      if (!kept) break;
    }
    return kept;
  }

 private:
  static void Close(int* fd) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// The arrays of C strings that posix_spawn takes; `texts` outlive them.
std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In a process group of its own, with no signal blocked or ignored. 0 or an errno.
int Spawn(const ProcessSpec& spec, const Pipe& out, const Pipe& err, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.writing(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  std::vector<std::string> words = {spec.path};
  words.insert(words.end(), spec.args.begin(), spec.args.end());
  const int error = posix_spawn(pid, spec.path.c_str(), &files, &attributes, Pointers(words).data(),
                                Pointers(spec.env).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void KillGroup(pid_t pid) {
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool HasEnded(pid_t pid, int* exit_code) {
  int state = 0;
  if (::waitpid(pid, &state, WNOHANG) != pid) return false;
  *exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return true;
}

// Reads until the program has ended. The program lives on if the answer is an error.
absl::StatusOr<ProcessResult> Follow(const ProcessSpec& spec, pid_t pid, Pipe* out, Pipe* err,
                                     const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + spec.timeout;
  ProcessResult result;
  for (;;) {
    std::array<pollfd, 2> ready = {pollfd{out->reading(), POLLIN, 0},
                                   pollfd{err->reading(), POLLIN, 0}};
    ::poll(ready.data(), ready.size(), kTickMs);
    // Before reading: what it wrote before it ended is in the pipes by then.
    const bool ended = HasEnded(pid, &result.exit_code);
    const bool fits = out->Drain(spec.max_output, &result.output);
    err->Drain(spec.max_errors, &result.errors);
    if (ended && fits) return result;
    if (!fits) {
      return absl::ResourceExhaustedError(
          fmt::format("{} printed more than {} bytes", spec.path, spec.max_output));
    }
    if (stop.stop_requested()) return absl::CancelledError(spec.path + " was stopped");
    if (std::chrono::steady_clock::now() >= end) {
      return absl::DeadlineExceededError(
          fmt::format("{} did not end within {} ms", spec.path, spec.timeout.count()));
    }
  }
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const ProcessSpec& spec, const std::stop_token& stop) {
  Pipe out;
  Pipe err;
  if (!out.valid() || !err.valid()) return absl::UnavailableError("no descriptors for a pipe");
  ::fcntl(out.reading(), F_SETFL, O_NONBLOCK);
  ::fcntl(err.reading(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  const int error = Spawn(spec, out, err, &pid);
  if (error != 0) {
    const std::string text = fmt::format("cannot run {}: {}", spec.path,
                                         std::error_code(error, std::generic_category()).message());
    return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
  }
  out.CloseWriting();
  err.CloseWriting();
  auto result = Follow(spec, pid, &out, &err, stop);
  if (!result.ok()) KillGroup(pid);
  return result;
}

std::string FindProgram(const std::string& command, std::string_view path) {
  if (command.find('/') != std::string::npos) return command;
  while (!path.empty() && !command.empty()) {
    const size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
    // An empty entry is the current folder, from which nothing is run.
    if (folder.empty()) continue;
    std::string file = fmt::format("{}/{}", folder, command);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace outrigger::kube
