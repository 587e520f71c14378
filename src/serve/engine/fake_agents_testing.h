#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "serve/engine/engine.h"

// Agents whose answers a test decides, and an observer that remembers.

namespace outrigger::engine {

/// Rejects nodes annotated `reject`, with that text as reason; `reject: unresolvable...` makes the
/// rejection unresolvable. Scores by annotation `score`.
class ByAnnotation final : public Agent, public Filterer, public Scorer {
 public:
  Needs Reads() const override { return Needs().NodeAnnotations({"reject", "score"}); }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const std::string_view reason = request.nodes[i].annotations.Get("reject");
      if (reason == "throw") throw std::runtime_error("secret detail");
      if (reason == "status") return absl::UnavailableError("the source is gone");
      if (reason.starts_with("unresolvable")) {
        verdicts[i] = Verdict::Unresolvable("never", "{}", reason);
      } else if (!reason.empty()) {
        verdicts[i] = Verdict::Rejected("annotated", "{}", reason);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      scores[i] = {request.AnnotationDouble(request.nodes[i], "score").value_or(0), ""};
    }
    return absl::OkStatus();
  }
};

/// Rejects every node it is asked about whose name is in no list; remembers what it was asked.
class OnlyNamed final : public Agent, public Filterer, public Scorer {
 public:
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      asked.push_back(request.nodes[i].name);
      if (request.nodes[i].name != "a") verdicts[i] = Verdict::Rejected("name", "is not a");
    }
    return absl::OkStatus();
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      scores[i].value = request.nodes[i].name == "a" ? 1 : 0;
    }
    return absl::OkStatus();
  }
  static inline std::vector<std::string> asked;
};

class BindsEverything final : public Agent, public Binder {
 public:
  absl::Status Bind(const BindRequest& request) override {
    if (request.node == "full") return absl::ResourceExhaustedError("node full is full");
    if (request.abandoned.stop_requested()) return absl::CancelledError("nobody waits");
    return absl::OkStatus();
  }
};

/// Keeps the first candidate, or answers with a node nobody offered.
class PicksFirst final : public Agent, public Preempter {
 public:
  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    if (request.pod.name == "liar") {
      chosen->push_back({.node = "elsewhere", .pod_uids = {}});
    } else if (!request.candidates.empty()) {
      chosen->push_back(request.candidates.front());
    }
    return absl::OkStatus();
  }
};

class RecordingObserver final : public Observer {
 public:
  void OnCall(const CallRecord& call) override {
    const std::lock_guard lock(mutex_);
    last_error = call.error;
    last_agent = call.agent;
    last_nodes = call.nodes;
    ++calls;
  }
  void OnRejected(std::string_view agent, std::string_view reason_class, size_t count) override {
    const std::lock_guard lock(mutex_);
    rejected[std::string(agent) + "/" + std::string(reason_class)] += count;
  }
  void OnMalformed(std::string_view agent, std::string_view field) override {
    const std::lock_guard lock(mutex_);
    ++malformed[std::string(agent) + "/" + std::string(field)];
  }
  void OnUnknownNodes(std::string_view, size_t count) override {
    const std::lock_guard lock(mutex_);
    unknown += count;
  }

  ErrorKind last_error = ErrorKind::kNone;
  std::string last_agent;
  size_t last_nodes = 0;
  size_t calls = 0;
  size_t unknown = 0;
  std::map<std::string, size_t> rejected;
  std::map<std::string, size_t> malformed;

 private:
  std::mutex mutex_;
};

template <typename AgentType>
AgentInfo InfoOf(std::string name) {
  return {.name = std::move(name),
          .summary = "a test agent",
          .port = 1,
          .factory = internal::MakeAgentFactory<AgentType, NoSettings>()};
}

/// The token of a call whose caller has gone.
inline std::stop_token Stopped() {
  // On the heap: gcc 12 takes one on the stack for uninitialized.
  const auto gone = std::make_unique<std::stop_source>();
  gone->request_stop();
  return gone->get_token();
}

/// An engine over test agents, asked in JSON.
class TestEngine {
 public:
  TestEngine& Add(AgentInfo info, double weight = 1) {
    SettingsValues settings = info.factory.settings.Defaults();
    return Add(std::move(info), weight, std::move(settings));
  }
  TestEngine& Add(AgentInfo info, double weight, SettingsValues settings) {
    infos_.push_back(std::make_unique<AgentInfo>(std::move(info)));
    weights_.push_back(weight);
    settings_.push_back(std::move(settings));
    return *this;
  }
  TestEngine& Nodes(std::vector<Node> nodes) {
    source_ = std::make_unique<FixedNodes>(std::move(nodes));
    return *this;
  }
  TestEngine& From(std::unique_ptr<NodeSource> source) {
    source_ = std::move(source);
    return *this;
  }
  TestEngine& Cluster(ClusterAccess* cluster) {
    world_.cluster = cluster;
    return *this;
  }
  absl::Status Make() {
    std::vector<ServedAgent> served;
    for (size_t i = 0; i < infos_.size(); ++i) {
      served.push_back({.info = infos_[i].get(), .settings = settings_[i], .weight = weights_[i]});
    }
    auto made = Engine::Create(served, &observer, source_.get(), world_);
    if (!made.ok()) return made.status();
    engine_ = *std::move(made);
    return absl::OkStatus();
  }
  const Engine& operator*() const { return *engine_; }
  Engine& operator*() { return *engine_; }
  bool Serves(std::string_view path) const { return Find(path) < engine_->endpoints().size(); }

  Reply Call(std::string_view path, std::string body) {
    return Call(path, std::move(body), abandoned);
  }
  /// As a caller of its own; from any thread.
  Reply Call(std::string_view path, std::string body, std::stop_token caller) {
    const size_t size = body.size();
    body.resize(size + wire::kPadding, ' ');
    Reply reply;
    engine_->Call(Find(path), {body.data(), size}, std::move(caller), &reply);
    // In one piece, and not longer than the request.
    for (auto echo = reply.echoes.rbegin(); echo != reply.echoes.rend(); ++echo) {
      reply.body.insert(echo->at, echo->bytes);
    }
    reply.echoes.clear();
    return reply;
  }
  nlohmann::json CallJson(std::string_view path, const nlohmann::json& body) {
    return nlohmann::json::parse(Call(path, body.dump()).body);
  }

  RecordingObserver observer;
  std::stop_token abandoned;  // of the calls that come

 private:
  size_t Find(std::string_view path) const {
    const auto& endpoints = engine_->endpoints();
    size_t i = 0;
    while (i < endpoints.size() && endpoints[i].path != path) ++i;
    return i;
  }

  std::vector<std::unique_ptr<AgentInfo>> infos_;
  std::vector<double> weights_;
  std::vector<SettingsValues> settings_;
  std::unique_ptr<NodeSource> source_;
  AgentWorld world_;
  std::unique_ptr<Engine> engine_;
};

/// A node in JSON with annotations.
inline nlohmann::json JsonNode(const std::string& name,
                               const std::map<std::string, std::string>& annotations = {}) {
  return {{"metadata", {{"name", name}, {"annotations", annotations}}}};
}

/// ExtenderBindingArgs of pod default/p.
inline nlohmann::json BindArgs(const std::string& node) {
  return {{"PodName", "p"}, {"PodNamespace", "default"}, {"PodUID", "u"}, {"Node", node}};
}

/// ExtenderArgs with full nodes.
inline nlohmann::json FullArgs(std::vector<nlohmann::json> nodes) {
  return {{"Pod", {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", "u"}}}}},
          {"Nodes", {{"metadata", nlohmann::json::object()}, {"items", std::move(nodes)}}},
          {"NodeNames", nullptr}};
}

/// ExtenderArgs with names only.
inline nlohmann::json NamesArgs(std::vector<std::string> names) {
  return {{"Pod", {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", "u"}}}}},
          {"Nodes", nullptr},
          {"NodeNames", std::move(names)}};
}

}  // namespace outrigger::engine
