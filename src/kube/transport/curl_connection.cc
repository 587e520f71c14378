#include "kube/transport/curl_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

// A peer that has vanished is noticed within half a minute: by probes while nothing is sent, by
// TCP_USER_TIMEOUT while something is.
constexpr long kProbeAfterSeconds = 15;
constexpr long kProbeEverySeconds = 5;
constexpr unsigned kUserTimeoutMs = 30'000;
constexpr long kConnectTimeoutMs = 30'000;

int PrepareSocket(void* /*data*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  const unsigned timeout = kUserTimeoutMs;
  // Best effort: not every socket is TCP.
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
  return CURL_SOCKOPT_OK;
}

curl_socket_t OpenSocket(void* /*data*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

template <typename Value>
bool Set(CURL* easy, CURLoption option, Value value) {
  return curl_easy_setopt(easy, option, value) == CURLE_OK;
}

bool SetBlob(CURL* easy, CURLoption option, const std::string& text) {
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
  return Set(easy, option, &blob);
}

std::string Bracketed(const Url& url) {
  return url.bracketed ? fmt::format("[{}]", url.host) : url.host;
}

}  // namespace

absl::StatusOr<CurlTarget> MakeCurlTarget(const ClientConfig& config) {
  absl::Status status = CheckConfig(config);
  if (!status.ok()) return status;
  const auto url = ParseUrl(config.server);
  if (!url.ok()) return url.status();
  CurlTarget target;
  const std::string& name = config.tls_server_name;
  target.base = fmt::format("{}://{}:{}{}", url->scheme, name.empty() ? Bracketed(*url) : name,
                            url->port, url->path);
  const bool usual = url->port == (url->scheme == "https" ? "443" : "80");
  target.host = usual ? Bracketed(*url) : url->Authority();
  if (!name.empty()) target.connect_to = "::" + url->Authority();
  target.proxy = config.proxy_url;
  target.no_proxy = config.no_proxy;
  return target;
}

CurlConnection::CurlConnection(const CurlTarget& target,
                               std::shared_ptr<const TlsIdentity> identity)
    : identity_(std::move(identity)), easy_(curl_easy_init()), multi_(curl_multi_init()) {
  if (!target.connect_to.empty()) connect_to_.Add(target.connect_to);
}

CurlConnection::~CurlConnection() {
  if (easy_ != nullptr) curl_easy_cleanup(easy_);
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
}

std::unique_ptr<CurlConnection> CurlConnection::Create(
    const CurlTarget& target, std::shared_ptr<const TlsIdentity> identity) {
  std::unique_ptr<CurlConnection> made(new CurlConnection(target, std::move(identity)));
  if (made->easy_ == nullptr || made->multi_ == nullptr || !made->Configure(target)) return nullptr;
  return made;
}

bool CurlConnection::Configure(const CurlTarget& target) {
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 1L);
  return Set(easy_, CURLOPT_NOSIGNAL, 1L) &&
         Set(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1)) &&
         Set(easy_, CURLOPT_PROTOCOLS_STR, "http,https") &&
         Set(easy_, CURLOPT_FOLLOWLOCATION, 0L) && Set(easy_, CURLOPT_PATH_AS_IS, 1L) &&
         // A name server that does not answer must not hold a call past its deadline.
         Set(easy_, CURLOPT_QUICK_EXIT, 1L) &&
         Set(easy_, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs) &&
         Set(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
         // Both given, even if empty: else libcurl looks into the environment.
         Set(easy_, CURLOPT_PROXY, target.proxy.c_str()) &&
         Set(easy_, CURLOPT_NOPROXY, target.no_proxy.c_str()) &&
         Set(easy_, CURLOPT_CONNECT_TO, connect_to_.get()) && ConfigureSockets() && ConfigureTls();
}

bool CurlConnection::ConfigureSockets() {
  return Set(easy_, CURLOPT_TCP_NODELAY, 1L) && Set(easy_, CURLOPT_TCP_KEEPALIVE, 1L) &&
         Set(easy_, CURLOPT_TCP_KEEPIDLE, kProbeAfterSeconds) &&
         Set(easy_, CURLOPT_TCP_KEEPINTVL, kProbeEverySeconds) &&
         Set(easy_, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket) &&
         Set(easy_, CURLOPT_SOCKOPTFUNCTION, &PrepareSocket);
}

bool CurlConnection::ConfigureTls() {
  const TlsIdentity& identity = *identity_;
  bool good =
      Set(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2)) &&
      Set(easy_, CURLOPT_SSL_VERIFYPEER, identity.insecure ? 0L : 1L) &&
      Set(easy_, CURLOPT_SSL_VERIFYHOST, identity.insecure ? 0L : 2L) &&
      // A resumed session shows no certificate: it would outlive the trust in its authority.
      Set(easy_, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  if (!identity.ca.empty()) {
    // The folder of the system's authorities would be believed besides.
    good = good && SetBlob(easy_, CURLOPT_CAINFO_BLOB, identity.ca) &&
           Set(easy_, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (!identity.cert.empty()) {
    good = good && SetBlob(easy_, CURLOPT_SSLCERT_BLOB, identity.cert) &&
           SetBlob(easy_, CURLOPT_SSLKEY_BLOB, identity.key);
  }
  return good;
}

}  // namespace outrigger::kube
