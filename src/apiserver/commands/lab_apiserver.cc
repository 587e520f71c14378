#include "apiserver/commands/lab_apiserver.h"

#include <iterator>
#include <memory>
#include <ostream>

#include "apiserver/commands/lab_cluster.h"
#include "apiserver/files/loader.h"
#include "apiserver/server.h"
#include "console/format/files.h"
#include "console/format/yaml.h"
#include "console/format/yaml_json.h"
#include "console/process/log.h"
#include "console/process/signals.h"
#include "console/reading/live_client.h"
#include "fmt/format.h"
#include "kube/api.h"
#include "kube/errors.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

absl::Status AddFile(const std::string& path, const World& world, apiserver::Loader* loader) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(world.in), {});
  } else {
    absl::StatusOr<std::string> read = ReadFile(path);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  const std::string name = path == "-" ? "standard input" : path;
  return ForEachYamlDocument(name, text, [&](std::string* json) {
    const absl::Status status = loader->Add(apiserver::Json::parse(*json));
    return status.ok() ? status
                       : absl::InvalidArgumentError(
                             fmt::format("{}: {}", name, std::string(status.message())));
  });
}

absl::StatusOr<apiserver::Loaded> LoadFiles(const std::vector<std::string>& files,
                                            apiserver::Sender send, const World& world) {
  apiserver::Loader loader(std::move(send));
  for (const std::string& file : files) {
    if (absl::Status status = AddFile(file, world, &loader); !status.ok()) return status;
  }
  absl::StatusOr<apiserver::Loaded> loaded = loader.Send();
  if (loaded.ok()) {
    for (const std::string& note : loaded->notes) world.err << note << "\n";
  }
  return loaded;
}

// Asks the server of this process without a connection.
apiserver::Sender InProcess(apiserver::Server* server) {
  return [server](std::string_view method, const std::string& path, std::string_view content_type,
                  const std::string& body) -> absl::StatusOr<apiserver::Sent> {
    http::Request request;
    request.method = method;
    const size_t query = path.find('?');
    request.path = std::string_view(path).substr(0, query);
    if (query != path.npos) request.query = std::string_view(path).substr(query + 1);
    request.content_type = content_type;
    request.body = body;
    http::Response response;
    server->Handle(request, &response);
    return apiserver::Sent{response.status, apiserver::Json::parse(response.body, nullptr, false)};
  };
}

apiserver::Sender OverClient(kube::Api* api) {
  return [api](std::string_view method, const std::string& path, std::string_view content_type,
               const std::string& body) -> absl::StatusOr<apiserver::Sent> {
    kube::ApiRequest request;
    request.method = method;
    request.path = path;
    request.content_type = content_type;
    request.body = body;
    const absl::StatusOr<kube::ApiResponse> answer = api->Call(request);
    if (const auto refused = kube::ApiErrorOf(answer.status())) {
      return apiserver::Sent{refused->code, {{"message", refused->message}}};
    }
    if (!answer.ok()) return answer.status();
    return apiserver::Sent{answer->code, apiserver::Json::parse(answer->body, nullptr, false)};
  };
}

}  // namespace

absl::Status RunApiServer(const ApiServerFlags& flags, const World& world) {
  HoldSignals();
  StartLogging({});
  apiserver::ServerOptions options;
  options.port = flags.port;
  options.admission.gangs = flags.gangs;
  auto server = apiserver::Server::Start(options);
  if (!server.ok()) return server.status();
  const absl::StatusOr<apiserver::Loaded> loaded =
      LoadFiles(flags.files, InProcess(server->get()), world);
  if (!loaded.ok()) return loaded.status();
  spdlog::info("lab apiserver: serves {}, {} objects of files", (*server)->Url(),
               loaded->created + loaded->changed);
  if (!flags.kubeconfig.empty()) {
    if (absl::Status status = WriteText(flags.kubeconfig, LabKubeconfig((*server)->port()));
        !status.ok()) {
      return Of("--write-kubeconfig", status);
    }
  }
  LabCluster cluster(flags, (*server)->port());
  if (absl::Status status = cluster.Start(world); !status.ok()) return status;
  absl::Status status = cluster.WaitForStop();
  spdlog::info("lab apiserver: stopping");
  cluster.Stop();
  return status;
}

absl::StatusOr<std::string> RunLabLoad(const LabFileFlags& flags, const World& world) {
  const auto client =
      OpenLiveClient({flags.kubeconfig, flags.context}, world.environment, "--kubeconfig FILE", {});
  if (!client.ok()) return client.status();
  const auto loaded = LoadFiles(flags.files, OverClient(client->client.get()), world);
  if (!loaded.ok()) return loaded.status();
  return fmt::format("{} created, {} changed\n", loaded->created, loaded->changed);
}

absl::StatusOr<std::string> RunLabSave(const LabFileFlags& flags, const World& world) {
  const auto client =
      OpenLiveClient({flags.kubeconfig, flags.context}, world.environment, "--kubeconfig FILE", {});
  if (!client.ok()) return client.status();
  const auto saved = apiserver::SaveObjects(OverClient(client->client.get()));
  if (!saved.ok()) return saved.status();
  for (const std::string& note : saved->notes) world.err << note << "\n";
  std::string text;
  for (const apiserver::Json& object : saved->objects) {
    if (!text.empty()) text += "---\n";
    text += YamlFromJson(nlohmann::ordered_json::parse(object.dump()));
  }
  return text;
}

}  // namespace outrigger::cli
