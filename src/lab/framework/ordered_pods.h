#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lab/framework/pod_queue.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// Pods that wait in some order, and can be found by their UIDs. Equals are in the order of their
/// arrival. Not thread-safe.
class OrderedPods {
 public:
  explicit OrderedPods(PodLess less);
  OrderedPods(const OrderedPods&) = delete;
  OrderedPods& operator=(const OrderedPods&) = delete;

  /// A pod whose UID is not in here.
  void Add(QueuedPod queued);
  /// The pod has changed. False: it is not in here.
  bool Replace(std::shared_ptr<const Pod> pod);
  /// Nothing: it is not in here.
  std::optional<QueuedPod> Take(std::string_view uid);

  /// The pod whose turn it is. There must be one.
  const QueuedPod& First() const { return *pods_.begin(); }
  QueuedPod TakeFirst();

  bool Contains(std::string_view uid) const { return by_uid_.contains(uid); }
  bool empty() const { return pods_.empty(); }

 private:
  struct Order {
    PodLess less;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const;
  };
  using Pods = std::set<QueuedPod, Order>;

  Pods pods_;
  std::map<std::string, Pods::iterator, std::less<>> by_uid_;
};

}  // namespace outrigger::lab
