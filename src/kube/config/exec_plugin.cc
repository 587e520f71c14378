#include "kube/config/exec_plugin.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/files.h"
#include "fmt/format.h"
#include "kube/config/exec_credential.h"
#include "kube/config/process.h"
#include "kube/status_text.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

using WallTime = std::chrono::system_clock::time_point;

ProcessSpec MakeSpec(const ClientConfig& config, std::string path) {
  ProcessSpec spec;
  spec.path = std::move(path);
  spec.args = config.exec->args;
  spec.timeout = config.exec->timeout;
  Environment environment = config.environment;
  for (const auto& [name, value] : config.exec->env) environment.insert_or_assign(name, value);
  environment.insert_or_assign("KUBERNETES_EXEC_INFO", ExecInfo(config));
  for (const auto& [name, value] : environment) {
    spec.env.push_back(fmt::format("{}={}", name, value));
  }
  return spec;
}

absl::Status Failed(const ExecPlugin& plugin, std::string_view what, bool missing) {
  std::string text = fmt::format("exec plugin {}: {}", plugin.command, what);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (missing && !plugin.install_hint.empty()) text += "; " + plugin.install_hint;
  return absl::UnauthenticatedError(text);
}

absl::StatusOr<ExecCredential> RunPlugin(const ClientConfig& config, const std::stop_token& stop) {
  const ExecPlugin& plugin = *config.exec;
  const std::string path = FindProgram(plugin.command, ValueOf(config.environment, "PATH"));
  if (path.empty()) return Failed(plugin, "not found in PATH", true);
  const auto result = RunProcess(MakeSpec(config, path), stop);
  if (!result.ok()) {
    return Failed(plugin, MessageOf(result.status()), absl::IsNotFound(result.status()));
  }
  if (result->exit_code != 0) {
    return Failed(
        plugin, fmt::format("exit code {}: {}", result->exit_code, Trimmed(result->errors)), false);
  }
  auto credential = ParseExecCredential(result->output, plugin.api_version);
  if (!credential.ok()) {
    return Failed(plugin, MessageOf(credential.status()), false);
  }
  return credential;
}

class ExecCredentials final : public CredentialSource {
 public:
  ExecCredentials(const ClientConfig& config, Clock clock, Warn warn)
      : config_(config), clock_(std::move(clock)), warn_(std::move(warn)) {}

  absl::StatusOr<Credentials> Get(Clock::TimePoint deadline, std::stop_token stop) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (Usable()) {
      if (clock_.wall() >= renew_at_ && clock_.now() >= next_try_) Start();
      return current_->credentials;
    }
    Start();
    const uint64_t awaited = runs_;
    const bool done = ended_.wait_until(lock, stop, deadline, [&] { return finished_ >= awaited; });
    if (stop.stop_requested())
      return absl::CancelledError("stopped while credentials were awaited");
    if (!done) {
      return absl::DeadlineExceededError(
          fmt::format("exec plugin {}: still running", config_.exec->command));
    }
    if (!last_error_.ok()) return last_error_;
    if (!Usable()) return Failed(*config_.exec, "what it printed has expired already", false);
    return current_->credentials;
  }

  void Refused(const Credentials& credentials) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (current_ && current_->credentials == credentials) current_.reset();
  }

 private:
  bool Usable() const {
    return current_ && (!current_->expires || clock_.wall() < *current_->expires);
  }

  // Under the lock. No effect while the plugin runs.
  void Start() {
    if (runs_ != finished_) return;
    ++runs_;
    // What this replaces has ended but for its last instructions.
    worker_ = std::jthread([this](const std::stop_token& stop) {
      auto result = RunPlugin(config_, stop);
      const std::lock_guard<std::mutex> lock(mutex_);
      Take(std::move(result));
      ++finished_;
      ended_.notify_all();
    });
  }

  void Take(absl::StatusOr<ExecCredential> result) {
    last_error_ = result.status();
    next_try_ = clock_.now() + std::chrono::seconds(10);
    if (!result.ok()) {
      if (Usable() && warn_) {
        warn_(fmt::format("{}; the last credentials stay in use", MessageOf(last_error_)));
      }
      return;
    }
    current_ = *std::move(result);
    renew_at_ = WallTime::max();
    if (!current_->expires) return;
    const auto life = *current_->expires - clock_.wall();
    renew_at_ =
        *current_->expires - std::min<WallTime::duration>(life / 10, std::chrono::minutes(1));
  }

  const ClientConfig config_;
  const Clock clock_;
  const Warn warn_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  uint64_t runs_ = 0;
  uint64_t finished_ = 0;
  std::optional<ExecCredential> current_;
  absl::Status last_error_;
  WallTime renew_at_ = WallTime::max();
  Clock::TimePoint next_try_{};
  std::jthread worker_;  // last: it uses all of the above until it has ended
};

}  // namespace

std::unique_ptr<CredentialSource> MakeExecCredentials(const ClientConfig& config,
                                                      const Clock& clock, Warn warn) {
  return std::make_unique<ExecCredentials>(config, clock, std::move(warn));
}

}  // namespace outrigger::kube
