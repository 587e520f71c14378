#include "serve/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "codec/json/parser.h"
#include "codec/json/text.h"
#include "fmt/format.h"
#include "serve/engine/bind.h"
#include "serve/engine/call.h"
#include "serve/engine/catch_up.h"
#include "serve/engine/decision_log.h"
#include "serve/engine/instance.h"
#include "serve/engine/pages.h"
#include "serve/engine/text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

/// One question, and whether anybody still waits for its answer.
struct Asked {
  wire::Body body;
  std::stop_token abandoned;
};

class EngineImpl final : public Engine {
 public:
  EngineImpl(Observer* observer, const NodeSource* nodes, ClusterWriter* cluster)
      : observer_(observer),
        source_(nodes),
        cluster_(cluster),
        decoder_diagnostics_("", observer) {}

  absl::Status Init(const std::vector<ServedAgent>& agents, const AgentWorld& world);

  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }
  const Needs& needs() const override { return needs_; }
  const std::vector<OfferedPage>& pages() const override { return pages_.offered(); }
  absl::StatusOr<PageTable> ReadPage(size_t page, size_t max_rows) const override {
    return pages_.Read(page, max_rows);
  }
  absl::Status Start() override;
  void Stop() override;
  absl::Status Live() const override;
  std::vector<AgentReadiness> Readiness() const override;
  void Call(size_t endpoint, wire::Body body, std::stop_token abandoned,
            Reply* reply) const override;
  void Trim() const override { json::TrimParsers(); }

 private:
  /// The first status of a controller that is not OK, with the name of its agent.
  absl::Status FirstBad(absl::Status (*ask)(Controller* controller)) const;
  CallError Answer(const Pipeline& pipeline, const Asked& asked, size_t* nodes, Reply* reply) const;
  CallError AnswerNodes(const Pipeline& pipeline, const Asked& asked, size_t* nodes,
                        Reply* reply) const;
  CallError Filter(const Pipeline& pipeline, CallState* state) const;
  CallError AwaitNodes(const Pipeline& pipeline, CallState* state, bool* changed) const;
  bool MayBeBehind(const Pipeline& pipeline, const CallState& state) const;
  CallError AnswerBind(const Pipeline& pipeline, const Asked& asked, std::string* out) const;
  CallError AnswerPreempt(const Pipeline& pipeline, const Asked& asked, size_t* nodes,
                          std::string* out) const;
  void Report(const std::vector<wire::MalformedValue>& malformed) const;

  Observer* const observer_;
  const NodeSource* const source_;
  ClusterWriter* const cluster_;  // null: there is none
  mutable CountingDiagnostics decoder_diagnostics_;
  std::vector<Instance> instances_;
  std::vector<Pipeline> pipelines_;
  std::vector<Endpoint> endpoints_;
  Pages pages_;
  Needs needs_;
  mutable CallStatePool states_;
  mutable CatchUp catch_up_;
};

// A victim that does not exist on its node fails the whole cycle in the scheduler, with a text that
// names nobody: find the agent at fault here. Empty if all is well.
std::string NotASubset(const std::vector<NodeVictims>& chosen,
                       const std::vector<NodeVictims>& candidates) {
  for (const NodeVictims& pick : chosen) {
    const auto offered =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const NodeVictims& candidate) { return candidate.node == pick.node; });
    if (offered == candidates.end()) {
      return fmt::format("chose node {:?}, which was not a candidate", pick.node);
    }
    const auto& uids = offered->pod_uids;
    if (uids.empty()) continue;  // the agent chooses them
    for (const std::string& uid : pick.pod_uids) {
      if (std::find(uids.begin(), uids.end(), uid) == uids.end()) {
        return fmt::format("chose pod {:?} on node {:?}, which was not a candidate", uid,
                           pick.node);
      }
    }
  }
  return "";
}

// Grows when any of the nodes changes.
uint64_t LatestRevision(const CallState& state) {
  uint64_t latest = 0;
  for (const NodeRef& node : state.nodes) latest = std::max(latest, node.revision);
  return latest;
}

// Puts an error where the scheduler, or at least a person with curl, can read it.
void EncodeError(Verb verb, const CallError& error, Reply* reply) {
  reply->body.clear();
  reply->echoes.clear();
  const bool in_protocol = error.kind != ErrorKind::kBadRequest;
  if (in_protocol && verb == Verb::kFilter) {
    wire::EncodeFilterError(ForEvent(error.text), &reply->body);
  } else if (in_protocol && verb == Verb::kBind) {
    wire::EncodeBindResult(ForEvent(error.text), &reply->body);
  } else {
    reply->http_status = error.kind == ErrorKind::kBadRequest     ? 400
                         : error.kind == ErrorKind::kUnanswerable ? 422
                                                                  : 500;
    reply->body += "{\"error\":";
    json::AppendString(error.text, &reply->body);
    reply->body += "}\n";
  }
}

absl::Status EngineImpl::Init(const std::vector<ServedAgent>& agents, const AgentWorld& world) {
  SharedParts parts;
  AgentWorld together = world;
  if (together.shared == nullptr) together.shared = &parts;
  instances_.reserve(agents.size());  // pipelines point into it
  for (const ServedAgent& served : agents) {
    auto instance = MakeInstance(served, together, observer_);
    if (!instance.ok()) return instance.status();
    needs_.Merge(instance->needs);
    instances_.push_back(*std::move(instance));
  }
  auto pages = Pages::Of(instances_);
  if (!pages.ok()) return pages.status();
  pages_ = *std::move(pages);
  auto pipelines = MakePlans(agents, instances_);
  if (!pipelines.ok()) return pipelines.status();
  pipelines_ = *std::move(pipelines);
  for (const Pipeline& pipeline : pipelines_) endpoints_.push_back(pipeline.endpoint);
  return absl::OkStatus();
}

absl::Status EngineImpl::FirstBad(absl::Status (*ask)(Controller* controller)) const {
  for (const Instance& instance : instances_) {
    if (instance.controller == nullptr) continue;
    const absl::Status status = ask(instance.controller);
    if (status.ok()) continue;
    return {status.code(),
            fmt::format("agent {}: {}", instance.name, std::string(status.message()))};
  }
  return absl::OkStatus();
}

absl::Status EngineImpl::Start() {
  for (const Pipeline& pipeline : pipelines_) {
    if (cluster_ != nullptr || !BindsPlainly(pipeline)) continue;
    return absl::FailedPreconditionError(
        fmt::format("agent {}: {}", pipeline.prebinders[0].instance->name, kNothingToBindAt));
  }
  return FirstBad([](Controller* controller) { return controller->Start(); });
}

void EngineImpl::Stop() {
  for (auto instance = instances_.rbegin(); instance != instances_.rend(); ++instance) {
    if (instance->controller != nullptr) instance->controller->Stop();
  }
}

absl::Status EngineImpl::Live() const {
  return FirstBad([](Controller* controller) { return controller->Live(); });
}

std::vector<AgentReadiness> EngineImpl::Readiness() const {
  std::vector<AgentReadiness> all;
  for (const Instance& instance : instances_) {
    if (instance.controller == nullptr) continue;
    all.push_back({.agent = instance.name, .ready = instance.controller->Ready()});
  }
  return all;
}

void EngineImpl::Report(const std::vector<wire::MalformedValue>& malformed) const {
  for (const wire::MalformedValue& value : malformed) {
    decoder_diagnostics_.Malformed(value.node, value.field, value.value, value.accepted);
  }
}

void EngineImpl::Call(size_t endpoint, wire::Body body, std::stop_token abandoned,
                      Reply* reply) const {
  const auto start = std::chrono::steady_clock::now();
  const Pipeline& pipeline = pipelines_[endpoint];
  const Endpoint& to = pipeline.endpoint;
  CallRecord record{.agent = to.agent, .verb = to.verb, .request_bytes = body.size};
  reply->http_status = 200;
  reply->echoes.clear();
  CallError error;
  // An agent may be anybody's code; what it throws ends here.
  try {
    error = Answer(pipeline, {body, std::move(abandoned)}, &record.nodes, reply);
  } catch (const std::exception& caught) {
    spdlog::error("{}: internal error: {}", to.path, ForLog(caught.what()));
    error = {ErrorKind::kInternal, fmt::format("{}: internal error, see the log", to.Title())};
  } catch (...) {
    error = {ErrorKind::kInternal, fmt::format("{}: internal error", to.Title())};
  }
  if (!error.ok()) {
    EncodeError(to.verb, error, reply);
    spdlog::debug("{} {}: {}", to.path, ErrorKindName(error.kind), ForLog(error.text));
  }
  record.error = error.kind;
  record.response_bytes = reply->body.size();
  for (const wire::Echo& echo : reply->echoes) record.response_bytes += echo.bytes.size();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  observer_->OnCall(record);
}

CallError EngineImpl::Answer(const Pipeline& pipeline, const Asked& asked, size_t* nodes,
                             Reply* reply) const {
  if (!pipeline.refusal.empty()) return {ErrorKind::kUnanswerable, pipeline.refusal};
  switch (pipeline.endpoint.verb) {
    case Verb::kFilter:
    case Verb::kPrioritize:
      return AnswerNodes(pipeline, asked, nodes, reply);
    case Verb::kBind:
      return AnswerBind(pipeline, asked, &reply->body);
    case Verb::kPreempt:
      return AnswerPreempt(pipeline, asked, nodes, &reply->body);
  }
  return {ErrorKind::kInternal, "unknown verb"};
}

CallError EngineImpl::AnswerNodes(const Pipeline& pipeline, const Asked& asked, size_t* nodes,
                                  Reply* reply) const {
  std::unique_ptr<CallState> state = states_.Take();
  state->abandoned = asked.abandoned;
  const absl::Status decoded = wire::ReadExtenderArgs(asked.body, pipeline.needs, &state->args);
  if (!decoded.ok()) return FromDecoding(decoded);
  *nodes = state->args.names.size();
  Report(state->args.malformed);
  CallError error = ResolveNodes(pipeline, source_, observer_, state.get());
  if (!error.ok()) return error;

  if (pipeline.endpoint.verb == Verb::kFilter) {
    error = Filter(pipeline, state.get());
    if (!error.ok()) return error;
    wire::EncodeFilterResult(state->args, state->kinds, state->reasons, &reply->body,
                             &reply->echoes);
  } else {
    error = RunScorers(pipeline, DecisionsAreLogged(), observer_, state.get());
    if (!error.ok()) return error;
    wire::EncodeHostPriorityList(state->args, state->scores, &reply->body);
  }
  states_.Return(std::move(state));
  return {};
}

CallError EngineImpl::Filter(const Pipeline& pipeline, CallState* state) const {
  CallError error = RunFilters(pipeline, DecisionsAreLogged(), observer_, state);
  if (!error.ok() || !MayBeBehind(pipeline, *state)) return error;
  const uint64_t judged = state->view->generation();
  bool changed = false;
  error = AwaitNodes(pipeline, state, &changed);
  catch_up_.Waited(changed);
  if (!error.ok() || state->view->generation() == judged) return error;
  return RunFilters(pipeline, DecisionsAreLogged(), observer_, state);
}

// Until one of the nodes has changed: where pods are followed, they change all the time. The view
// is the latest that was seen, whether that was a change of nodes or not.
CallError EngineImpl::AwaitNodes(const Pipeline& pipeline, CallState* state, bool* changed) const {
  const uint64_t before = LatestRevision(*state);
  const auto end = std::chrono::steady_clock::now() + CatchUp::kWait;
  std::chrono::milliseconds left = CatchUp::kWait;
  while (!*changed && left.count() > 0) {
    const uint64_t generation = state->view->generation();
    if (!source_->AwaitChange(generation, left, state->abandoned)) return {};
    CallError error = ResolveNodes(pipeline, source_, observer_, state);
    if (!error.ok()) return error;
    *changed = LatestRevision(*state) != before;
    left = std::chrono::duration_cast<std::chrono::milliseconds>(end -
                                                                 std::chrono::steady_clock::now());
  }
  return {};
}

// Whether a pod that no node may take was asked about before we know why.
bool EngineImpl::MayBeBehind(const Pipeline& pipeline, const CallState& state) const {
  if (!pipeline.waits_for_news || state.args.has_full_nodes || state.view == nullptr) return false;
  const auto fits = [](Verdict::Kind kind) { return kind == Verdict::Kind::kFits; };
  if (std::any_of(state.kinds.begin(), state.kinds.end(), fits)) return false;
  return catch_up_.IsWorthWaiting(state.args.pod, LatestRevision(state));
}

CallError EngineImpl::AnswerBind(const Pipeline& pipeline, const Asked& asked,
                                 std::string* out) const {
  wire::BindArgs args;
  const absl::Status decoded = wire::DecodeBindArgs(asked.body, &args);
  if (!decoded.ok()) return FromDecoding(decoded);
  CallError error = RunBind(pipeline, cluster_,
                            {.pod_namespace = args.pod_namespace,
                             .pod_name = args.pod_name,
                             .pod_uid = args.pod_uid,
                             .node = args.node,
                             .abandoned = asked.abandoned});
  if (!error.ok()) return error;
  wire::EncodeBindResult("", out);
  return {};
}

CallError EngineImpl::AnswerPreempt(const Pipeline& pipeline, const Asked& asked, size_t* nodes,
                                    std::string* out) const {
  wire::PreemptArgs args;
  const absl::Status decoded = wire::DecodePreemptArgs(asked.body, pipeline.needs, &args);
  if (!decoded.ok()) return FromDecoding(decoded);
  *nodes = args.candidates.size();
  Report(args.malformed);
  // Each agent narrows what its predecessors left.
  std::vector<NodeVictims> candidates = std::move(args.candidates);
  for (const auto& [instance, preempter] : pipeline.preempters) {
    if (asked.abandoned.stop_requested()) return Abandoned();
    std::vector<NodeVictims> chosen;
    const absl::Status status =
        preempter->Preempt({.pod = args.pod, .candidates = candidates}, &chosen);
    if (!status.ok()) {
      return {ErrorKind::kAgent,
              fmt::format("{}: {}", instance->name, std::string(status.message()))};
    }
    const std::string fault = NotASubset(chosen, candidates);
    if (!fault.empty()) return {ErrorKind::kAgent, fmt::format("{}: {}", instance->name, fault)};
    candidates = std::move(chosen);
  }
  wire::EncodePreemptionResult(candidates, out);
  return {};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const std::vector<ServedAgent>& agents,
                                                       Observer* observer, const NodeSource* nodes,
                                                       const AgentWorld& world) {
  auto engine = std::make_unique<EngineImpl>(observer, nodes, world.cluster);
  const absl::Status made = engine->Init(agents, world);
  if (!made.ok()) return made;
  return engine;
}

}  // namespace outrigger::engine
