#include "lab/nodes/simulator.h"

#include <utility>

#include "kube/resource.h"
#include "kube/view/cluster_sinks.h"
#include "kube/watch/reflector.h"
#include "kube/write/event_recorder.h"
#include "lab/framework/workers.h"
#include "lab/nodes/node_keeper.h"
#include "lab/nodes/write_queue.h"

namespace outrigger::lab {
namespace {

constexpr const char* kReporter = "outrigger-lab-nodes";
constexpr size_t kEventQueue = 10'000;

class NodeSimulatorImpl final : public NodeSimulator {
 public:
  NodeSimulatorImpl(kube::Api* api, const std::vector<SimulatedNode>& nodes,
                    NodeSimulatorOptions options)
      : options_(std::move(options)),
        own_timers_(options_.timers == nullptr ? std::make_unique<ThreadTimers>() : nullptr),
        workers_(options_.writers),
        events_(kube::EventRecorder::Create(api,
                                            {.controller = kReporter,
                                             .instance = kReporter,
                                             .queue = kEventQueue,
                                             .warn = options_.warn},
                                            options_.clock)),
        timers_(std::make_unique<ScopedTimers>(own_timers_ ? own_timers_.get() : options_.timers)),
        queue_(&workers_, timers_.get()),
        nodes_(api, nodes, &queue_, timers_.get(),
               {.lease_interval = options_.lease_interval,
                .status_interval = options_.status_interval,
                .clock = options_.clock,
                .warn = options_.warn}),
        pods_(api, nodes, &queue_, timers_.get(), PodOptions()),
        sink_(&pods_, PodKeeper::PodNeeds(), [] { return ResizeCounting::kByPod; }),
        reflector_(api, kube::kPods, &sink_, Following()) {
    nodes_.Start();
    reflector_.Start();
  }
  ~NodeSimulatorImpl() override { NodeSimulatorImpl::Stop(); }

  void Stop() override {
    reflector_.Stop();
    nodes_.Cancel();
    pods_.Cancel();
    workers_.Stop();
    timers_.reset();  // from here on no timer comes to what is above
  }
  bool AwaitReady(const std::stop_token& stop) override { return nodes_.AwaitReady(stop); }
  NodeSimulatorStats stats() const override {
    return {nodes_.ready(), nodes_.lost(), pods_.running(), pods_.counts()};
  }
  std::vector<kube::ReflectorState> States() const override { return {reflector_.State()}; }

 private:
  PodKeeperOptions PodOptions() {
    return {
        .seed = options_.seed,
        .clock = options_.clock,
        .event =
            [this](const Pod& pod, bool warning, std::string_view reason, const std::string& note) {
              events_->Record({.regarding = {.kind = "Pod",
                                             .namespace_ = pod.namespace_,
                                             .name = pod.name,
                                             .uid = pod.uid},
                               .warning = warning,
                               .reason = std::string(reason),
                               .action = "Admitting",
                               .note = note});
            },
        .warn = options_.warn};
  }
  kube::ReflectorOptions Following() const {
    kube::ReflectorOptions options;
    options.report = options_.report;
    return options;
  }

  const NodeSimulatorOptions options_;
  const std::unique_ptr<ThreadTimers> own_timers_;
  Workers workers_;
  const std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<ScopedTimers> timers_;
  WriteQueue queue_;
  NodeKeeper nodes_;
  PodKeeper pods_;
  kube::PodSink sink_;
  kube::Reflector reflector_;  // last: its thread uses what is above
};

}  // namespace

std::unique_ptr<NodeSimulator> NodeSimulator::Start(kube::Api* api,
                                                    const std::vector<SimulatedNode>& nodes,
                                                    NodeSimulatorOptions options) {
  return std::make_unique<NodeSimulatorImpl>(api, nodes, std::move(options));
}

}  // namespace outrigger::lab
