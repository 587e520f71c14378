#include "gang/plan/call_resources.h"

#include <utility>

namespace outrigger::plan {
namespace {

void AddAsked(const ResourceList& amounts, CallsAsked* asked) {
  asked->in_cycle |= amounts.Find(kCallResource) != nullptr;
  asked->bind |= amounts.Find(kBindCallResource) != nullptr;
}

void KeepInLimits(Container* container) {
  for (const std::string_view name : {kCallResource, kBindCallResource}) {
    const Quantity* const amount = container->requests.Find(name);
    if (amount != nullptr) container->limits.Set(name, *amount);
  }
}

}  // namespace

std::string_view CallsAsked::Missing() const {
  if (All()) return "";
  if (in_cycle) return kBindCallResource;
  return bind ? kCallResource : "outrigger.dev/gang and outrigger.dev/gang-bind";
}

CallsAsked CallsAskedBy(const Pod& pod) {
  CallsAsked asked;
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      AddAsked(container.requests, &asked);
      AddAsked(container.limits, &asked);
    }
  }
  return asked;
}

void LeaveCallsOutOf(Pod* pod) {
  for (auto* containers : {&pod->containers, &pod->init_containers}) {
    for (Container& container : *containers) {
      KeepInLimits(&container);
      LeaveCallsOutOf(&container.requests);
    }
  }
}

void LeaveCallsOutOf(ResourceList* amounts) {
  CallsAsked asked;
  AddAsked(*amounts, &asked);
  if (!asked.in_cycle && !asked.bind) return;
  ResourceList left;
  for (const auto& [name, quantity] : *amounts) {
    if (!IsCallResource(name)) left.Append(name, quantity);
  }
  left.Normalize();
  *amounts = std::move(left);
}

}  // namespace outrigger::plan
