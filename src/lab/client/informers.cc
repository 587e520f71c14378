#include "lab/client/informers.h"

#include <string_view>
#include <utility>

#include "kube/resource.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {
namespace {

// What plugins read, and what events tell apart.
Needs NodeNeeds() {
  return Needs().NodeLabels().NodeTaints().NodeAllocatable().NodeAnnotations();
}

Needs PodNeeds() {
  return Needs().PodMetadata().PodResources().PodScheduling().PodStatus();
}

}  // namespace

class Informers::Sink final : public kube::ClusterSink {
 public:
  explicit Sink(EventHandlers* handlers) : handlers_(*handlers) {}
  void UpsertNode(Node node) override { handlers_.OnNode(std::move(node)); }
  void RemoveNode(std::string_view name) override { handlers_.OnNodeGone(name); }
  void UpsertPod(const Pod& pod) override { handlers_.OnPod(pod); }
  void RemovePod(std::string_view namespace_, std::string_view name) override {
    handlers_.OnPodGone(namespace_, name);
  }

 private:
  EventHandlers& handlers_;
};

Informers::Informers(kube::Api* api, EventHandlers* handlers, const kube::ReflectorOptions& options)
    : sink_(std::make_unique<Sink>(handlers)),
      node_sink_(sink_.get(), NodeNeeds()),
      pod_sink_(sink_.get(), PodNeeds(), [] { return ResizeCounting::kByPod; }),
      nodes_(api, kube::kNodes, &node_sink_, Telling(options)),
      pods_(api, kube::kPods, &pod_sink_, Telling(options)) {}

Informers::~Informers() {
  Stop();
}

kube::ReflectorOptions Informers::Telling(kube::ReflectorOptions options) {
  options.turned = [this] {
    // Whoever has looked and does not wait yet would miss it without the lock.
    { const MutexLock lock(mutex_); }
    turned_.notify_all();
  };
  return options;
}

void Informers::Start() {
  nodes_.Start();
  pods_.Start();
}

void Informers::Stop() {
  nodes_.Stop();
  pods_.Stop();
}

bool Informers::IsSynced() const {
  return nodes_.State().synced && pods_.State().synced;
}

bool Informers::AwaitSynced(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  return turned_.wait(lock, stop, [this] { return IsSynced(); });
}

std::vector<kube::ReflectorState> Informers::States() const {
  return {nodes_.State(), pods_.State()};
}

}  // namespace outrigger::lab
