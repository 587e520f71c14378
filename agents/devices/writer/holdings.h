#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/objects/objects.h"

// What claims and entries hold, and when two of these are the same.

namespace outrigger::device_writer {

using devices::Allocation;
using devices::ClaimObject;
using devices::PoolEntry;
using devices::PoolObject;
using devices::WallTime;

/// The same in one order, and of devices without names one number for each pool.
std::vector<Allocation> Normal(std::vector<Allocation> holding);
bool SameHolding(const std::vector<Allocation>& a, const std::vector<Allocation>& b);

/// Those of one pool.
std::vector<Allocation> Of(std::string_view pool, const std::vector<Allocation>& allocations);
/// Names of the pools, in order.
std::set<std::string> PoolsOf(const std::vector<Allocation>& allocations);

const PoolEntry* FindEntry(const PoolObject& pool, std::string_view claim_uid);
void EraseEntry(std::string_view claim_uid, std::vector<PoolEntry>* entries);
/// In the place of the claim's entry, or at the end.
void PutEntry(PoolEntry entry, std::vector<PoolEntry>* entries);

/// An intent without a deadline is due at once.
bool IsDue(const PoolEntry& entry, WallTime now);

bool HasPod(const ClaimObject& claim, std::string_view pod_uid);

/// RFC 3339 in UTC, to the second.
std::string TimeText(WallTime time);

/// What the message of a claim becomes so that the writer of `intent` fails on its next write:
/// different for each version of the claim, since a write that changes nothing makes no version.
std::string FenceMessage(const PoolEntry& intent, const ClaimObject& claim);

}  // namespace outrigger::device_writer
