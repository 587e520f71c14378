#include "apiserver/commands/children.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "console/process/child.h"
#include "fmt/format.h"
#include "kube/config/process.h"

namespace outrigger::cli {

absl::Status Children::Start(const std::string& name, const std::vector<std::string>& words,
                             const std::string& log) {
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::UnavailableError(fmt::format("cannot write {}: {}", log, std::strerror(errno)));
  }
  const absl::StatusOr<pid_t> pid = StartChild(words, file);
  ::close(file);
  if (!pid.ok()) {
    return absl::UnavailableError(fmt::format("{}: {}", name, std::string(pid.status().message())));
  }
  children_.push_back({name, log, *pid});
  return absl::OkStatus();
}

std::optional<Child> Children::Ended() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (!HasEnded(child->pid)) continue;
    Child ended = *child;
    children_.erase(child);
    return ended;
  }
  return std::nullopt;
}

void Children::Stop() {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) EndChild(child->pid);
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
