#include "apiserver/server.h"

#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "apiserver/controllers/controllers.h"
#include "apiserver/verbs/verbs.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMostBody = size_t{3} << 20;
constexpr std::string_view kVersion = "v1.37.2+outrigger-lab";

void Answer(const Failure& failure, http::Response* response) {
  response->status = failure.code;
  response->body = failure.Body().dump();
  if (failure.retry_after) {
    response->headers.emplace_back("Retry-After", std::to_string(*failure.retry_after));
  }
}

Json VersionJson() {
  return {{"major", "1"},           {"minor", "37"},
          {"gitVersion", kVersion}, {"gitTreeState", "clean"},
          {"compiler", "none"},     {"platform", "linux/amd64"},
          {"gitCommit", ""},        {"buildDate", ""},
          {"goVersion", ""}};
}

// What is there from the start: path and object, made as users' objects are.
constexpr std::pair<const char*, const char*> kBuiltIn[] = {
    {"/api/v1/namespaces", R"({"metadata":{"name":"default"}})"},
    {"/api/v1/namespaces", R"({"metadata":{"name":"kube-node-lease"}})"},
    {"/api/v1/namespaces", R"({"metadata":{"name":"kube-public"}})"},
    {"/api/v1/namespaces", R"({"metadata":{"name":"kube-system"}})"},
    {"/apis/scheduling.k8s.io/v1/priorityclasses",
     R"({"metadata":{"name":"system-cluster-critical"},"value":2000000000,"description":"Used for )"
     R"(system critical pods that must run in the cluster, but can be moved to another node if )"
     R"(necessary."})"},
    {"/apis/scheduling.k8s.io/v1/priorityclasses",
     R"({"metadata":{"name":"system-node-critical"},"value":2000001000,"description":"Used for )"
     R"(system critical pods that must not be moved from their current node."})"},
    {"/api/v1/namespaces/default/services",
     R"({"metadata":{"name":"kubernetes","labels":{"component":"apiserver",)"
     R"("provider":"kubernetes"}},"spec":{"clusterIP":"10.0.0.1",)"
     R"("ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":6443}]}})"},
};

// A header of HTTP: `Warning: 299 - "text"`.
std::string WarningText(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += absl::ascii_iscntrl(static_cast<unsigned char>(c)) ? ' ' : c;
  }
  return fmt::format("299 - \"{}\"", quoted);
}

// Paths that are no resources'. False: it is another.
bool AnswerDocument(const Catalog& catalog, const http::Request& request,
                    http::Response* response) {
  const std::string_view path = request.path;
  if (path == "/healthz" || path == "/livez" || path == "/readyz") {
    response->content_type = "text/plain; charset=utf-8";
    response->body = "ok";
    return true;
  }
  if (path == "/openapi/v2" && request.method == "GET") {
    // kubectl asks for it to validate the items of a List, and leaves kinds that it does not have
    // to the server: the protobuf without any field is a document without kinds.
    response->content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    return true;
  }
  const std::string_view accept = request.Header("Accept");
  const bool aggregated = accept.find("as=APIGroupDiscoveryList") != std::string_view::npos;
  const auto document = path == "/version" ? VersionJson() : DiscoveryAt(catalog, path, aggregated);
  if (!document) return false;
  if (request.method != "GET") {
    Answer(Failure::MethodNotAllowed(), response);
    return true;
  }
  if (document->value("kind", "") == "APIGroupDiscoveryList") {
    response->content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  }
  response->body = document->dump();
  return true;
}

}  // namespace

struct Server::Parts {
  explicit Parts(const ServerOptions& options)
      : store(options.past),
        catalog(&store),
        watches(&store, options.clock),
        admission(&store, options.admission),
        writes({&store, &catalog, &admission, options.seed, options.clock}),
        api{&store, &catalog, &writes, &watches, options.clock},
        controllers({&store, &catalog, &writes, options.clock}) {}

  Store store;
  Catalog catalog;
  Watches watches;
  Admission admission;
  Writes writes;
  const Api api;
  Controllers controllers;
  std::unique_ptr<http::Server> http;  // ends first
};

Server::Server(const ServerOptions& options) : parts_(std::make_unique<Parts>(options)) {}

Server::~Server() {
  parts_->http.reset();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  std::unique_ptr<Server> server(new Server(options));
  for (const auto& [path, object] : kBuiltIn) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.body = object;
    http::Response ignored;
    server->Handle(request, &ignored);
  }
  if (options.controllers) server->parts_->controllers.Start();
  http::ServerOptions http;
  http.port = options.port;
  http.max_body = kMostBody;
  http.may_block = nullptr;
  auto started = http::Server::Start(
      http, [self = server.get()](const http::Request& request, http::Response* response) {
        self->Handle(request, response);
      });
  if (!started.ok()) return started.status();
  server->parts_->http = *std::move(started);
  return server;
}

uint16_t Server::port() const {
  return parts_->http->port();
}

std::string Server::Url() const {
  return fmt::format("http://127.0.0.1:{}", port());
}

const Writes& Server::writes() const {
  return parts_->writes;
}

const Catalog& Server::catalog() const {
  return parts_->catalog;
}

Store& Server::store() {
  return parts_->store;
}

void Server::Handle(const http::Request& request, http::Response* response) {
  if (std::string fault = http::ForeignPageFault(request); !fault.empty()) {
    return Answer({.code = 403, .reason = "Forbidden", .message = std::move(fault)}, response);
  }
  if (AnswerDocument(parts_->catalog, request, response)) return;
  const auto target = ParseTarget(request.path);
  ServedPtr served;
  if (target) served = parts_->catalog.Find(target->group, target->version, target->plural);
  if (served == nullptr || (!served->namespaced && !target->namespace_.empty())) {
    return Answer(Failure::NoSuchPath(), response);
  }
  Call call{request, *target, {}, served};
  if (auto failure = Query::Parse(request.query, &call.query)) return Answer(*failure, response);
  Reply reply;
  const auto failure = Perform(parts_->api, &call, &reply);
  for (const std::string& warning : call.warnings) {
    response->headers.emplace_back("Warning", WarningText(warning));
  }
  if (failure) return Answer(*failure, response);
  response->status = reply.code;
  response->body = std::move(reply.body);
  response->stream = std::move(reply.stream);
}

}  // namespace outrigger::apiserver
