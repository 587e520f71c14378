#include "server/admin_routes.h"

#include <fmt/format.h>

#include <string_view>

#include "server/answers.h"

namespace outrigger::server {
namespace {

constexpr std::string_view kPaths = "/livez, /readyz, /readyz?verbose, /metrics, /version";

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

std::string_view WhyNotReady(Readiness readiness) {
  switch (readiness) {
    case Readiness::kStarting:
      return "starting";
    case Readiness::kReady:
      return "";
    case Readiness::kDraining:
      return "draining";
  }
  return "unknown";
}

}  // namespace

void AdminRoutes::Handle(const http::Request& request, http::Response* response) const {
  if (!IsGetOrHead(request)) return AnswerWrongMethod(request, "GET, HEAD", response);
  const bool verbose = HasParameter(request.query, "verbose");
  if (request.path == "/livez") return AnswerText(200, "ok", response);
  if (request.path == "/readyz" && !verbose) return AnswerReady(response);

  const bool local = IsLoopback(request.peer);
  if (request.path == "/metrics" && (local || metrics_from_anywhere_)) {
    response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    response->body = metrics_.Render();
    return;
  }
  if (!local) return AnswerError(403, "answered on loopback only", response);
  if (request.path == "/readyz") return AnswerReadyVerbose(response);
  if (request.path == "/version") return AnswerVersion(response);
  AnswerError(404, fmt::format("no such path: {}; served: {}", Shortened(request.path), kPaths),
              response);
}

void AdminRoutes::AnswerReady(http::Response* response) const {
  const std::string_view why_not = WhyNotReady(readiness_);
  if (why_not.empty()) return AnswerText(200, "ok", response);
  AnswerText(503, fmt::format("not ready: {}", why_not), response);
}

void AdminRoutes::AnswerReadyVerbose(http::Response* response) const {
  const Readiness readiness = readiness_;
  const auto line = [](std::string_view check, bool passed, std::string_view why_not) {
    return passed ? fmt::format("[+]{} ok\n", check)
                  : fmt::format("[-]{} failed: {}\n", check, why_not);
  };
  const bool ready = readiness == Readiness::kReady;
  AnswerText(ready ? 200 : 503,
             line("listener", true, "") +
                 line("started", readiness != Readiness::kStarting, "starting") +
                 line("not-draining", readiness != Readiness::kDraining, "draining") +
                 (ready ? "readyz check passed\n" : "readyz check failed\n"),
             response);
}

}  // namespace outrigger::server
