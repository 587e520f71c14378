#pragma once

#include <string>

#include "cli/doctor/case.h"
#include "cli/doctor/findings.h"

// The doctor's checks, a file each. They know nothing of each other; each adds what it finds.

namespace outrigger::cli {

/// What kube-scheduler itself refuses of well-formed fields: weights, binders, resources, backoffs.
void CheckAccepted(const DoctorCase& found, Findings* findings);

/// What kube-scheduler refuses of profiles: arguments of its own plugins, and queueSort.
void CheckArguments(const DoctorCase& found, Findings* findings);

/// urlPrefix, verbs and TLS of each entry.
void CheckUrls(const DoctorCase& found, Findings* findings);

/// The order of the entries, and who may be ignored.
void CheckOrder(const DoctorCase& found, Findings* findings);

/// Whether each agent has the entries that it needs, once each.
void CheckEntries(const DoctorCase& found, Findings* findings);

/// Agents that are called though their settings say that no scheduler calls them.
void CheckAlone(const DoctorCase& found, Findings* findings);

/// Time limits of calls, and what is sent with them.
void CheckCalls(const DoctorCase& found, Findings* findings);

/// What counts for the whole scheduler: client limits, sampling, backoff.
void CheckScheduler(const DoctorCase& found, Findings* findings);

/// Leader election and profiles, against the settings of agents.
void CheckIdentity(const DoctorCase& found, Findings* findings);

/// What brings agents that are called at two addresses into one process: "one process (serve
/// --agents gang,qos), and in place of the entries of both what ... prints".
std::string InOneProcess(const AgentInfo& first, const AgentInfo& second);

/// Plugins that do what agents do, too.
void CheckPlugins(const DoctorCase& found, Findings* findings);

}  // namespace outrigger::cli
