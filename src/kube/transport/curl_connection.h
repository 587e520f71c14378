#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "kube/config/config.h"
#include "kube/config/tls_identity.h"
#include "outrigger/base/clock.h"
#include "sdk/base/url.h"

namespace outrigger::kube {

/// Where connections go, as libcurl wants to be told.
struct CurlTarget {
  std::string base;        // "https://name:6443/prefix"; `name` is what the certificate is for
  std::string host;        // header Host
  std::string connect_to;  // "::10.0.0.1:6443", or empty
  std::string proxy;
  std::string no_proxy;
};

/// InvalidArgument as CheckConfig() says.
absl::StatusOr<CurlTarget> MakeCurlTarget(const ClientConfig& config);

/// A list of texts as libcurl takes it.
class CurlList {
 public:
  CurlList() = default;
  CurlList(const CurlList&) = delete;
  CurlList& operator=(const CurlList&) = delete;
  ~CurlList() { curl_slist_free_all(list_); }
  void Add(const std::string& text) {
    if (curl_slist* longer = curl_slist_append(list_, text.c_str())) list_ = longer;
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

/// An easy handle with all that does not change from call to call, and the multi handle that drives
/// it: with one of its own it can be woken by another thread (curl_multi_wakeup), so that a call is
/// cancelled without touching descriptors. Holds at most one connection. Not thread-safe.
class CurlConnection {
 public:
  /// Null without memory.
  static std::unique_ptr<CurlConnection> Create(const CurlTarget& target,
                                                std::shared_ptr<const TlsIdentity> identity);
  CurlConnection(const CurlConnection&) = delete;
  CurlConnection& operator=(const CurlConnection&) = delete;
  ~CurlConnection();

  CURL* easy() const { return easy_; }
  CURLM* multi() const { return multi_; }
  const TlsIdentity* identity() const { return identity_.get(); }

  /// When it was given back last.
  Clock::TimePoint idle_since{};

 private:
  CurlConnection(const CurlTarget& target, std::shared_ptr<const TlsIdentity> identity);
  bool Configure(const CurlTarget& target);
  bool ConfigureTls();
  bool ConfigureSockets();

  const std::shared_ptr<const TlsIdentity> identity_;
  CURL* easy_;
  CURLM* multi_;
  CurlList connect_to_;
};

}  // namespace outrigger::kube
