#include "kube/config/exec_plugin.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "fmt/format.h"
#include "kube/config/process.h"
#include "kube/config/tls_identity.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kVersions[] = {"client.authentication.k8s.io/v1",
                                          "client.authentication.k8s.io/v1beta1"};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("its output: {}", what));
}

// The text of an optional field; other types are errors.
absl::Status Text(const Json& object, const char* key, std::string* to) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return absl::OkStatus();
  if (!found->is_string()) return Wrong(fmt::format("{} is not a text", key));
  *to = found->get<std::string>();
  return absl::OkStatus();
}

absl::Status CheckKind(const Json& document, std::string_view api_version) {
  if (!document.is_object()) return Wrong("not a JSON object");
  std::string kind;
  std::string version;
  absl::Status status = Text(document, "kind", &kind);
  if (status.ok()) status = Text(document, "apiVersion", &version);
  if (!status.ok()) return status;
  if (kind != "ExecCredential") return Wrong("kind is not ExecCredential");
  if (version != api_version) {
    return Wrong(fmt::format("apiVersion is not {}, for which it was asked", api_version));
  }
  const auto state = document.find("status");
  if (state == document.end() || !state->is_object()) return Wrong("status is missing");
  return absl::OkStatus();
}

absl::Status CheckToken(const std::string& token) {
  for (const char c : token) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) {
      return Wrong("status.token has blanks or control bytes");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCredentials(const Credentials& credentials) {
  if (credentials.token.empty() && credentials.cert.empty()) {
    return Wrong("status has neither token nor clientCertificateData");
  }
  if (credentials.cert.empty() != credentials.key.empty()) {
    return Wrong("status.clientCertificateData and clientKeyData go together");
  }
  const absl::Status pair = CheckTlsIdentity({{}, credentials.cert, credentials.key, false});
  if (!pair.ok()) return Wrong(MessageOf(pair));
  return CheckToken(credentials.token);
}

}  // namespace

bool IsExecVersion(std::string_view api_version) {
  return api_version == kVersions[0] || api_version == kVersions[1];
}

std::string ExecInfo(const ClientConfig& config) {
  Json spec = {{"interactive", false}};
  if (config.exec->provide_cluster_info) {
    Json cluster = {{"server", config.server}};
    if (!config.tls_server_name.empty()) cluster["tls-server-name"] = config.tls_server_name;
    if (config.insecure) cluster["insecure-skip-tls-verify"] = true;
    if (!config.proxy_url.empty()) cluster["proxy-url"] = config.proxy_url;
    std::string ca = config.ca.data;
    if (ca.empty() && !config.ca.file.empty()) {
      ca = ReadSmallFile(config.ca.file, size_t{8} << 20).value_or("");
    }
    if (!ca.empty()) cluster["certificate-authority-data"] = absl::Base64Escape(ca);
    const Json extra = Json::parse(config.exec->cluster_config, nullptr, false);
    if (!extra.is_discarded()) cluster["config"] = extra;
    spec["cluster"] = cluster;
  }
  const Json info = {
      {"apiVersion", config.exec->api_version}, {"kind", "ExecCredential"}, {"spec", spec}};
  return info.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view printed,
                                                   std::string_view api_version) {
  const Json document = Json::parse(printed.begin(), printed.end(), nullptr, false);
  absl::Status status = CheckKind(document, api_version);
  if (!status.ok()) return status;
  const Json& state = document["status"];
  ExecCredential read;
  std::string expires;
  status = Text(state, "token", &read.credentials.token);
  if (status.ok()) status = Text(state, "clientCertificateData", &read.credentials.cert);
  if (status.ok()) status = Text(state, "clientKeyData", &read.credentials.key);
  if (status.ok()) status = Text(state, "expirationTimestamp", &expires);
  if (status.ok()) status = CheckCredentials(read.credentials);
  if (!status.ok()) return status;
  if (!expires.empty()) {
    absl::Time time;
    // Beyond these bounds ("infinite-past" is a time too) arithmetic would overflow.
    if (!absl::ParseTime(absl::RFC3339_full, expires, &time, nullptr) || time < absl::UnixEpoch() ||
        time > absl::FromUnixSeconds(int64_t{1} << 33)) {
      return Wrong("status.expirationTimestamp is not a time such as 2026-01-02T15:04:05Z");
    }
    read.expires = absl::ToChronoTime(time);
  }
  return read;
}

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
    MutexLock lock(mutex_);
    if (Usable()) {
      if (clock_.wall() >= renew_at_ && clock_.now() >= next_try_) Start();
      return current_->credentials;
    }
    Start();
    const uint64_t awaited = runs_;
    const bool done = ended_.wait_until(
        lock, stop, deadline,
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return finished_ >= awaited; });
    if (stop.stop_requested())
      return absl::CancelledError("stopped while credentials were awaited");
    if (!done) {
      return absl::DeadlineExceededError(
          fmt::format("exec plugin {}: still running", config_.exec->command));
    }
    if (!last_error_.ok()) return last_error_;
    if (!Usable()) return Failed(*config_.exec, "its output has already expired", false);
    return current_->credentials;
  }

  void Refused(const Credentials& credentials) override {
    const MutexLock lock(mutex_);
    if (current_ && current_->credentials == credentials) current_.reset();
  }

 private:
  bool Usable() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return current_ && (!current_->expires || clock_.wall() < *current_->expires);
  }

  // No effect while the plugin runs.
  void Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (runs_ != finished_) return;
    ++runs_;
    // What this replaces has ended but for its last instructions.
    worker_ = std::jthread([this](const std::stop_token& stop) {
      auto result = RunPlugin(config_, stop);
      const MutexLock lock(mutex_);
      Take(std::move(result));
      ++finished_;
      ended_.notify_all();
    });
  }

  void Take(absl::StatusOr<ExecCredential> result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    last_error_ = result.status();
    next_try_ = clock_.now() + std::chrono::seconds(10);
    if (!result.ok()) {
      if (Usable() && warn_) {
        warn_(fmt::format("{}; the last credentials are still used", MessageOf(last_error_)));
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
  Mutex mutex_;
  std::condition_variable_any ended_;
  uint64_t runs_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t finished_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<ExecCredential> current_ ABSL_GUARDED_BY(mutex_);
  absl::Status last_error_ ABSL_GUARDED_BY(mutex_);
  WallTime renew_at_ ABSL_GUARDED_BY(mutex_) = WallTime::max();
  Clock::TimePoint next_try_ ABSL_GUARDED_BY(mutex_){};
  std::jthread worker_;  // last: it uses all of the above until it has ended
};

}  // namespace

std::unique_ptr<CredentialSource> MakeExecCredentials(const ClientConfig& config,
                                                      const Clock& clock, Warn warn) {
  return std::make_unique<ExecCredentials>(config, clock, std::move(warn));
}

}  // namespace outrigger::kube
