#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/contents.h"
#include "cluster/node_editor.h"

namespace outrigger::cluster {

/// Changes the pods of a version: the table of all, the pending ones, the indexes, and, by a
/// NodeEditor, what is on the nodes. Not thread-safe.
class PodEditor {
 public:
  /// Everything given outlives this; `epoch` is what it is at the time of a call.
  PodEditor(const std::vector<PodIndex>& indexes, Contents* contents, NodeEditor* nodes,
            const uint64_t* epoch);

  /// The pod as it is shown, or null.
  PodPtr Find(const PodKey& key) const;
  /// Shows `pod`, in the place of the one of its key.
  Effect Put(const PodPtr& pod);
  /// False: there is no such pod.
  bool Remove(const PodKey& key);

 private:
  void Place(const PodPtr& pod);
  void Displace(const PodRecord& pod);
  void File(size_t index, std::string_view value, const PodPtr& pod);
  void Unfile(size_t index, std::string_view value, const PodKey& key);

  const std::vector<PodIndex>& indexes_;
  Contents& contents_;
  NodeEditor& nodes_;
  const uint64_t& epoch_;
};

}  // namespace outrigger::cluster
