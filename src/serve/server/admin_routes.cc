#include "serve/server/admin_routes.h"

#include <fmt/format.h>

#include <string_view>

#include "outrigger/base/text.h"
#include "serve/server/answers.h"
#include "serve/server/page_answer.h"

namespace outrigger::server {
namespace {

constexpr std::string_view kPaths = "/livez, /readyz, /readyz?verbose, /metrics, /version";

// Also for paths that do not exist: peers from outside do not learn which pages there are.
constexpr std::string_view kLoopbackOnly =
    "served on loopback only: use kubectl port-forward to this port, or kubectl exec, and call "
    "127.0.0.1";

bool IsLoopback(std::string_view peer) {
  // The third is how an IPv4 peer looks on a socket that takes both families.
  return peer.starts_with("127.") || peer == "::1" || peer.starts_with("::ffff:127.");
}

bool HasParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    if (parameter.substr(0, parameter.find('=')) == name) return true;
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
  }
  return false;
}

void AnswerText(int status, std::string_view text, http::Response* response) {
  response->status = status;
  response->content_type = "text/plain; charset=utf-8";
  response->body = text;
}

// Never empty: that would be a check that passed.
std::string WhyNot(const absl::Status& status) {
  return std::string(status.message().empty() ? "not ready" : status.message());
}

}  // namespace

void AdminRoutes::Handle(const http::Request& request, http::Response* response) const {
  if (!IsGetOrHead(request)) return AnswerWrongMethod(request, "GET, HEAD", response);
  const bool verbose = HasParameter(request.query, "verbose");
  const bool local = IsLoopback(request.peer);
  if (request.path == "/livez") return AnswerLive(local, response);
  if (request.path == "/readyz" && !verbose) return AnswerReady(response);

  if (request.path == "/metrics" && (local || metrics_from_anywhere_)) {
    response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    response->body = metrics_.Render();
    return;
  }
  if (!local) return AnswerError(403, kLoopbackOnly, response);
  if (request.path == "/readyz") return AnswerReadyVerbose(response);
  if (request.path == "/version") return AnswerVersion(response);
  AnswerOther(request, response);
}

std::span<const engine::OfferedPage> AdminRoutes::Pages() const {
  if (engine_ == nullptr) return {};
  return engine_->pages();
}

std::optional<size_t> AdminRoutes::FindPage(std::string_view path) const {
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  const std::span<const engine::OfferedPage> pages = Pages();
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].spec.name == path) return i;
  }
  return std::nullopt;
}

void AdminRoutes::AnswerOther(const http::Request& request, http::Response* response) const {
  if (const auto page = FindPage(request.path)) return AnswerPage(*engine_, *page, response);
  std::string served(kPaths);
  for (const engine::OfferedPage& page : Pages()) {
    served += fmt::format(", /{} (of agent {}: {})", page.spec.name, page.agent, page.spec.help);
  }
  AnswerError(
      404, fmt::format("no such path: {}; served: {}", Shortened(request.path, kMaxQuoted), served),
      response);
}

std::vector<Check> AdminRoutes::RunChecks() const {
  const Readiness readiness = readiness_;
  std::vector<Check> checks = {
      {"listener", ""},
      {"started", readiness == Readiness::kStarting ? "starting" : ""},
      {"not-draining", readiness == Readiness::kDraining ? "draining" : ""}};
  if (checks_) {
    for (Check& check : checks_()) checks.push_back(std::move(check));
  }
  if (engine_ == nullptr) return checks;
  for (const engine::AgentReadiness& agent : engine_->Readiness()) {
    const std::string why_not = agent.ready.ok() ? "" : WhyNot(agent.ready);
    checks.push_back({fmt::format("agent-{}", agent.agent), why_not});
  }
  return checks;
}

/// Peers from outside get no text of an agent.
void AdminRoutes::AnswerLive(bool local, http::Response* response) const {
  const absl::Status live = engine_ == nullptr ? absl::OkStatus() : engine_->Live();
  if (live.ok()) return AnswerText(200, "ok", response);
  AnswerText(503, local ? fmt::format("not live: {}", std::string(live.message())) : "not live",
             response);
}

/// Peers from outside get names of checks: why one fails may quote what others said.
void AdminRoutes::AnswerReady(http::Response* response) const {
  for (const Check& check : RunChecks()) {
    if (check.why_not.empty()) continue;
    const bool own = check.name == "started" || check.name == "not-draining";
    return AnswerText(503, fmt::format("not ready: {}", own ? check.why_not : check.name),
                      response);
  }
  AnswerText(200, "ok", response);
}

void AdminRoutes::AnswerReadyVerbose(http::Response* response) const {
  std::string text;
  bool ready = true;
  for (const Check& check : RunChecks()) {
    const bool passed = check.why_not.empty();
    text += passed ? fmt::format("[+]{} ok\n", check.name)
                   : fmt::format("[-]{} failed: {}\n", check.name, check.why_not);
    ready = ready && passed;
  }
  AnswerText(ready ? 200 : 503, text + (ready ? "readyz check passed\n" : "readyz check failed\n"),
             response);
}

}  // namespace outrigger::server
