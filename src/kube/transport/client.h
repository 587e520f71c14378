#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/config/config.h"
#include "kube/config/credentials.h"
#include "kube/config/tls_identity.h"
#include "kube/transport/rate_limiter.h"
#include "kube/transport/retry.h"
#include "kube/transport/transport.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

struct ClientOptions {
  /// Calls per second on average, and at once, of those that are ApiRequest::rate_limited.
  double qps = 50;  // 0: no limit
  double burst = 100;
  RetryPolicy retry = {};
  Clock clock = {};  // another one than the real one wants a transport that goes by it too
  Random random = SystemRandom;
  Warn warn = nullptr;
};

/// The API server of a ClientConfig. Thread-safe; any number of calls at once, each on a connection
/// of its own (see MakeCurlTransport).
///
/// A call that may_retry is tried again while IsTransient() and the next try would begin before its
/// timeout. An answer of 401 makes the credentials be fetched anew, once per call and also for
/// calls that may not retry, since nothing was done; it stands if they have not changed.
class Client final : public Api {
 public:
  /// Reads what `config` names. Errors name the field or file and what is wrong with it. No call is
  /// made.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientConfig& config,
                                                        ClientOptions options = {});
  /// The same over another transport, e.g. a script.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientConfig& config,
                                                        ClientOptions options,
                                                        std::unique_ptr<Transport> transport);

  absl::StatusOr<ApiResponse> Call(const ApiRequest& request) override;
  absl::Status Stream(const ApiRequest& request, ByteSink sink) override;

  /// The namespace of calls that are not told another.
  const std::string& default_namespace() const { return config_.namespace_; }

 private:
  Client(ClientConfig config, ClientOptions options, std::unique_ptr<Transport> transport,
         std::unique_ptr<TlsIdentitySource> identities);

  /// `was_open` becomes true if a try before the last one may have been carried out.
  absl::StatusOr<WireAnswer> TryUntil(const ApiRequest& request, Clock::TimePoint deadline,
                                      bool* was_open);
  /// One try, or two if the first was answered 401.
  absl::StatusOr<WireAnswer> Try(const ApiRequest& request, Clock::TimePoint deadline,
                                 const ByteSink* sink);
  absl::StatusOr<WireAnswer> Exchange(const ApiRequest& request, Clock::TimePoint deadline,
                                      const ByteSink* sink, Credentials* used);
  std::vector<std::pair<std::string, std::string>> QueryOf(const ApiRequest& request,
                                                           Clock::TimePoint deadline) const;
  absl::Status AwaitTurn(const ApiRequest& request, Clock::TimePoint deadline);
  std::vector<std::string> Headers(const ApiRequest& request, const Credentials& credentials) const;

  const ClientConfig config_;
  const ClientOptions options_;
  const std::unique_ptr<Transport> transport_;
  const std::unique_ptr<TlsIdentitySource> identities_;
  const std::unique_ptr<CredentialSource> credentials_;
  RateLimiter limiter_;
};

}  // namespace outrigger::kube
