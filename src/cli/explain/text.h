#pragma once

#include <string>

#include "devices/commands/claims/explained.h"
#include "devices/commands/dra/dra_placement.h"
#include "outrigger/k8s/pod.h"
#include "serve/engine/explain.h"

// An explanation in the forms of `outrigger explain pod -o`.

namespace outrigger::cli {

/// What is to be printed. Everything outlives it.
struct ExplainedPod {
  const Pod& pod;
  size_t nodes = 0;   ///< of the cluster, of which the explanation may show a part
  std::string event;  ///< engine::EventText()
  const engine::Explanation& explanation;
  const ExplainedClaims* claims = nullptr;  ///< null: the pod has no device claims
  const DraExplained* dra = nullptr;        ///< null: it has no ResourceClaims
};

struct TableForm {
  bool wide = false;   ///< also named scorers, and scores before they were rounded
  bool color = false;  ///< escape sequences
  size_t columns = 0;  ///< to which the rows of the table are cut; 0: not at all
};

/// A few lines about the pod, and a row per node and agent.
std::string ExplainTable(const ExplainedPod& explained, const TableForm& form);

/// Everything, for programs; keys are stable. YAML says the same.
std::string ExplainJson(const ExplainedPod& explained);
std::string ExplainYaml(const ExplainedPod& explained);

/// "cpu 500m, memory 1Gi": what kube-scheduler counts for the pod.
std::string RequestsText(const Pod& pod);

}  // namespace outrigger::cli
