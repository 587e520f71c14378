#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "kube/config/config.h"
#include "outrigger/base/clock.h"
#include "sdk/base/environment.h"

namespace outrigger::kube {

/// What a call proves its identity with, besides the configured client certificate.
struct Credentials {
  std::string token;  // empty: none
  std::string cert;   // PEM; empty: the configured one
  std::string key;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

/// Credentials that may change. Thread-safe.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  /// Those of now; may have to run a program, and waits for it until `deadline` at most.
  /// Unauthenticated if there are none, DeadlineExceeded, Cancelled.
  virtual absl::StatusOr<Credentials> Get(Clock::TimePoint deadline, std::stop_token stop) = 0;
  /// The server answered 401 to `credentials`: the next Get() does not give them out of a cache.
  virtual void Refused(const Credentials& credentials) = 0;
};

/// The source that `config` asks for: an exec plugin, a token file, a token, or none at all.
/// A token file is read again after a minute and after a 401; where it cannot be read the last
/// token stays, with a warning.
std::unique_ptr<CredentialSource> MakeCredentialSource(const ClientConfig& config,
                                                       const Clock& clock, Warn warn);

}  // namespace outrigger::kube
