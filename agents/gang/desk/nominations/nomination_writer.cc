#include "gang/desk/nominations/nomination_writer.h"

#include <cstddef>
#include <utility>

namespace outrigger::desk {
namespace {

// Each write is a round trip, and pods sleep until theirs is through.
constexpr size_t kNominationsAtOnce = 16;

absl::Status Write(ClusterWriter* cluster, const Nomination& nomination, const CallLimits& limits) {
  const Pod& pod = *nomination.pod;
  return cluster->Nominate({pod.namespace_, pod.name, pod.uid}, nomination.node,
                           pod.resource_version, limits);
}

}  // namespace

NominationWriter::NominationWriter(ClusterWriter* cluster, Hooks hooks, SteadyNow now)
    : writer_(kNominationsAtOnce,
              {.may_write = std::move(hooks.may_write),
               .write =
                   [cluster](const Nomination& nomination, const CallLimits& limits) {
                     return Write(cluster, nomination, limits);
                   },
               .answered = std::move(hooks.answered),
               .changed = std::move(hooks.changed)},
              std::move(now)) {}

NominationWriter::Content NominationWriter::Take() {
  PodWriter<Nomination>::Content taken = writer_.Take();
  Content content{.results = {}, .under_way = std::move(taken.under_way)};
  for (PodWriter<Nomination>::Result& result : taken.results) {
    content.results.push_back({std::move(result.wish), result.status.ok(), result.began});
  }
  return content;
}

}  // namespace outrigger::desk
