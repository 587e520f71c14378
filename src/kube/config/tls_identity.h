#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kube/config/config.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "sdk/base/environment.h"

namespace outrigger::kube {

/// What a TLS connection is made with; all PEM.
struct TlsIdentity {
  std::string ca;    // empty: the system's authorities
  std::string cert;  // empty: no client certificate
  std::string key;
  bool insecure = false;
  friend bool operator==(const TlsIdentity&, const TlsIdentity&) = default;
};

/// InvalidArgument names the field that has no certificate or key in it, or a key that is not the
/// certificate's.
absl::Status CheckTlsIdentity(const TlsIdentity& identity);

/// The TLS identity of a configuration. Its files are looked at again at most once a second; what
/// has changed and is good is taken, what is not leaves the identity as it was and is warned about.
/// Thread-safe.
class TlsIdentitySource {
 public:
  /// Errors name the file, or the field, and what is wrong.
  static absl::StatusOr<std::unique_ptr<TlsIdentitySource>> Create(const ClientConfig& config,
                                                                   SteadyNow now, Warn warn);

  /// The identity of connections made from now on: the same object until something has changed.
  /// `cert` and `key`, where not empty, are used in place of the configured ones.
  std::shared_ptr<const TlsIdentity> Get(const std::string& cert, const std::string& key);

 private:
  TlsIdentitySource(const ClientConfig& config, SteadyNow now, Warn warn);
  absl::StatusOr<TlsIdentity> Read() const;
  std::string Places() const;
  std::string Version() const;
  void Refresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Pem ca_, cert_, key_;
  const bool insecure_;
  const SteadyNow now_;
  const Warn warn_;
  Mutex mutex_;
  TlsIdentity files_ ABSL_GUARDED_BY(mutex_);
  std::string version_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point looked_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const TlsIdentity> current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::kube
