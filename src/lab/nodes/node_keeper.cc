#include "lab/nodes/node_keeper.h"

#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/resource.h"
#include "lab/nodes/node_objects.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr std::chrono::seconds kNodeCallTimeout{10};
constexpr const char* kNotReadyTaint = "node.kubernetes.io/not-ready";

Json ObjectOf(const std::string& text) {
  Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return object.is_object() ? object : Json::object();
}

bool IsSimulated(const Json& node) {
  const auto& labels = node.value("/metadata/labels"_json_pointer, Json::object());
  return labels.is_object() && labels.contains(std::string(kSimulatedLabel));
}

/// The API server taints a new node; where no controller-manager runs nobody takes that away.
bool IsTaintedAsNew(const Json& node) {
  const auto taints = node.value("/spec/taints"_json_pointer, Json::array());
  return taints.is_array() && taints.size() == 1 &&
         kube::TextAt(taints[0], "/key") == kNotReadyTaint;
}

}  // namespace

/// One node. Its steps run one after the other, as the queue has them.
class NodeKeeper::Node final : public QueuedWriter, public std::enable_shared_from_this<Node> {
 public:
  Node(NodeKeeper& keeper, SimulatedNode what, size_t index)
      : keeper_(keeper), what_(std::move(what)), index_(index) {}

  bool Write() override {
    if (lost_) return true;
    if (!registered_ && !Note(Register())) return false;
    if (lost_) return true;
    if (lease_due_.exchange(false) && !Note(RenewLease())) {
      lease_due_ = true;
      return false;
    }
    if (status_due_.exchange(false) && !Note(BeatHeart())) {
      status_due_ = true;
      return false;
    }
    return true;
  }

 private:
  WallTime now() const { return keeper_.options_.clock.wall(); }
  kube::ObjectName name() const { return {{}, what_.name}; }
  kube::ObjectName lease() const { return {kLeaseNamespace, what_.name}; }

  /// False for an error, of which the first of a row is told.
  bool Note(const absl::Status& status) {
    if (!status.ok() && !failing_ && !keeper_.stop_.stop_requested() && keeper_.options_.warn) {
      keeper_.options_.warn(
          fmt::format("node {} cannot be written: {}", what_.name, kube::MessageOf(status)));
    }
    failing_ = !status.ok();
    return status.ok();
  }

  absl::Status Register() {
    ready_since_ = now();
    auto created = kube::Create(keeper_.api_, kube::kNodes, {},
                                NodeJson(what_, index_, ready_since_), keeper_.Calling());
    if (absl::IsAlreadyExists(created.status())) created = TakeOver();
    if (!created.ok()) return created.status();
    if (lost_) return absl::OkStatus();
    const Json node = ObjectOf(*created);
    uid_ = kube::TextAt(node, "/metadata/uid");
    if (IsTaintedAsNew(node)) {
      const auto patched = kube::Patch(keeper_.api_, kube::kNodes, name(),
                                       R"({"spec":{"taints":null}})", {}, keeper_.Calling());
      if (!patched.ok()) return patched.status();
    }
    absl::Status leased = RenewLease();
    if (!leased.ok()) return leased;
    registered_ = true;
    keeper_.Settled(true);
    KeepUp();
    return absl::OkStatus();
  }

  /// The node that exists, made ours if it was before.
  absl::StatusOr<std::string> TakeOver() {
    auto found = kube::Get(keeper_.api_, kube::kNodes, name(), keeper_.Calling());
    if (!found.ok()) return found.status();
    if (!IsSimulated(ObjectOf(*found))) {
      lost_ = true;
      keeper_.Lost(
          fmt::format("node {} exists and is not a simulated one: it is left alone", what_.name),
          false);
      return found;
    }
    const std::string ours = NodeJson(what_, index_, ready_since_);
    const auto labelled =
        kube::Patch(keeper_.api_, kube::kNodes, name(), ours, {}, keeper_.Calling());
    if (!labelled.ok()) return labelled.status();
    return kube::PatchStatus(keeper_.api_, kube::kNodes, name(), ours, {}, keeper_.Calling());
  }

  absl::Status RenewLease() {
    const std::string ours = LeaseJson(what_.name, uid_, now());
    const auto renewed =
        kube::Patch(keeper_.api_, kube::kLeases, lease(), ours, {}, keeper_.Calling());
    if (!absl::IsNotFound(renewed.status())) return renewed.status();
    // It goes with its node, when somebody deletes that.
    if (registered_ && IsDeleted()) return absl::OkStatus();
    return kube::Create(keeper_.api_, kube::kLeases, kLeaseNamespace, ours, keeper_.Calling())
        .status();
  }

  absl::Status BeatHeart() {
    const auto written =
        kube::PatchStatus(keeper_.api_, kube::kNodes, name(), NodeHeartbeat(ready_since_, now()),
                          {kube::PatchType::kStrategicMerge, {}, false}, keeper_.Calling());
    if (absl::IsNotFound(written.status()) && IsDeleted()) return absl::OkStatus();
    return written.status();
  }

  bool IsDeleted() {
    const auto found = kube::Get(keeper_.api_, kube::kNodes, name(), keeper_.Calling());
    if (!absl::IsNotFound(found.status())) return false;
    lost_ = true;
    keeper_.Lost(fmt::format("node {} was deleted", what_.name), true);
    return true;
  }

  /// Renewals of all nodes are spread over the interval.
  void KeepUp() {
    const auto share = [this](std::chrono::milliseconds interval) {
      const auto count = static_cast<int64_t>(keeper_.nodes_.size());
      return interval + interval * static_cast<int64_t>(index_) / count;
    };
    Beat(&Node::lease_due_, share(keeper_.options_.lease_interval),
         keeper_.options_.lease_interval);
    Beat(&Node::status_due_, share(keeper_.options_.status_interval),
         keeper_.options_.status_interval);
  }

  void Beat(std::atomic<bool> Node::*due, std::chrono::milliseconds first,
            std::chrono::milliseconds interval) {
    keeper_.timers_.After(first, [self = shared_from_this(), due, interval] {
      if (self->lost_) return;
      (self.get()->*due) = true;
      self->keeper_.queue_.Add(self);
      self->Beat(due, interval, interval);
    });
  }

  NodeKeeper& keeper_;
  const SimulatedNode what_;
  const size_t index_;
  std::string uid_;
  WallTime ready_since_;
  bool registered_ = false;
  bool failing_ = false;
  std::atomic<bool> lost_{false};
  std::atomic<bool> lease_due_{false};
  std::atomic<bool> status_due_{false};
};

NodeKeeper::NodeKeeper(kube::Api* api, const std::vector<SimulatedNode>& nodes, WriteQueue* queue,
                       ScopedTimers* timers, NodeKeeperOptions options)
    : api_(*api), queue_(*queue), timers_(*timers), options_(std::move(options)) {
  nodes_.reserve(nodes.size());
  for (const SimulatedNode& node : nodes) {
    nodes_.push_back(std::make_shared<Node>(*this, node, nodes_.size()));
  }
}
NodeKeeper::~NodeKeeper() = default;

void NodeKeeper::Start() {
  for (const auto& node : nodes_) queue_.Add(node);
}

kube::CallOptions NodeKeeper::Calling() const {
  return {.timeout = kNodeCallTimeout, .stop = stop_.get_token(), .rate_limited = false};
}

void NodeKeeper::Settled(bool ready) {
  {
    const MutexLock lock(mutex_);
    ++(ready ? ready_ : lost_);
  }
  settled_.notify_all();
}

void NodeKeeper::Lost(const std::string& why, bool was_ready) {
  if (was_ready) --ready_;
  Settled(false);
  if (options_.warn) options_.warn(why);
}

bool NodeKeeper::AwaitReady(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  return settled_.wait(lock, stop, [this] { return ready_ + lost_ >= nodes_.size(); });
}

}  // namespace outrigger::lab
