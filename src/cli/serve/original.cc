#include "cli/serve/original.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/strings/numbers.h"
#include "console/format/environment.h"
#include "fmt/format.h"
#include "http/fd.h"

namespace outrigger::cli {
namespace {

// As the original images had it.
constexpr uint16_t kPort = 80;
constexpr const char* kVariable = "HTTP_PORT";

// "::" takes IPv4, too, unless the machine has no IPv6 or keeps the families apart.
const char* AllAddresses() {
  const http::Fd probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int alone = 0;
  socklen_t size = sizeof(alone);
  const bool both = probe.valid() &&
                    ::getsockopt(probe.get(), IPPROTO_IPV6, IPV6_V6ONLY, &alone, &size) == 0 &&
                    alone == 0;
  return both ? "::" : "0.0.0.0";
}

// A Service named "http" makes a variable of the same name, which means something else.
absl::StatusOr<uint16_t> Port(const SettingGroup& server, const Environment& environment,
                              ServeOptions* options) {
  if (!server.GivenBy("--port").empty()) return kPort;  // not used
  options->port_by = kVariable;
  const std::string* value = Find(environment, kVariable);
  if (value == nullptr || value->empty() || IsServiceLink(kVariable, *value)) return kPort;
  int port = 0;
  if (!absl::SimpleAtoi(*value, &port) || port < 1 || port > 65535) {
    return absl::InvalidArgumentError(
        fmt::format("{}={:?} is not accepted; expected a port from 1 to 65535, or nothing for {}",
                    kVariable, *value, kPort));
  }
  return static_cast<uint16_t>(port);
}

}  // namespace

absl::StatusOr<uint16_t> ListenAsOriginal(const SettingGroup& server,
                                          const Environment& environment, ServeOptions* options) {
  const auto port = Port(server, environment, options);
  if (!port.ok()) return port.status();
  if (!server.GivenBy("--bind").empty()) return *port;
  options->service.extender.bind = AllAddresses();
  if (server.server->tls_cert.empty()) {
    options->open_to_all =
        "--original: the port for calls is open on all addresses without TLS, as the original's "
        "was: every client that reaches it can call the agents and read all traffic";
  }
  return *port;
}

}  // namespace outrigger::cli
