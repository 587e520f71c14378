// The sources that report moments: metrics.k8s.io and a file.
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "load/usage/sampled_usage.h"
#include "load/usage/source.h"
#include "load/usage/used_answers.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::usage {
namespace {

constexpr char kPath[] = "/apis/metrics.k8s.io/v1beta1/nodes";
constexpr size_t kMostFileBytes = size_t{64} << 20U;
constexpr size_t kMaxFault = 300;

int64_t NowMs(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall().time_since_epoch())
      .count();
}

std::string Text(const absl::Status& status) {
  return Shortened(Printable(std::string(status.message())), kMaxFault);
}

/// When the file was written last, Unix time in ms; 0 where that is not known.
int64_t WrittenMs(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return 0;
  return int64_t{file.st_mtim.tv_sec} * 1000 + file.st_mtim.tv_nsec / 1'000'000;
}

class MetricsApiSource final : public Source {
 public:
  MetricsApiSource(Fetch fetch, MetricsOptions options)
      : fetch_(std::move(fetch)),
        options_(std::move(options)),
        usage_(options_.window, options_.forecast) {}

  absl::StatusOr<Reading> Read(std::span<const NodeQuestion> nodes, std::stop_token stop) override {
    absl::StatusOr<std::string> body = fetch_(kPath, stop);
    if (absl::IsNotFound(body.status()) || absl::IsUnavailable(body.status())) {
      return absl::Status(body.status().code(),
                          fmt::format("{}. Check that metrics-server runs: `kubectl get apiservice "
                                      "v1beta1.metrics.k8s.io` shows why it is not served",
                                      Text(body.status())));
    }
    if (!body.ok()) return body.status();
    const absl::StatusOr<std::vector<UsedNow>> used = ReadNodeMetrics(&*body);
    if (!used.ok()) {
      return absl::DataLossError(
          fmt::format("{}: not a response of metrics.k8s.io: {}", kPath, Text(used.status())));
    }
    return usage_.Take(nodes, *used, NowMs(options_.clock), Name());
  }
  std::string Name() const override { return "metrics.k8s.io"; }

 private:
  const Fetch fetch_;
  const MetricsOptions options_;
  SampledUsage usage_;
};

class FileSource final : public Source {
 public:
  explicit FileSource(FileOptions options)
      : options_(std::move(options)), usage_(options_.window, options_.forecast) {}

  absl::StatusOr<Reading> Read(std::span<const NodeQuestion> nodes,
                               std::stop_token /*stop*/) override {
    // Before the text: of a file that is replaced meanwhile the next Read() sees a later time.
    const int64_t written_ms = WrittenMs(options_.path);
    absl::StatusOr<std::string> text = ReadSmallFile(options_.path, kMostFileBytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<std::vector<UsedNow>> used = ReadUsageFile(&*text);
    if (!used.ok()) {
      return absl::InvalidArgumentError(fmt::format("{}: {}", options_.path, Text(used.status())));
    }
    for (UsedNow& node : *used) {
      if (node.time_ms == 0) node.time_ms = written_ms;
    }
    return usage_.Take(nodes, *used, NowMs(options_.clock), Name());
  }
  std::string Name() const override { return "file " + options_.path; }

 private:
  const FileOptions options_;
  SampledUsage usage_;
};

absl::Status CheckWindow(std::chrono::seconds window) {
  return window >= std::chrono::seconds(1) ? absl::OkStatus()
                                           : absl::InvalidArgumentError("window: at least 1 s");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> MakeMetricsApiSource(Fetch fetch, MetricsOptions options) {
  if (absl::Status status = CheckWindow(options.window); !status.ok()) return status;
  return std::make_unique<MetricsApiSource>(std::move(fetch), std::move(options));
}

absl::StatusOr<std::unique_ptr<Source>> MakeFileSource(FileOptions options) {
  if (absl::Status status = CheckWindow(options.window); !status.ok()) return status;
  if (options.path.empty()) return absl::InvalidArgumentError("file: expected a path");
  return std::make_unique<FileSource>(std::move(options));
}

}  // namespace outrigger::usage
