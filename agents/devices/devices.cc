// Devices of devmgmtproto.k8s.io: which nodes can serve the claims of a pod, who gets which devices.
#include <memory>
#include <utility>
#include <vector>

#include "calls/judge.h"
#include "options.h"
#include "outrigger/agent/agent.h"
#include "outrigger/devices/allocator.h"
#include "outrigger/devices/selectors.h"
#include "settings.h"
#include "store/device_store.h"

namespace outrigger::devices {
namespace agent {
namespace {

class Devices final : public Agent, public Filterer, public Scorer, public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    auto options = OptionsFrom(settings);
    if (!options.ok()) return options.status();
    return std::make_unique<Devices>(deps, *std::move(options));
  }

  Devices(const AgentDeps& deps, Options options)
      : deps_(deps),
        options_(std::move(options)),
        selectors_(MakeCelSelectors()),
        allocator_(*selectors_, options_.allocator),
        judge_(store_, allocator_) {}
  ~Devices() override { Stop(); }

  Needs Reads() const override { return Needs().PodMetadata().PodStatus().ClusterPods(); }

  absl::Status Start() override {
    if (deps_.cluster == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: give --kubeconfig FILE, or run in a pod");
    }
    store_.Follow(deps_.cluster);
    return absl::OkStatus();
  }
  void Stop() override { store_.Stop(); }

  absl::Status Filter(const outrigger::Request& request, std::span<Verdict> verdicts) const override {
    return judge_.Filter(request, verdicts);
  }
  absl::Status Score(const outrigger::Request& request, std::span<NodeScore> scores) const override {
    return judge_.Score(request, scores);
  }

 private:
  const AgentDeps deps_;
  const Options options_;
  const std::unique_ptr<const Selectors> selectors_;
  const Allocator allocator_;
  DeviceStore store_;
  const Judge judge_;
};

}  // namespace

OUTRIGGER_AGENT(Devices, Settings)

}  // namespace agent

AgentFactory MakeFactory();
AgentFactory MakeFactory() {
  return agent::MakeFactory();
}

}  // namespace outrigger::devices
