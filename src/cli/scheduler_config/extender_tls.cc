#include "cli/scheduler_config/extender_tls.h"

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

absl::Status RefuseTls(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> ParseFile(const std::string& text) {
  if (!text.starts_with('/') || text.ends_with('/')) {
    return RefuseTls("the file's absolute path where the scheduler runs");
  }
  return text;
}

absl::StatusOr<std::string> ParseServerName(const std::string& text) {
  constexpr const char* kAccepted =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:";
  if (text.empty() || text.find_first_not_of(kAccepted) != std::string::npos) {
    return RefuseTls("a name or an address in the agent's certificate");
  }
  return text;
}

// The flag that is in the way of a URL without TLS; empty if there is none.
std::string FirstFlag(const ExtenderTls& tls) {
  if (!tls.ca_file.empty()) return "--tls-ca";
  if (!tls.cert_file.empty()) return "--tls-cert";
  if (!tls.key_file.empty()) return "--tls-key";
  if (!tls.server_name.empty()) return "--tls-server-name";
  return tls.insecure ? "--tls-insecure" : "";
}

// kube-scheduler drops half a pair without a word, and does not start with a CA and `insecure`.
absl::Status CheckTogether(const ExtenderTls& tls, const std::string& agent,
                           const std::string& url) {
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    const bool cert = !tls.cert_file.empty();
    return RefuseTls(fmt::format("agent {}: {} is given without {}", agent,
                                 cert ? "--tls-cert" : "--tls-key",
                                 cert ? "--tls-key" : "--tls-cert"));
  }
  if (tls.insecure && !tls.ca_file.empty()) {
    return RefuseTls(fmt::format(
        "agent {}: --tls-ca and --tls-insecure exclude each other: leave --tls-insecure out",
        agent));
  }
  if (!tls.insecure && tls.ca_file.empty()) {
    return RefuseTls(
        fmt::format("agent {} is called at {}: --tls-ca is missing; without CA certificates the "
                    "scheduler would not verify the agent (--tls-insecure allows this)",
                    agent, url));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExtenderTlsFlags> ExtenderTlsFlags::Read(
    const SchedulerConfigFlags& flags, const std::vector<const AgentInfo*>& agents) {
  ExtenderTlsFlags read;
  read.insecure_ = flags.tls_insecure;
  absl::Status status = read.ca_.Read("--tls-ca", flags.tls_cas, agents, ParseFile);
  if (status.ok()) status = read.cert_.Read("--tls-cert", flags.tls_certs, agents, ParseFile);
  if (status.ok()) status = read.key_.Read("--tls-key", flags.tls_keys, agents, ParseFile);
  if (status.ok()) {
    status = read.server_name_.Read("--tls-server-name", flags.tls_server_names, agents,
                                    ParseServerName);
  }
  if (!status.ok()) return status;
  return read;
}

bool ExtenderTlsFlags::WantedFor(const std::string& agent) const {
  return !FirstFlag(Of(agent)).empty();
}

absl::StatusOr<std::optional<ExtenderTls>> ExtenderTlsFlags::For(const std::string& agent,
                                                                 const std::string& url) const {
  ExtenderTls tls = Of(agent);
  if (url.starts_with("https://")) {
    absl::Status status = CheckTogether(tls, agent, url);
    if (!status.ok()) return status;
    return tls;
  }
  const std::string flag = FirstFlag(tls);
  if (flag.empty()) return std::nullopt;
  const bool takes_agent = flag != "--tls-insecure";
  return RefuseTls(fmt::format(
      "{}: agent {} is called at {}, without TLS; give it an https:// --url{}", flag, agent, url,
      takes_agent ? fmt::format(", or use {} AGENT=... for the others", flag) : ""));
}

ExtenderTls ExtenderTlsFlags::Of(const std::string& agent) const {
  return {.server_name = server_name_.Of(agent),
          .cert_file = cert_.Of(agent),
          .key_file = key_.Of(agent),
          .ca_file = ca_.Of(agent),
          .insecure = insecure_};
}

}  // namespace outrigger::cli
