#include "lab/framework/in_flight_pods.h"

#include <iterator>
#include <utility>

namespace outrigger::lab {

void InFlightPods::Begin(const std::shared_ptr<const Pod>& pod) {
  log_.push_back({pod->uid, std::nullopt});
  flights_.insert_or_assign(pod->uid, Flight{pod, std::prev(log_.end())});
}

bool InFlightPods::Update(std::shared_ptr<const Pod> pod,
                          const std::vector<ClusterEvent>& changes) {
  if (placed_.contains(pod->uid)) return true;
  const auto at = flights_.find(pod->uid);
  if (at == flights_.end()) return false;
  for (const ClusterEvent& change : changes) log_.push_back({pod->uid, change});
  at->second.pod = std::move(pod);
  return true;
}

void InFlightPods::Delete(std::string_view uid) {
  if (const auto at = placed_.find(uid); at != placed_.end()) placed_.erase(at);
  if (const auto at = flights_.find(uid); at != flights_.end()) at->second.pod = nullptr;
}

void InFlightPods::Remember(const Happening& happening) {
  if (!flights_.empty()) log_.push_back({"", happening});
}

std::optional<InFlightPods::Landed> InFlightPods::End(std::string_view uid) {
  const auto at = flights_.find(uid);
  if (at == flights_.end()) return std::nullopt;
  const Flight flight = std::move(flights_.extract(at).mapped());
  Landed landed{flight.pod, {}};
  for (auto entry = std::next(flight.takeoff); entry != log_.end(); ++entry) {
    const bool concerns_it = entry->uid.empty() || entry->uid == uid;
    if (entry->happened.has_value() && concerns_it) landed.meanwhile.push_back(*entry->happened);
  }
  log_.erase(flight.takeoff);
  Prune();
  return landed;
}

void InFlightPods::EndPlaced(std::string_view uid) {
  const std::optional<Landed> landed = End(uid);
  if (landed.has_value() && landed->pod != nullptr) placed_.emplace(uid);
}

void InFlightPods::Prune() {
  while (!log_.empty() && log_.front().happened.has_value()) log_.pop_front();
}

}  // namespace outrigger::lab
