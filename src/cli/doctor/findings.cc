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
     "kube-scheduler of 1.29 or newer reads kubescheduler.config.k8s.io/v1 alone. It does not "
     "start with another one."},
    {Id::kFieldUnknown, "field-unknown", kError,
     "kube-scheduler is strict: with a field that it does not know it does not start."},
    {Id::kFieldTwice, "field-twice", kError,
     "kube-scheduler is strict: with a key that is given twice it does not start."},
    {Id::kTypeWrong, "type-wrong", kError,
     "kube-scheduler does not start with a value of another type."},
    {Id::kDurationMalformed, "duration-malformed", kError,
     "kube-scheduler takes durations as a text with a unit, and does not start with another one."},
    {Id::kWeightNotPositive, "weight-not-positive", kError,
     "kube-scheduler does not start with a prioritizeVerb whose weight is not positive. There is "
     "no default."},
    {Id::kBindersSeveral, "binders-several", kError,
     "kube-scheduler takes one extender that binds, and does not start with two."},
    {Id::kManagedResourceTwice, "managed-resource-twice", kError,
     "Names of managedResources are unique over all extenders; kube-scheduler does not start."},
    {Id::kTlsCaAndInsecure, "tls-ca-and-insecure", kError,
     "To check a certificate and not to check it exclude each other; kube-scheduler does not "
     "start."},
    {Id::kPercentageRefused, "percentage-refused", kError,
     "kube-scheduler does not start with a percentageOfNodesToScore outside of 0 to 100."},
    {Id::kBackoffRefused, "backoff-refused", kError,
     "kube-scheduler does not start unless podInitialBackoffSeconds is positive and "
     "podMaxBackoffSeconds is not below it."},
    {Id::kBindPluginMissing, "bind-plugin-missing", kError,
     "Every profile needs a bind plugin, even where an extender binds; kube-scheduler does not "
     "start."},
    {Id::kProfileTwice, "profile-twice", kError,
     "Names of profiles are unique; kube-scheduler does not start."},
    {Id::kArgumentsRefused, "arguments-refused", kError,
     "With such arguments of a plugin kube-scheduler does not start, or no pod finds a node."},
    {Id::kQueueSortRefused, "queue-sort-refused", kError,
     "There is one queue: kube-scheduler does not start unless every profile sorts it by the same "
     "plugin."},
    {Id::kParallelismRefused, "parallelism-refused", kError,
     "kube-scheduler does not start with a parallelism that is not positive."},
    {Id::kLeaseRefused, "lease-refused", kError,
     "With leader election kube-scheduler does not start unless leaseDuration is above "
     "renewDeadline."},
    {Id::kUrlMalformed, "url-malformed", kError,
     "Every call of this extender fails, and with it every pod unless it is ignorable."},
    {Id::kVerbNotServed, "verb-not-served", kError,
     "The agent answers this path with 404: the call fails, and with it the pod."},
    {Id::kVerbsNone, "verbs-none", kWarning, "An entry without verbs is never called."},
    {Id::kTlsInClear, "tls-in-clear", kError,
     "The scheme of urlPrefix decides: kube-scheduler calls in clear, whatever enableHTTPS and "
     "tlsConfig say."},
    {Id::kTlsKeyMissing, "tls-key-missing", kError,
     "kube-scheduler drops half a pair of certificate and key without a word and shows no "
     "certificate."},
    {Id::kTlsUnchecked, "tls-unchecked", kWarning,
     "With enableHTTPS and without an authority kube-scheduler does not check the answering "
     "server. It logs nothing about that."},
    {Id::kTlsInsecure, "tls-insecure", kHint,
     "Whoever takes that address reads the calls and decides about pods."},
    {Id::kUrlInClear, "url-in-clear", kWarning,
     "Pods are sent in clear over a network, and whoever takes that address decides about them; an "
     "agent listens there only with --insecure-listen."},
    {Id::kPortUnexpected, "port-unexpected", kHint,
     "Unless it is told otherwise, the agent does not listen on this port."},
    {Id::kAgentNotCompiledIn, "agent-not-compiled-in", kHint,
     "This program was built without that agent, so its entry was checked no further."},
    {Id::kAgentNone, "agent-none", kWarning,
     "No entry of extenders calls an agent that is checked: this scheduler does without it."},
    {Id::kPlannerNotLast, "planner-not-last", kError,
     "Filters are called in the order of the file: one behind an agent that plans takes away the "
     "one node that was planned, and the gang never gets complete."},
    {Id::kPlannerIgnorable, "planner-ignorable", kError,
     "While the agent does not answer, the scheduler goes on without it and starts gangs in part."},
    {Id::kFilterIgnorableBesidePlanner, "filter-ignorable-beside-planner", kError,
     "kube-scheduler moves ignorable extenders behind all others, whatever the order of the file: "
     "this filter takes away nodes that were planned."},
    {Id::kFilterIgnorable, "filter-ignorable", kWarning,
     "While the agent does not answer, pods go to nodes that it would reject."},
    {Id::kBindIgnorable, "bind-ignorable", kError,
     "A bind call that fails falls through to kube-scheduler's own binder: what the agent holds "
     "back is bound all the same."},
    {Id::kBindNotSplit, "bind-not-split", kError,
     "httpTimeout is one per entry: a bind call has to wait for minutes, and while a filter call "
     "waits no pod of the cluster is scheduled."},
    {Id::kEntriesApart, "entries-apart", kError,
     "What binds must be the process that has planned: another one knows nothing of it."},
    {Id::kEntryTwice, "entry-twice", kWarning,
     "The agent is asked the same twice in every cycle, and its scores count twice."},
    {Id::kFilterMissing, "filter-missing", kError,
     "Without its filter the agent's plan steers no pod: members start wherever there is room."},
    {Id::kPrioritizeMissing, "prioritize-missing", kWarning,
     "Other pods are not steered away from nodes that are planned for gangs."},
    {Id::kPreemptMissing, "preempt-missing", kError,
     "kube-scheduler's own preemption cuts gangs pod by pod and deletes members that wait to be "
     "bound."},
    {Id::kBindMissing, "bind-missing", kError,
     "Without the bind call nothing holds members back until the gang is complete: gangs start in "
     "part."},
    {Id::kPreBindMissing, "prebind-missing", kError,
     "Without the bind call the agent prepares nothing: pods start without what they need on their "
     "nodes."},
    {Id::kManagedResources, "managed-resources", kError,
     "The agent sees only pods that request one of these resources, and a name may stand in one of "
     "its entries only: its calls are about different pods."},
    {Id::kAlone, "alone", kError,
     "The agent has no port for calls, or answers each with an error: every pod of the scheduler "
     "fails."},
    {Id::kTwoDesks, "two-desks", kError,
     "Two processes that plan for one scheduler promise one place to two pods. Each overwrites the "
     "nominations of the other."},
    {Id::kTimeoutMissing, "timeout-missing", kWarning,
     "The default is 5 s: while one call waits no pod of the cluster is scheduled."},
    {Id::kTimeoutLong, "timeout-long", kWarning,
     "While one call waits no pod of the cluster is scheduled."},
    {Id::kTimeoutShort, "timeout-short", kWarning,
     "One late answer fails the cycle of its pod: at 5000 nodes one in a hundred calls takes 20 ms "
     "on a quiet machine (docs/performance.md)."},
    {Id::kBindTimeoutShort, "bind-timeout-short", kError,
     "The agent gives a gang up 2 s before httpTimeout (5 s if it is missing): a member that comes "
     "back from its backoff is too late."},
    {Id::kPreBindTimeoutShort, "prebind-timeout-short", kWarning,
     "kube-scheduler gives the call up while the agent still writes what the pod needs: that is "
     "taken back, and the pod is tried again."},
    {Id::kFullNodes, "full-nodes", kWarning,
     "Whole nodes are sent with every call: at 5000 nodes a filter call takes kube-scheduler a "
     "second instead of 5 ms (docs/performance.md). Since 1.33 it then scores nodes as if these "
     "were idle (kubernetes#141781)."},
    {Id::kFullNodesFirst, "full-nodes-first", kError,
     "kube-scheduler goes on with the nodes that such an entry returns, as if nothing ran there "
     "(kubernetes#141781): later entries and its own scores choose busy nodes."},
    {Id::kClientQps, "client-qps", kWarning,
     "It limits binds per second; kube-scheduler's default is 50."},
    {Id::kClientBurst, "client-burst", kWarning,
     "It limits how many pods of a gang are bound at once; kube-scheduler's default is 100."},
    {Id::kNodesSampled, "nodes-sampled", kWarning,
     "kube-scheduler offers a sample of the nodes, in which a planned one, or those with free "
     "devices, may be missing: pods are rejected into backoff."},
    {Id::kBackoffLong, "backoff-long", kWarning,
     "Pods whose gang failed wait for so long before they are tried again; the defaults are 1 and "
     "10."},
    {Id::kLeaseNone, "lease-none", kError,
     "Without leader election kube-scheduler holds no Lease. The agent waits for one, and every "
     "pod fails until then."},
    {Id::kLeaseNotTold, "lease-not-told", kWarning,
     "The agent acts while the Lease that it is told is held from its host: with another one it "
     "does nothing, or acts beside the scheduler that leads."},
    {Id::kLeaseShared, "lease-shared", kWarning,
     "A second scheduler with the Lease of the cluster's own waits for it for ever and schedules "
     "nothing."},
    {Id::kSchedulerNameNotTold, "scheduler-name-not-told", kWarning,
     "The agent plans pods of the profiles that it is told: gangs of this one never get a place."},
    {Id::kSchedulerConfigUnread, "scheduler-config-unread", kHint,
     "An agent without --scheduler-config assumes the profile default-scheduler, the Lease "
     "kube-system/kube-scheduler, bind calls of 630 s, volumes within 600 s, and that all is "
     "compared."},
    {Id::kIgnoredWithoutEffect, "ignored-without-effect", kWarning,
     "Where an extender manages resources with ignoredByScheduler, kube-scheduler ignores those in "
     "place of the profile's ignoredResources."},
    {Id::kFilterNotPlanned, "filter-not-planned", kHint,
     "No plan knows this filter. A gang learns which nodes it takes from those that kube-scheduler "
     "passes for its first member, and plans again."},
    {Id::kPreemptionOff, "preemption-off", kHint,
     "Without a plugin that preempts, nobody is evicted for a pod of higher priority, and the "
     "agent's preempt call is never made."},
    {Id::kPreemptionReplaced, "preemption-replaced", kWarning,
     "DefaultPreemption asks extenders before it evicts; another plugin need not, and cuts gangs "
     "then."},
    {Id::kBindPluginUnused, "bind-plugin-unused", kWarning,
     "An extender that binds comes before all bind plugins: this one is never called."},
    {Id::kMarkerUnread, "marker-unread", kWarning,
     "Pods with such a marker and no other are in no group. They start one by one, so their gang "
     "starts in part."},
    {Id::kGroupResourceMissing, "group-resource-missing", kWarning,
     "kube-scheduler does not call the agent about these members, and places them as single pods."},
    {Id::kGateStays, "gate-stays", kWarning,
     "No agent of this file plans these pods, so that nothing removes their gate."},
    {Id::kGateMissing, "gate-missing", kHint,
     "kube-scheduler tries such a member again while its gang waits."},
    {Id::kGangTooLarge, "gang-too-large", kWarning,
     "Members wait for each other in bind calls, of which not so many may wait: such a gang never "
     "starts."},
    {Id::kPenaltyNoRoom, "penalty-no-room", kWarning,
     "Less than one step of a penalty is between the class and its floor, so that it loses nearly "
     "nothing."},
    {Id::kPublishedTwice, "published-twice", kWarning,
     "Each publication is given out by itself: two pods get the same device."},
    {Id::kNotMeasured, "not-measured", kWarning,
     "safe refuses no node and scores all alike as long as none has been measured."},
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
