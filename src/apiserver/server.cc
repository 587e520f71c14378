#include "apiserver/server.h"

#include <string_view>
#include <utility>

#include "apiserver/built_in.h"
#include "apiserver/controllers/controllers.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/verbs/definitions.h"
#include "apiserver/verbs/discovery.h"
#include "apiserver/verbs/reads.h"
#include "apiserver/verbs/reviews.h"
#include "apiserver/verbs/target.h"
#include "apiserver/verbs/watches.h"
#include "fmt/format.h"
#include "sdk/base/url.h"

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

std::string HostOf(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

// A page in a browser must not reach it: neither by a name of its own that resolves to loopback
// (DNS rebinding) nor as a script.
std::optional<Failure> CheckOrigin(const http::Request& request) {
  const std::string_view host = request.Header("Host");
  if (!host.empty() && !IsLoopback(HostOf(host))) {
    return Failure{.code = 403,
                   .reason = "Forbidden",
                   .message = fmt::format("the header Host \"{}\" names no loopback address: use "
                                          "127.0.0.1 or localhost",
                                          host)};
  }
  if (request.Header("Origin").empty()) return std::nullopt;
  return Failure{.code = 403,
                 .reason = "Forbidden",
                 .message = "requests of web pages (header Origin) are refused"};
}

Json VersionJson() {
  return {{"major", "1"},           {"minor", "37"},
          {"gitVersion", kVersion}, {"gitTreeState", "clean"},
          {"compiler", "none"},     {"platform", "linux/amd64"},
          {"gitCommit", ""},        {"buildDate", ""},
          {"goVersion", ""}};
}

bool WantsAggregated(const http::Request& request) {
  return request.Header("Accept").find("as=APIGroupDiscoveryList") != std::string_view::npos;
}

void AnswerJson(const Json& json, http::Response* response) {
  response->body = json.dump();
}

}  // namespace

struct Server::Parts {
  explicit Parts(const ServerOptions& options)
      : clock(options.clock),
        store(options.past),
        catalog(&store),
        watches(&store, options.clock),
        reads(&store, &watches, options.clock),
        ids(options.seed),
        admission(&store, options.admission),
        writes({&store, &catalog, &admission, &reads, &ids, options.clock}),
        definitions(&store, &catalog, &writes, &watches, options.clock),
        controllers({&store, &catalog, &writes, options.clock}) {}

  const Clock clock;
  Store store;
  Catalog catalog;
  Watches watches;
  Reads reads;
  Ids ids;
  Admission admission;
  Writes writes;
  Definitions definitions;
  Controllers controllers;
  std::unique_ptr<http::Server> http;  // ends first
};

Server::Server(const ServerOptions& options) : parts_(std::make_unique<Parts>(options)) {}

Server::~Server() {
  parts_->http.reset();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  std::unique_ptr<Server> server(new Server(options));
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
  for (Json& object : BuiltInObjects(server->port())) server->AddBuiltIn(std::move(object));
  return server;
}

// Through the same ways as what users send.
void Server::AddBuiltIn(Json object) {
  const std::string version = object["apiVersion"];
  const size_t slash = version.find('/');
  const std::string group = slash == version.npos ? "" : version.substr(0, slash);
  const ServedPtr served =
      parts_->catalog.FindKind(group, version.substr(slash == version.npos ? 0 : slash + 1),
                               object["kind"].get<std::string>());
  object.erase("apiVersion");
  object.erase("kind");
  std::vector<std::string> ignored;
  (void)Conform(*served->type, &object, &ignored);
  SetDefaults(*served->type, &object);
  StoredPtr stored;
  (void)parts_->writes.Add(*served, std::move(object), false, &ignored, &stored);
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
  if (auto failure = CheckOrigin(request)) return Answer(*failure, response);
  Dispatch(request, response);
}

namespace {

// Paths that are no resources'. False: it is another.
bool AnswerPlain(const Catalog& catalog, const http::Request& request, http::Response* response) {
  std::string_view path = request.path;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/healthz" || path == "/livez" || path == "/readyz") {
    response->content_type = "text/plain; charset=utf-8";
    response->body = "ok";
  } else if (path == "/version") {
    AnswerJson(VersionJson(), response);
  } else if ((path == "/api" || path == "/apis") && WantsAggregated(request)) {
    response->content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    AnswerJson(GroupDiscovery(catalog, path == "/api"), response);
  } else if (path == "/api") {
    AnswerJson(CoreVersions(), response);
  } else if (path == "/apis") {
    AnswerJson(GroupList(catalog), response);
  } else if (path == "/openapi/v3") {
    AnswerJson(OpenApiIndex(catalog), response);
  } else if (path == "/openapi/v2") {
    // kubectl asks for it to validate the items of a List, and leaves kinds that it does not have to
    // the server: the protobuf without any field is a document without kinds.
    response->content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  } else {
    return false;
  }
  return true;
}

// Documents of a group, a group version, or OpenAPI. Nothing: another path.
std::optional<Json> DocumentAt(const Catalog& catalog, std::string_view path) {
  constexpr std::string_view kOpenApi = "/openapi/v3/";
  constexpr std::string_view kGroups = "/apis/";
  if (path.starts_with(kOpenApi)) return OpenApiOf(catalog, path.substr(kOpenApi.size()));
  const auto target = ParseTarget(path);
  if (target && target->plural.empty()) {
    return ResourceList(catalog, target->group, target->version);
  }
  if (!target && path.starts_with(kGroups)) return GroupOf(catalog, path.substr(kGroups.size()));
  return std::nullopt;
}

bool IsOfContainers(std::string_view subresource) {
  return subresource == "log" || subresource == "exec" || subresource == "attach" ||
         subresource == "portforward" || subresource == "ephemeralcontainers";
}

std::optional<Failure> Perform(const Reads& reads, const Writes& writes, Call* call, Reply* reply) {
  const std::string_view method = call->http.method;
  const std::string& subresource = call->target.subresource;
  const Served& served = *call->served;
  if (served.collection == nullptr) {
    if (served.kind == "Binding" && method == "POST") return writes.Bind(call, reply);
    return method == "POST" ? Review(call, reply) : Failure::MethodNotAllowed();
  }
  if (!subresource.empty() && !served.HasSubresource(subresource)) {
    return IsOfContainers(subresource) ? Failure::NoContainers(subresource) : Failure::NoSuchPath();
  }
  if (subresource == "binding" || subresource == "eviction") {
    if (method != "POST") return Failure::MethodNotAllowed();
    return subresource == "binding" ? writes.Bind(call, reply) : writes.Evict(call, reply);
  }
  if (subresource == "scale") return writes.Scale(call, reply);
  const bool is_one = !call->target.name.empty();
  if (method == "GET") return is_one ? reads.Get(*call, reply) : reads.List(*call, reply);
  if (method == "POST" && subresource.empty()) return writes.Create(call, reply);
  if (method == "PUT" && is_one) return writes.Update(call, reply);
  if (method == "PATCH" && is_one) return writes.Patch(call, reply);
  if (method == "DELETE" && subresource.empty() && (is_one || served.HasVerb("deletecollection"))) {
    return is_one ? writes.Delete(call, reply) : writes.DeleteMany(call, reply);
  }
  return Failure::MethodNotAllowed();
}

// A header of HTTP: `Warning: 299 - "text"`.
std::string WarningText(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return fmt::format("299 - \"{}\"", quoted);
}

}  // namespace

void Server::Dispatch(const http::Request& request, http::Response* response) {
  if (request.method == "GET" && AnswerPlain(parts_->catalog, request, response)) return;
  if (const auto document = DocumentAt(parts_->catalog, request.path)) {
    if (request.method != "GET") return Answer(Failure::MethodNotAllowed(), response);
    return AnswerJson(*document, response);
  }
  const auto target = ParseTarget(request.path);
  ServedPtr served;
  if (target) served = parts_->catalog.Find(target->group, target->version, target->plural);
  if (served == nullptr) {
    if (target || request.path.starts_with("/api/")) {
      return Answer(Failure::NoSuchPath(), response);
    }
    response->status = 404;
    response->content_type = "text/plain; charset=utf-8";
    response->body = "404 page not found\n";
    return;
  }
  if (!ReadAccept(request.Header("Accept")).json) {
    return Answer({.code = 406,
                   .reason = "NotAcceptable",
                   .message = "only the following media types are accepted: application/json"},
                  response);
  }
  Call call{request, *target, {}, served};
  if (auto failure = Query::Parse(request.query, &call.query)) return Answer(*failure, response);
  Reply reply;
  const auto failure = Perform(parts_->reads, parts_->writes, &call, &reply);
  for (const std::string& warning : call.warnings) {
    response->headers.emplace_back("Warning", WarningText(warning));
  }
  if (failure) return Answer(*failure, response);
  if (request.method != "GET") {
    const std::string& name = reply.name.empty() ? call.target.name : reply.name;
    parts_->definitions.AfterWrite(*served, name);
  }
  response->status = reply.code;
  response->body = std::move(reply.body);
  response->stream = std::move(reply.stream);
}

}  // namespace outrigger::apiserver
