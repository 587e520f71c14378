#include "cli/doctor/findings.h"

#include <algorithm>
#include <tuple>

namespace outrigger::cli {
namespace {

using Id = FindingId;

constexpr Severity kError = Severity::kError;
constexpr Severity kWarning = Severity::kWarning;
constexpr Severity kHint = Severity::kHint;

constexpr FindingKind kKinds[] = {
    {Id::kKind, "kind", kError, "kube-scheduler's --config takes a KubeSchedulerConfiguration."},
    {Id::kApiVersion, "api-version", kError,
     "kube-scheduler 1.29 and later accepts only kubescheduler.config.k8s.io/v1 and does not start "
     "with any other version."},
    {Id::kFieldUnknown, "field-unknown", kError,
     "kube-scheduler does not start with an unknown field."},
    {Id::kFieldTwice, "field-twice", kError, "kube-scheduler does not start with a duplicate key."},
    {Id::kTypeWrong, "type-wrong", kError,
     "kube-scheduler does not start with a value of another type."},
    {Id::kDurationMalformed, "duration-malformed", kError,
     "kube-scheduler accepts durations only as a string with a unit, else it does not start."},
    {Id::kWeightNotPositive, "weight-not-positive", kError,
     "kube-scheduler does not start with a prioritizeVerb whose weight is not positive. There is "
     "no default."},
    {Id::kBindersSeveral, "binders-several", kError,
     "kube-scheduler accepts one extender that binds and does not start with two."},
    {Id::kManagedResourceTwice, "managed-resource-twice", kError,
     "Names of managedResources must be unique over all extenders, else kube-scheduler does not "
     "start."},
    {Id::kTlsCaAndInsecure, "tls-ca-and-insecure", kError,
     "insecure and a CA exclude each other: kube-scheduler does not start."},
    {Id::kPercentageRefused, "percentage-refused", kError,
     "kube-scheduler does not start with a percentageOfNodesToScore outside of 0 to 100."},
    {Id::kBackoffRefused, "backoff-refused", kError,
     "kube-scheduler does not start unless podInitialBackoffSeconds is positive and "
     "podMaxBackoffSeconds is not below it."},
    {Id::kBindPluginMissing, "bind-plugin-missing", kError,
     "Every profile needs a bind plugin, even if an extender binds, else kube-scheduler does not "
     "start."},
    {Id::kProfileTwice, "profile-twice", kError,
     "Names of profiles must be unique, else kube-scheduler does not start."},
    {Id::kArgumentsRefused, "arguments-refused", kError,
     "With these plugin arguments kube-scheduler does not start, or no pod finds a node."},
    {Id::kQueueSortRefused, "queue-sort-refused", kError,
     "All profiles share one queue: kube-scheduler does not start unless they use the same "
     "queueSort plugin."},
    {Id::kParallelismRefused, "parallelism-refused", kError,
     "kube-scheduler does not start with a parallelism that is not positive."},
    {Id::kLeaseRefused, "lease-refused", kError,
     "With leader election kube-scheduler does not start unless leaseDuration is above "
     "renewDeadline."},
    {Id::kUrlMalformed, "url-malformed", kError,
     "Every call of this extender fails, and with it every pod unless it is ignorable."},
    {Id::kVerbNotServed, "verb-not-served", kError,
     "The agent responds 404 to this path: the call fails, and with it the pod."},
    {Id::kVerbsNone, "verbs-none", kWarning, "An entry without verbs is never called."},
    {Id::kTlsInClear, "tls-in-clear", kError,
     "The scheme of urlPrefix decides: kube-scheduler does not use TLS, regardless of enableHTTPS "
     "and tlsConfig."},
    {Id::kTlsKeyMissing, "tls-key-missing", kError,
     "kube-scheduler silently ignores a certificate without its key, or a key alone, and sends no "
     "certificate."},
    {Id::kTlsUnchecked, "tls-unchecked", kWarning,
     "With enableHTTPS and without a CA kube-scheduler does not verify the server, and does not "
     "log that."},
    {Id::kTlsInsecure, "tls-insecure", kHint,
     "Any server at that address can read the calls and decide about pods."},
    {Id::kUrlInClear, "url-in-clear", kWarning,
     "Pods are sent unencrypted over the network, and any server at that address can decide about "
     "them; an agent listens there only with --insecure-listen."},
    {Id::kPortUnexpected, "port-unexpected", kHint,
     "By default the agent does not listen on this port."},
    {Id::kAgentNotCompiledIn, "agent-not-compiled-in", kHint,
     "This program was built without that agent, so its entry was not checked further."},
    {Id::kAgentNone, "agent-none", kWarning,
     "No extender entry calls a checked agent: this scheduler runs without it."},
    {Id::kPlannerNotLast, "planner-not-last", kError,
     "An extender that runs after the gang agent can reject the planned node. The gang then never "
     "completes."},
    {Id::kPlannerIgnorable, "planner-ignorable", kError,
     "While the agent does not respond, the scheduler continues without it and starts incomplete "
     "gangs."},
    {Id::kFilterIgnorableBesidePlanner, "filter-ignorable-beside-planner", kError,
     "kube-scheduler calls ignorable extenders after all others, regardless of the order in the "
     "file: this filter can reject planned nodes."},
    {Id::kFilterIgnorable, "filter-ignorable", kWarning,
     "While the agent does not respond, pods go to nodes that it would reject."},
    {Id::kBindIgnorable, "bind-ignorable", kError,
     "If a bind call fails, kube-scheduler binds the pod itself, even if the agent holds it back."},
    {Id::kBindNotSplit, "bind-not-split", kError,
     "httpTimeout applies to the whole entry: bind calls must wait for minutes, but while a filter "
     "call waits no pod of the cluster is scheduled."},
    {Id::kEntriesApart, "entries-apart", kError,
     "The process that plans must also bind: another process does not know the plan."},
    {Id::kEntryTwice, "entry-twice", kWarning,
     "The agent is called twice in every cycle, and its scores count twice."},
    {Id::kFilterMissing, "filter-missing", kError,
     "Without its filter the agent's plan has no effect: members start wherever there is room."},
    {Id::kPrioritizeMissing, "prioritize-missing", kWarning,
     "Other pods are not steered away from nodes planned for gangs."},
    {Id::kPreemptMissing, "preempt-missing", kError,
     "kube-scheduler's own preemption evicts single members of gangs and deletes members that wait "
     "to be bound."},
    {Id::kBindMissing, "bind-missing", kError,
     "Without the bind call members do not wait until the gang is complete: incomplete gangs "
     "start."},
    {Id::kPreBindMissing, "prebind-missing", kError,
     "Without the bind call the agent prepares nothing: pods start without what they need on their "
     "nodes."},
    {Id::kManagedResources, "managed-resources", kError,
     "The agent is called only for pods that request one of these resources, and each name may be "
     "in one entry only: its entries get different pods."},
    {Id::kAlone, "alone", kError,
     "The agent has no port for calls, or answers each with an error: every pod of the scheduler "
     "fails."},
    {Id::kTwoDesks, "two-desks", kError,
     "Two processes that plan for one scheduler assign the same room to two pods, and overwrite "
     "each other's nominations."},
    {Id::kTimeoutMissing, "timeout-missing", kWarning,
     "The default is 5 s: while one call waits no pod of the cluster is scheduled."},
    {Id::kTimeoutLong, "timeout-long", kWarning,
     "While one call waits no pod of the cluster is scheduled."},
    {Id::kTimeoutShort, "timeout-short", kWarning,
     "One late answer fails the cycle of its pod: at 5000 nodes one in a hundred calls takes 20 ms "
     "on a quiet machine (docs/performance.md)."},
    {Id::kBindTimeoutShort, "bind-timeout-short", kError,
     "The agent gives up on a gang 2 s before httpTimeout (default 5 s): a member that returns "
     "from backoff is too late."},
    {Id::kPreBindTimeoutShort, "prebind-timeout-short", kWarning,
     "The call times out while the agent still writes what the pod needs: the write is undone, and "
     "the pod is tried again."},
    {Id::kFullNodes, "full-nodes", kWarning,
     "Whole nodes are sent with every call: with 5000 nodes a filter call takes 1 s instead of 5 "
     "ms (docs/performance.md). Since 1.33 kube-scheduler then scores nodes as if they were idle "
     "(kubernetes#141781)."},
    {Id::kFullNodesFirst, "full-nodes-first", kError,
     "kube-scheduler continues with the nodes that this entry returns as if no pods ran there "
     "(kubernetes#141781): later entries and its own scores choose busy nodes."},
    {Id::kClientQps, "client-qps", kWarning,
     "It limits binds per second; kube-scheduler's default is 50."},
    {Id::kClientBurst, "client-burst", kWarning,
     "It limits how many pods of a gang are bound at once; kube-scheduler's default is 100."},
    {Id::kNodesSampled, "nodes-sampled", kWarning,
     "kube-scheduler offers only a sample of the nodes, without some planned nodes or nodes with "
     "free devices: pods are rejected and go into backoff."},
    {Id::kBackoffLong, "backoff-long", kWarning,
     "Pods of a failed gang wait this long before they are tried again; the defaults are 1 and "
     "10."},
    {Id::kLeaseNone, "lease-none", kError,
     "Without leader election kube-scheduler holds no Lease, but the agent waits for one: every "
     "pod fails until then."},
    {Id::kLeaseNotTold, "lease-not-told", kWarning,
     "The agent acts while the configured Lease is held from its host. With a wrong Lease it does "
     "nothing, or acts while another scheduler leads."},
    {Id::kLeaseShared, "lease-shared", kWarning,
     "A second scheduler with the Lease of the cluster's scheduler waits for it forever and "
     "schedules nothing."},
    {Id::kSchedulerNameNotTold, "scheduler-name-not-told", kWarning,
     "The agent plans only pods of its configured profiles: gangs of this profile never get "
     "nodes."},
    {Id::kSchedulerConfigUnread, "scheduler-config-unread", kHint,
     "An agent without --scheduler-config assumes the profile default-scheduler, the Lease "
     "kube-system/kube-scheduler, bind calls of 630 s, volumes within 600 s, and that the "
     "scheduler makes all its checks."},
    {Id::kIgnoredWithoutEffect, "ignored-without-effect", kWarning,
     "If an extender manages resources with ignoredByScheduler, kube-scheduler ignores these "
     "instead of the profile's ignoredResources."},
    {Id::kFilterNotPlanned, "filter-not-planned", kHint,
     "The planner does not know this filter. For each gang the agent learns from the nodes offered "
     "for the first member, and plans again."},
    {Id::kPreemptionOff, "preemption-off", kHint,
     "Without a preemption plugin no pod is evicted for a pod of higher priority, and the agent's "
     "preempt call is never made."},
    {Id::kPreemptionReplaced, "preemption-replaced", kWarning,
     "DefaultPreemption calls extenders before it evicts; another plugin may not, and then evicts "
     "single members of gangs."},
    {Id::kBindPluginUnused, "bind-plugin-unused", kWarning,
     "A binding extender is used instead of all bind plugins: this plugin is never called."},
    {Id::kMarkerUnread, "marker-unread", kWarning,
     "Pods with only this marker are in no group. They start one by one, so their gang may start "
     "incomplete."},
    {Id::kGroupResourceMissing, "group-resource-missing", kWarning,
     "kube-scheduler does not call the agent for these members, and places them as single pods."},
    {Id::kGateStays, "gate-stays", kWarning,
     "No agent of this file plans these pods, so nothing removes their gate."},
    {Id::kGateMissing, "gate-missing", kHint,
     "kube-scheduler keeps retrying these members while their gang waits."},
    {Id::kGangTooLarge, "gang-too-large", kWarning,
     "Members wait for each other in bind calls, and fewer calls may wait than this gang needs: it "
     "never starts."},
    {Id::kPenaltyNoRoom, "penalty-no-room", kWarning,
     "The class is less than one penalty step above its floor, so it loses almost nothing."},
    {Id::kPublishedTwice, "published-twice", kWarning,
     "Each publication is allocated separately: two pods can get the same device."},
    {Id::kNotMeasured, "not-measured", kWarning,
     "safe rejects no node and scores all alike until a node is measured."},
};

constexpr bool InOrder() {
  size_t next = 0;
  for (const FindingKind& kind : kKinds) {
    if (static_cast<size_t>(kind.id) != next++) return false;
  }
  return next == static_cast<size_t>(Id::kCount);
}
static_assert(InOrder(), "kKinds has a row per FindingId, in the same order");

}  // namespace

std::string_view TextOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kHint:
      return "hint";
  }
  return "";
}

std::span<const FindingKind> FindingKinds() {
  return kKinds;
}

void Findings::Add(FindingId id, Place place, std::string found, std::string fix) {
  findings_.push_back(
      {&kKinds[static_cast<size_t>(id)], std::move(place), std::move(found), std::move(fix)});
}

std::vector<Finding> Findings::Take() {
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.kind->severity, a.place.line) < std::tie(b.kind->severity, b.place.line);
  });
  return std::move(findings_);
}

}  // namespace outrigger::cli
