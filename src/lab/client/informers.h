#pragma once

#include <condition_variable>
#include <memory>
#include <stop_token>
#include <vector>

#include "kube/api.h"
#include "kube/view/cluster_sinks.h"
#include "kube/watch/reflector.h"
#include "kube/watch/reflector_state.h"
#include "lab/framework/event_handlers.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Follows the nodes and pods of an API server and says to the event handlers what happens to them
/// (client-go's informers). Thread-safe but for Start() and Stop(), which one thread calls.
class Informers {
 public:
  /// `api` and `handlers` outlive this. `options.turned` is not used.
  Informers(kube::Api* api, EventHandlers* handlers, const kube::ReflectorOptions& options = {});
  /// Stops.
  ~Informers();
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  /// To be called once. An API server that does not answer is tried until it does.
  void Start();
  /// Returns when the handlers are called no more. Idempotent.
  void Stop();

  /// Waits until the handlers have seen all nodes and pods that there were; false if `stop` was
  /// requested before.
  bool AwaitSynced(const std::stop_token& stop);

  /// How well nodes and pods are followed.
  std::vector<kube::ReflectorState> States() const;

 private:
  class Sink;

  bool IsSynced() const;
  kube::ReflectorOptions Telling(kube::ReflectorOptions options);

  Mutex mutex_;
  std::condition_variable_any turned_;
  const std::unique_ptr<Sink> sink_;
  kube::NodeSink node_sink_;
  kube::PodSink pod_sink_;
  kube::Reflector nodes_;  // last, as is the next: their threads use what is above
  kube::Reflector pods_;
};

}  // namespace outrigger::lab
