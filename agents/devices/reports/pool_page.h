#pragma once

#include "outrigger/agent/page.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// The page of pools: what they have, and which claims use it.
PageSpec PoolPage();
/// Thread-safe.
void FillPoolPage(const DeviceStore& store, PageTable* table);

}  // namespace outrigger::devices::agent
