#include "http/tls/tls.h"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "http/tls/files.h"
#include "http/tls/transport.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http {
namespace {

using Clock = std::chrono::steady_clock;
using Context = std::shared_ptr<SSL_CTX>;

// Looking at three files costs microseconds; a renewed certificate may be late by so much.
constexpr std::chrono::seconds kLookAgain{1};

/// What tells one version of a file from the next: a mounted secret changes by a link to another.
struct FileMark {
  ino_t inode = 0;
  off_t size = 0;
  int64_t changed_ns = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
using Marks = std::array<FileMark, 3>;

FileMark MarkOf(const std::string& path) {
  struct stat info {};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_size,
          int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Marks MarksOf(const TlsOptions& options) {
  return {MarkOf(options.cert_file), MarkOf(options.key_file), MarkOf(options.client_ca_file)};
}

class TlsContextImpl final : public TlsContext {
 public:
  TlsContextImpl(TlsOptions options, std::function<void(const std::string&)> warn, Context context,
                 const Marks& marks)
      : options_(std::move(options)),
        warn_(std::move(warn)),
        context_(std::move(context)),
        marks_(marks) {}

  std::unique_ptr<Transport> Accept(const Fd& socket) override {
    return MakeTlsTransport(Current().get(), socket);
  }

 private:
  /// A connection keeps its context alive by itself (SSL_new counts).
  Context Current() {
    const MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (now >= look_again_) {
      look_again_ = now + kLookAgain;
      TakeChanges();
    }
    return context_;
  }

  void TakeChanges() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Marks marks = MarksOf(options_);
    if (marks == marks_) return;
    marks_ = marks;
    auto changed = ReadTlsFiles(options_);
    std::string news = "TLS: the changed files are in use now";
    if (changed.ok()) {
      context_ = *std::move(changed);
    } else {
      news =
          fmt::format("TLS: the changed files are not usable, the previous ones are still used: {}",
                      std::string(changed.status().message()));
    }
    if (warn_) warn_(news);
  }

  const TlsOptions options_;
  const std::function<void(const std::string&)> warn_;
  Mutex mutex_;
  Context context_ ABSL_GUARDED_BY(mutex_);
  Marks marks_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point look_again_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Load(
    const TlsOptions& options, std::function<void(const std::string&)> warn) {
  // Marks first: what changes between the two is then read again.
  const Marks marks = MarksOf(options);
  auto context = ReadTlsFiles(options);
  if (!context.ok()) return context.status();
  return std::make_unique<TlsContextImpl>(options, std::move(warn), *std::move(context), marks);
}

}  // namespace outrigger::http
