#include "kube/config/credentials.h"

#include <optional>
#include <utility>

#include "fmt/format.h"
#include "kube/config/exec_plugin.h"
#include "kube/errors.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::kube {
namespace {

class FixedCredentials final : public CredentialSource {
 public:
  explicit FixedCredentials(std::string token) : token_(std::move(token)) {}
  absl::StatusOr<Credentials> Get(Clock::TimePoint /*deadline*/,
                                  std::stop_token /*stop*/) override {
    return Credentials{token_, {}, {}};
  }
  void Refused(const Credentials& /*credentials*/) override {}

 private:
  const std::string token_;
};

class TokenFile final : public CredentialSource {
 public:
  TokenFile(std::string file, std::string token, Clock clock, Warn warn)
      : file_(std::move(file)),
        clock_(std::move(clock)),
        warn_(std::move(warn)),
        token_(std::move(token)) {}

  absl::StatusOr<Credentials> Get(Clock::TimePoint /*deadline*/,
                                  std::stop_token /*stop*/) override {
    const MutexLock lock(mutex_);
    const Clock::TimePoint now = clock_.now();
    if (!read_at_ || now - *read_at_ >= kReadEvery) {
      absl::Status status = Read();
      // A file that is unreadable for a moment, as in the middle of a rotation, is tried again
      // soon.
      read_at_ = status.ok() ? now : now - kReadEvery + kTryAgain;
      if (!status.ok() && token_.empty()) {
        read_at_.reset();
        return status;
      }
      if (!status.ok() && warn_) {
        warn_(fmt::format("{}; the last token is still used", MessageOf(status)));
      }
    }
    return Credentials{token_, {}, {}};
  }

  void Refused(const Credentials& credentials) override {
    const MutexLock lock(mutex_);
    if (credentials.token == token_) read_at_.reset();
  }

 private:
  static constexpr std::chrono::seconds kReadEvery{60};
  static constexpr std::chrono::seconds kTryAgain{10};
  static constexpr size_t kLargest = size_t{1} << 20;

  absl::Status Read() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto content = ReadSmallFile(file_, kLargest);
    if (!content.ok()) {
      return absl::UnauthenticatedError(fmt::format("token file {}", MessageOf(content.status())));
    }
    const std::string_view token = Trimmed(*content);
    if (token.empty())
      return absl::UnauthenticatedError(fmt::format("token file {}: empty", file_));
    for (const char c : token) {
      if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) {
        return absl::UnauthenticatedError(
            fmt::format("token file {}: blanks or control bytes within the token", file_));
      }
    }
    token_ = token;
    return absl::OkStatus();
  }

  const std::string file_;
  const Clock clock_;
  const Warn warn_;
  Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  std::optional<Clock::TimePoint> read_at_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<CredentialSource> MakeCredentialSource(const ClientConfig& config,
                                                       const Clock& clock, Warn warn) {
  if (!config.token_file.empty()) {
    return std::make_unique<TokenFile>(config.token_file, config.token, clock, std::move(warn));
  }
  if (config.exec) return MakeExecCredentials(config, clock, std::move(warn));
  return std::make_unique<FixedCredentials>(config.token);
}

}  // namespace outrigger::kube
