#include "http/client/client.h"

#include <charconv>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "http/client/headers.h"
#include "http/client/wire.h"
#include "sdk/base/files.h"
#include "sdk/base/url.h"

namespace outrigger::http_client {
namespace {

// More than any bundle of authorities has.
constexpr size_t kMostFileBytes = size_t{4} << 20U;

absl::Status RefuseUrl(const Options& options, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", options.url_by, why));
}

absl::Status Fault(const Options& options, const Url& url) {
  if (url.scheme != "http" && url.scheme != "https") {
    return RefuseUrl(options, "http:// or https:// is expected");
  }
  const bool tls = url.scheme == "https";
  if (!tls && !(options.ca_file.empty() && options.cert_file.empty() && options.key_file.empty())) {
    return RefuseUrl(options, "files of TLS are given, so https:// is expected");
  }
  if (options.cert_file.empty() != options.key_file.empty()) {
    return absl::InvalidArgumentError("a client certificate and its key are given together");
  }
  if (!tls && !options.token_file.empty() && !IsLoopback(url.host)) {
    return RefuseUrl(options,
                     "a bearer token goes over https:// only, or to loopback: in clear it can be "
                     "read");
  }
  return absl::OkStatus();
}

absl::Status CheckPem(const std::string& url, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> text = ReadSmallFile(path, kMostFileBytes);
  const std::string why = !text.ok() ? std::string(text.status().message())
                          : text->find("-----BEGIN ") == std::string::npos
                              ? path + " has no PEM in it"
                              : "";
  return why.empty() ? absl::OkStatus()
                     : absl::FailedPreconditionError(fmt::format("{}: {}", url, why));
}

/// Returns where calls go, once the files were found to be usable.
absl::StatusOr<Peer> MakePeer(const Options& options, const Url& url, int port,
                              const std::string& shown) {
  for (const std::string* path : {&options.ca_file, &options.cert_file, &options.key_file}) {
    if (absl::Status status = CheckPem(shown, *path); !status.ok()) return status;
  }
  const bool tls = url.scheme == "https";
  absl::StatusOr<Headers> headers =
      ReadHeaders(options.token_file, options.header_file, !tls && !IsLoopback(url.host));
  if (!headers.ok()) {
    return absl::FailedPreconditionError(
        fmt::format("{}: {}", shown, std::string(headers.status().message())));
  }
  return Peer{.host = url.host,
              .port = port,
              .tls = tls,
              .ca_file = options.ca_file,
              .cert_file = options.cert_file,
              .key_file = options.key_file,
              .headers = *std::move(headers),
              .check = options.check};
}

/// Returns "a=b&c=d", escaped.
std::string FormText(const Parameters& fields) {
  const std::string query = QueryText(fields);
  return query.empty() ? query : query.substr(1);
}

}  // namespace

absl::StatusOr<Client> Client::Create(Options options) {
  absl::StatusOr<Url> url = ParseUrl(options.url);
  if (!url.ok()) return RefuseUrl(options, std::string(url.status().message()));
  if (absl::Status fault = Fault(options, *url); !fault.ok()) return fault;
  int port = 0;
  std::from_chars(url->port.data(), url->port.data() + url->port.size(), port);
  return Client(std::move(options), *std::move(url), port);
}

std::string Client::UrlOf(std::string_view path) const {
  return fmt::format("{}://{}{}{}", url_.scheme, url_.Authority(), url_.path, path);
}

absl::StatusOr<Answer> Client::Get(std::string_view path, const Parameters& query,
                                   const std::stop_token& stop) const {
  const std::string url = UrlOf(path);
  const absl::StatusOr<Peer> peer = MakePeer(options_, url_, port_, url);
  if (!peer.ok()) return peer.status();
  const Call call{.method = "GET",
                  .target = fmt::format("{}{}{}", url_.path, path, QueryText(query)),
                  .form = {},
                  .url = url};
  return Exchange(*peer, call, options_.limits, stop);
}

absl::StatusOr<Answer> Client::PostForm(std::string_view path, const Parameters& fields,
                                        const std::stop_token& stop) const {
  const std::string url = UrlOf(path);
  const absl::StatusOr<Peer> peer = MakePeer(options_, url_, port_, url);
  if (!peer.ok()) return peer.status();
  const Call call{.method = "POST",
                  .target = fmt::format("{}{}", url_.path, path),
                  .form = FormText(fields),
                  .url = url};
  return Exchange(*peer, call, options_.limits, stop);
}

}  // namespace outrigger::http_client
