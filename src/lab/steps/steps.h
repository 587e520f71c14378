#pragma once

#include <cstdint>
#include <memory>

#include "lab/framework/handle.h"
#include "lab/framework/scheduler.h"

// The seven steps: each is the one before it and one thing more. docs/learn leads through them.

namespace outrigger::lab {

inline constexpr int kFirstStep = 1;
inline constexpr int kLastStep = 7;

/// The order of the queue, at every step.
using QueueSort = std::shared_ptr<const QueueSortPlugin>;
/// The same as the queue takes it.
PodLess LessOf(const QueueSort& sort);

Profile Step1Random(const Handle& handle, const QueueSort& sort);
Profile Step2Filter(const Handle& handle, const QueueSort& sort);
Profile Step3Score(const Handle& handle, const QueueSort& sort);
Profile Step4PreScore(const Handle& handle, const QueueSort& sort);
Profile Step5Permit(const Handle& handle, const QueueSort& sort);
Profile Step6Queue(const Handle& handle, const QueueSort& sort);
Profile Step7EventHandlers(const Handle& handle, const QueueSort& sort);

/// The profile of a step, kFirstStep to kLastStep.
Profile MakeStep(int step, const Handle& handle, const QueueSort& sort);

}  // namespace outrigger::lab
