#pragma once

#include <map>
#include <string>
#include <vector>

#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {

/// An API server that has these objects, by the last part of the path: "devicepools", "nodes" or
/// "pods/web". What is not here is 404.
class ObjectServer {
 public:
  using Answers = std::map<std::string, nlohmann::json>;

  explicit ObjectServer(Answers answers)
      : answers_(std::move(answers)),
        server_([this](kube::RawPeer& peer, size_t) { Serve(peer); }),
        kubeconfig_(fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                "users: [{{name: u, user: {{}}}}]\n"
                                "contexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
                                "current-context: x\n",
                                server_.url()),
                    "config") {}

  const std::string& kubeconfig() const { return kubeconfig_.path(); }
  std::string url() const { return server_.url(); }

  /// A list of one kind.
  static nlohmann::json List(const std::vector<nlohmann::json>& items) {
    return {{"kind", "List"}, {"metadata", {{"resourceVersion", "7"}}}, {"items", items}};
  }
  static nlohmann::json Refusal(int code) {
    return {{"kind", "Status"}, {"code", code}, {"message", "refused"}};
  }

 private:
  void Serve(kube::RawPeer& peer) const {
    for (std::string request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      const size_t begin = request.find(' ') + 1;
      const std::string path = request.substr(begin, request.find_first_of(" ?", begin) - begin);
      nlohmann::json answer = Refusal(404);
      for (const auto& [end, known] : answers_) {
        if (path.ends_with("/" + end)) answer = known;
      }
      const bool is_refusal = answer.value("kind", "") == "Status";
      peer.Send(kube::Answer(is_refusal ? answer.at("code").get<int>() : 200, answer.dump()));
    }
  }

  const Answers answers_;
  const kube::RawServer server_;
  const testing::TempFile kubeconfig_;
};

}  // namespace outrigger::cli
