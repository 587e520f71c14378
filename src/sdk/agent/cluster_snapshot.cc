#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger {

std::string_view PodView::Name() const {
  return reader_->Name(*pod_);
}

std::string_view PodView::Namespace() const {
  return reader_->Namespace(*pod_);
}

std::string_view PodView::Uid() const {
  return reader_->Uid(*pod_);
}

std::string_view PodView::NodeName() const {
  return reader_->NodeName(*pod_);
}

bool PodView::IsAssumed() const {
  return reader_->IsAssumed(*pod_);
}

std::string_view PodView::Phase() const {
  return reader_->Phase(*pod_);
}

bool PodView::IsFinished() const {
  return reader_->IsFinished(*pod_);
}

int32_t PodView::Priority() const {
  return reader_->Priority(*pod_);
}

std::string_view PodView::ResourceVersion() const {
  return reader_->ResourceVersion(*pod_);
}

std::string_view PodView::Label(std::string_view key) const {
  return reader_->Label(*pod_, key);
}

std::string_view PodView::Annotation(std::string_view key) const {
  return reader_->Annotation(*pod_, key);
}

Quantity PodView::Request(std::string_view resource) const {
  Quantity found;
  ForEachRequest([&](std::string_view name, const Quantity& quantity) {
    if (name == resource) found = quantity;
  });
  return found;
}

void PodView::ForEachRequest(
    absl::FunctionRef<void(std::string_view resource, const Quantity& quantity)> visit) const {
  reader_->ForEachRequest(*pod_, visit);
}

int64_t PodView::CreationTime() const {
  return reader_->CreationTime(*pod_);
}

int64_t PodView::ScheduledTime() const {
  return reader_->ScheduledTime(*pod_);
}

int64_t PodView::StartTime() const {
  return reader_->StartTime(*pod_);
}

int64_t PodView::EndTime() const {
  return reader_->EndTime(*pod_);
}

std::string_view PodView::StatusReason() const {
  return reader_->StatusReason(*pod_);
}

void PodView::ForEachContainerState(
    absl::FunctionRef<void(const ContainerState& state)> visit) const {
  reader_->ForEachContainerState(*pod_, visit);
}

Pod PodView::Unpack() const {
  return reader_->Unpack(*pod_);
}

PodView PodRange::operator[](size_t i) const {
  return reader_->PodAt(*state_, i);
}

PodRange NodeView::Pods() const {
  return reader_->PodsOf(*state_);
}

size_t ClusterSnapshot::NodeCount() const {
  return reader_->NodeCount(*this);
}

void ClusterSnapshot::ForEachNode(absl::FunctionRef<void(const NodeView& node)> visit) const {
  reader_->ForEachNode(*this, visit);
}

std::optional<NodeView> ClusterSnapshot::FindNode(std::string_view name) const {
  return reader_->FindNode(*this, name);
}

size_t ClusterSnapshot::PodCount() const {
  return reader_->PodCount(*this);
}

void ClusterSnapshot::ForEachPod(absl::FunctionRef<void(const PodView& pod)> visit) const {
  reader_->ForEachPod(*this, visit);
}

std::optional<PodView> ClusterSnapshot::FindPod(std::string_view namespace_,
                                                std::string_view name) const {
  return reader_->FindPod(*this, namespace_, name);
}

PodRange ClusterSnapshot::PodsOn(std::string_view node) const {
  const std::optional<NodeView> found = FindNode(node);
  return found.has_value() ? found->Pods() : PodRange();
}

size_t ClusterSnapshot::PendingPodCount() const {
  return reader_->PendingPodCount(*this);
}

void ClusterSnapshot::ForEachPendingPod(absl::FunctionRef<void(const PodView& pod)> visit) const {
  reader_->ForEachPendingPod(*this, visit);
}

uint64_t ClusterSnapshot::Generation() const {
  return reader_->Generation(*this);
}

}  // namespace outrigger
