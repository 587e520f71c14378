#include "serve/engine/bind.h"

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "fmt/format.h"
#include "serve/engine/decision_log.h"
#include "serve/engine/text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

using Step = absl::FunctionRef<absl::Status()>;

/// One bind call. `prepared_` agents have been asked to prepare the pod: each of them, also the one
/// that failed, hears how it ends.
class BindCall {
 public:
  BindCall(const Pipeline& pipeline, ClusterWriter* cluster, const BindRequest& request)
      : pipeline_(pipeline), cluster_(cluster), request_(request) {}

  CallError Run() {
    Prepare();
    if (failure_.why.ok()) Bind();
    if (failure_.why.ok()) {
      Finish();
    } else {
      Undo();
    }
    if (DecisionsAreLogged()) LogBindDecision(pipeline_.endpoint, request_, Summary());
    return Error();
  }

 private:
  void Prepare() {
    for (const auto& [instance, prebinder] : pipeline_.prebinders) {
      if (StopIfAbandoned()) return;
      ++prepared_;
      PreBinder& agent = *prebinder;
      failure_.why = Guarded(instance->name, [&] { return agent.PreBind(request_); });
      if (!failure_.why.ok()) return;
    }
    if (prepared_ > 0) StopIfAbandoned();
  }

  void Bind() {
    failure_.why = pipeline_.binder == nullptr
                       ? Guarded("binding", [this] { return BindPlainly(); })
                       : Guarded(pipeline_.binder->name,
                                 [this] { return pipeline_.binder->binder->Bind(request_); });
    failure_.may_be_bound = MayBeBound(failure_.why);
  }

  // Not stopped when the caller goes: a binding that was sent cannot be taken back, and its answer
  // says what is to be done.
  absl::Status BindPlainly() {
    return cluster_->Bind({request_.pod_namespace, request_.pod_name, request_.pod_uid},
                          request_.node, {}, {});
  }

  void Finish() {
    for (const auto& [instance, prebinder] : pipeline_.prebinders) {
      PreBinder& agent = *prebinder;
      After(*instance, [&] { agent.PostBind(request_); });
    }
  }

  void Undo() {
    for (size_t i = prepared_; i > 0; --i) {
      const auto& [instance, prebinder] = pipeline_.prebinders[i - 1];
      PreBinder& agent = *prebinder;
      After(*instance, [&] { agent.UndoPreBind(request_, failure_); });
    }
  }

  /// A caller that has gone needs no binding; it is not asked for. A call that nothing was prepared
  /// for is left to its Binder, which knows better.
  bool StopIfAbandoned() {
    if (!request_.abandoned.stop_requested()) return false;
    failure_.why = absl::CancelledError(Abandoned().text);
    blamed_.clear();
    return true;
  }

  /// What `step` says, on behalf of `agent`; Internal for what it throws.
  absl::Status Guarded(std::string_view agent, Step step) {
    blamed_ = agent;
    try {
      return step();
    } catch (const std::exception& caught) {
      LogThrown(agent, caught.what());
    } catch (...) {
      LogThrown(agent, "not a std::exception");
    }
    threw_ = true;
    return absl::InternalError("internal error, see the log");
  }

  /// The call is decided: what is thrown here keeps no other agent from hearing of it.
  void After(const Instance& instance, absl::FunctionRef<void()> step) const {
    try {
      step();
    } catch (const std::exception& caught) {
      LogThrown(instance.name, caught.what());
    } catch (...) {
      LogThrown(instance.name, "not a std::exception");
    }
  }

  void LogThrown(std::string_view agent, std::string_view what) const {
    spdlog::error("{}: {}: internal error: {}", pipeline_.endpoint.path, agent, ForLog(what));
  }

  std::string Summary() const {
    std::string agents;
    for (size_t i = 0; i < prepared_; ++i) {
      agents += (i == 0 ? "" : " and ") + pipeline_.prebinders[i].instance->name;
    }
    if (failure_.why.ok()) {
      return fmt::format("bound by {}{}",
                         pipeline_.binder == nullptr ? "the engine" : pipeline_.binder->name,
                         agents.empty() ? "" : ", prepared by " + agents);
    }
    return fmt::format("{}{}", failure_.may_be_bound ? "may be bound" : "not bound",
                       agents.empty() ? "" : ", undone by " + agents);
  }

  CallError Error() const {
    if (failure_.why.ok()) return {};
    const std::string text =
        blamed_.empty() ? std::string(failure_.why.message())
                        : fmt::format("{}: {}", blamed_, std::string(failure_.why.message()));
    if (threw_) return {ErrorKind::kInternal, text};
    // What an agent says to a caller that has gone is no fault of its own.
    const bool alone = request_.abandoned.stop_requested();
    return {alone ? ErrorKind::kAbandoned : ErrorKind::kAgent, text};
  }

  const Pipeline& pipeline_;
  ClusterWriter* const cluster_;
  const BindRequest& request_;
  size_t prepared_ = 0;  // of pipeline_.prebinders
  BindFailure failure_;  // Ok: none yet
  std::string blamed_;   // the agent whose error that is, or "binding"
  bool threw_ = false;
};

}  // namespace

bool BindsPlainly(const Pipeline& pipeline) {
  return pipeline.binder == nullptr && !pipeline.prebinders.empty();
}

CallError RunBind(const Pipeline& pipeline, ClusterWriter* cluster, const BindRequest& request) {
  if (BindsPlainly(pipeline) && cluster == nullptr) {
    return {ErrorKind::kUnanswerable,
            fmt::format("{}: {}", pipeline.endpoint.Title(), kNothingToBindAt)};
  }
  return BindCall(pipeline, cluster, request).Run();
}

}  // namespace outrigger::engine
