#pragma once

#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::cluster {

/// Returns what the SDK's ClusterSnapshot reads a cluster::Snapshot with. Lives for ever.
const internal::SnapshotReader& ReaderOfSnapshots();

}  // namespace outrigger::cluster
