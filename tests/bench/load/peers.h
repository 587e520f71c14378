#pragma once

#include <optional>

#include "amounts.h"
#include "exporter.h"

// Other schedulers' ways to judge a node, written from their published formulas. Pure. Scores are
// those of a scheduler's plugin, 0 to 100.

namespace outrigger::load_bench {

/// kube-scheduler's NodeResourcesFit, strategy LeastAllocated, cpu and memory of the same weight
/// (kubernetes 1.33, pkg/scheduler/framework/plugins/noderesources/least_allocated.go).
int LeastAllocatedScore(const Amounts& requested, const Amounts& pod, const Amounts& allocatable);

// Trimaran's TargetLoadPacking (kubernetes-sigs/scheduler-plugins 903da7df,
// pkg/trimaran/targetloadpacking/targetloadpacking.go).

/// What a pod is taken to use of cpu: its limit, else half more than its request, else a cpu.
double TargetLoadPackingUse(const Amounts& requests, const Amounts& limits);
/// `used`: the mean of 15 minutes; `missing`: TargetLoadPackingUse() of the pods that were placed
/// after the end of the metrics' window, or less than kMissingAge seconds before it. Millicores.
int TargetLoadPackingScore(double used, double pod, double missing, double capacity);
inline constexpr double kTargetUtilization = 40;
inline constexpr double kMissingAge = 60;
/// Of both of Trimaran's (paypal/load-watcher): the window of metrics, and how often they are read.
inline constexpr double kTrimaranWindow = 900;
inline constexpr double kTrimaranRefresh = 30;

// Trimaran's LowRiskOverCommitment (the same, pkg/trimaran/lowriskovercommitment).

/// Of one resource of a node, all in its unit but mean and deviation, which are shares.
struct RiskInput {
  double request = 0;  // of all pods with the one to be placed, at most the capacity
  double limit = 0;    // the same; of a pod without a limit its request
  double request_without_pod = 0;
  double limit_without_pod = 0;
  double capacity = 0;
  double mean = 0;
  double deviation = 0;
};
/// riskLimit and riskLoad by the same weight, with a smoothing window of 5.
double OverCommitmentRisk(const RiskInput& input);
int LowRiskOverCommitmentScore(double cpu_risk, double memory_risk);

// Koordinator's LoadAwareScheduling (koordinator-sh/koordinator 01a456b1,
// pkg/scheduler/plugins/loadaware, with estimator/default_estimator.go and the defaults of
// pkg/scheduler/apis/config/v1/defaults.go).

/// 85 % of the cpu and 70 % of the memory of a pod's limit, of its request where it has none.
Amounts KoordinatorEstimate(const Amounts& requests, const Amounts& limits);
/// `used` is with the pod, and with estimates in place of what pods that are too young use.
bool KoordinatorFits(const Amounts& used, const Amounts& allocatable);
int KoordinatorScore(const Amounts& used, const Amounts& allocatable);
/// Of a node's metrics: the mean of so many seconds, reported so often.
inline constexpr double kKoordinatorWindow = 300;
inline constexpr double kKoordinatorReport = 60;

}  // namespace outrigger::load_bench
