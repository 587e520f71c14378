#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/agent.h"

// Agents that prepare pods and one that binds, whose steps a test decides and sees.

namespace outrigger::engine {

/// What the agents below do, by "<agent> <step>", and what they did. Thread-safe but for `does`,
/// which is set before the calls.
struct Stage {
  std::map<std::string, std::function<absl::Status(const BindRequest& request)>> does;

  absl::Status Do(const std::string& step, const BindRequest& request,
                  const std::string& detail = "") {
    {
      const std::lock_guard lock(mutex);
      done.push_back(step + detail);
    }
    const auto found = does.find(step);
    return found == does.end() ? absl::OkStatus() : found->second(request);
  }
  std::vector<std::string> Done() const {
    const std::lock_guard lock(mutex);
    return done;
  }

  mutable std::mutex mutex;
  std::vector<std::string> done;
};

/// The stage that agents play on which are made now; set by the test.
inline Stage*& CurrentStage() {
  static Stage* stage = nullptr;
  return stage;
}

class Prepares : public Agent, public PreBinder {
 public:
  Prepares(const NoSettings& /*settings*/, const AgentDeps& deps)
      : name_(deps.name), stage_(*CurrentStage()) {}

  absl::Status PreBind(const BindRequest& request) override {
    return stage_.Do(name_ + " prebind", request);
  }
  void UndoPreBind(const BindRequest& request, const BindFailure& failure) override {
    (void)stage_.Do(
        name_ + " undo", request,
        ": " + std::string(failure.why.message()) + (failure.may_be_bound ? ", may be bound" : ""));
  }
  void PostBind(const BindRequest& request) override {
    (void)stage_.Do(name_ + " postbind", request);
  }

 protected:
  const std::string name_;
  Stage& stage_;
};

class Binds final : public Agent, public Binder {
 public:
  Binds(const NoSettings& /*settings*/, const AgentDeps& deps)
      : name_(deps.name), stage_(*CurrentStage()) {}
  absl::Status Bind(const BindRequest& request) override {
    return stage_.Do(name_ + " bind", request);
  }

 private:
  const std::string name_;
  Stage& stage_;
};

class PreparesAndBinds final : public Prepares, public Binder {
 public:
  using Prepares::Prepares;
  absl::Status Bind(const BindRequest& request) override {
    return stage_.Do(name_ + " bind", request);
  }
};

/// Does what `status` says.
inline std::function<absl::Status(const BindRequest&)> Says(absl::Status status) {
  return [status = std::move(status)](const BindRequest&) { return status; };
}
inline std::function<absl::Status(const BindRequest&)> Throws() {
  return [](const BindRequest&) -> absl::Status { throw std::runtime_error("secret detail"); };
}

}  // namespace outrigger::engine
