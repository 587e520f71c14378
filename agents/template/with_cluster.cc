// An example to copy, of an agent that sees the cluster: keeps pods of one application apart.
#include <memory>
#include <optional>

#include "outrigger/agent/agent.h"

namespace outrigger::template_with_cluster {
namespace {

struct Settings {
  std::string label = "app.kubernetes.io/name";
  int64_t most = 1;
  static constexpr auto kFields = std::tuple{
      Setting{"label", &Settings::label, "pod label whose value names the application"},
      Setting{"most", &Settings::most, Range<int64_t>{1, 1000},
              "most pods of one application on a node"},
  };
};

class Template final : public Agent, public Filterer {
 public:
  // The reader is enough: this agent changes nothing in the cluster, and so needs no rights of its
  // own. An agent that binds, evicts or writes takes deps.cluster as a ClusterWriter, too, and
  // lists what it does in a static Access().
  Template(const Settings& settings, const AgentDeps& deps)
      : label_(settings.label), most_(settings.most), cluster_(deps.cluster) {}

  // ClusterPods() has the program follow pods, PodMetadata() has it keep their labels.
  Needs Reads() const override { return Needs().ClusterPods().PodMetadata(); }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    const std::string_view app = request.pod.labels.Get(label_);
    if (app.empty()) return absl::OkStatus();  // every node fits
    if (cluster_ == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: set --kubeconfig FILE, or run in a pod");
    }
    // One snapshot for the whole call: every node is judged by the same moment. It copies nothing.
    const absl::StatusOr<ClusterView> view = cluster_->Take();
    // What is known is too old. An error fails this try, and the scheduler tries the pod again; to
    // answer "fits" would break the rule when it matters.
    if (!view.ok()) return view.status();
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const PodRange pods = view->snapshot->PodsOn(request.nodes[i].name);
      if (CountOf(app, request.pod, pods) < most_) continue;
      // Rejected, not Unresolvable: with a pod fewer the node would fit. The text has the limit,
      // not the count, so that it stays the same as long as the answer does.
      verdicts[i] = Verdict::Rejected(
          "full", "the node has reached the limit of {} for pods with {}={}", most_, label_, app);
    }
    return absl::OkStatus();
  }

 private:
  // Finished pods are not in the range. Assumed ones are: those that an agent of this process has
  // counted on the node (ClusterWriter::Assume()) before the API server shows them there.
  int64_t CountOf(std::string_view app, const Pod& asking, const PodRange& pods) const {
    int64_t count = 0;
    for (const PodView pod : pods) {
      // The cheapest test first; nothing here unpacks a pod.
      if (pod.Namespace() != asking.namespace_ || pod.Label(label_) != app) continue;
      count += pod.Uid() != asking.uid ? 1 : 0;
    }
    return count;
  }

  const std::string label_;
  const int64_t most_;
  ClusterReader* const cluster_;  // null: there is no way to the API server
};

}  // namespace

OUTRIGGER_AGENT(Template, Settings)

}  // namespace outrigger::template_with_cluster
