#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gang/desk/mode.h"
#include "outrigger/agent/access.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/settings.h"

namespace outrigger::desk {

struct DeskTerms;

/// The settings that all agents at a desk have; their structs derive from this.
struct CommonSettings {
  std::string mode = "extender";
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  std::string host_name;
  int64_t reserve_after = 120;  // seconds
  std::string lease = "kube-system/outrigger-gang";
  std::string unchecked;  // a former one

  Mode DeskMode() const { return mode == "alone" ? Mode::kAlone : Mode::kExtender; }
};

/// Their part of kFields of `Settings`, which derives from CommonSettings. Where several agents of
/// a process set one of them, they have to agree.
template <typename Settings>
constexpr auto CommonFields() {
  constexpr std::string_view kWho = "gang and qos";
  using Text = Setting<Settings, std::string>;
  using Number = Setting<Settings, int64_t>;
  return std::tuple{
      Text{"mode", &Settings::mode, "extender|alone",
           "extender: kube-scheduler calls this agent. alone: no scheduler calls it; pods wait "
           "with the scheduling gate outrigger.dev/queue, get a nominated node and are released in "
           "queue order; gang members are bound one by one. gang and qos in one process share this "
           "and the next settings"}
          .FormerSwitch("without-extender", "alone", "extender")
          .SharedBy(kWho),
      Text{"scheduler-names", &Settings::scheduler_names,
           "comma-separated schedulerNames of the pods to plan; if unset, the profiles of "
           "--scheduler-config"}
          .SharedBy(kWho),
      Text{"scheduler-lease", &Settings::scheduler_lease,
           "leader election Lease of this agent's scheduler, as NAMESPACE/NAME; \"none\" for a "
           "scheduler without leader election; if unset, that of --scheduler-config"}
          .SharedBy(kWho),
      Text{"host-name", &Settings::host_name,
           "host name with which this agent's scheduler holds its Lease; empty: the host name of "
           "this process, which containers of one pod share"}
          .SharedBy(kWho),
      Number{
          "reserve-after", &Settings::reserve_after, Range{0, 86'400},
          "seconds after which nodes are reserved for the first gang or pod of the queue; 0: never"}
          .SharedBy(kWho),
      Text{"lease", &Settings::lease,
           "with mode=alone: leader election Lease of this agent's replicas, as NAMESPACE/NAME"}
          .SharedBy(kWho)};
}

/// Their part of kFormer.
template <typename Settings>
constexpr auto CommonFormer() {
  return std::tuple{Setting<Settings, std::string>{"unchecked", &Settings::unchecked,
                                                   "--scheduler-config sets it and wins already"}};
}

/// Of those that a user gave (AgentDeps::given); without participant and adjust.
DeskTerms TermsOf(std::string_view agent, const AgentDeps& deps, const CommonSettings& settings);

/// What the desk reads of the cluster.
Needs NeedsOf(const CommonSettings& settings);

/// What the desk does at the API server: it nominates pods and takes gates off. With Mode::kAlone
/// it stands for its Lease, too, which is to be in the agents' own namespace.
std::vector<AccessRule> AccessOf(const CommonSettings& settings);

}  // namespace outrigger::desk
