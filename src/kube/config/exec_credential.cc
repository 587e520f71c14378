#include "kube/config/exec_credential.h"

#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "base/files.h"
#include "fmt/format.h"
#include "kube/config/tls_identity.h"
#include "kube/status_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kVersions[] = {"client.authentication.k8s.io/v1",
                                          "client.authentication.k8s.io/v1beta1"};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("what it printed: {}", what));
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

}  // namespace outrigger::kube
