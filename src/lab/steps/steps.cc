#include "lab/steps/steps.h"

#include <array>
#include <cstddef>

namespace outrigger::lab {

PodLess LessOf(const QueueSort& sort) {
  return [sort](const QueuedPod& a, const QueuedPod& b) { return sort->Less(a, b); };
}

Profile MakeStep(int step, const Handle& handle, const QueueSort& sort) {
  static constexpr std::array kSteps{Step1Random, Step2Filter, Step3Score,        Step4PreScore,
                                     Step5Permit, Step6Queue,  Step7EventHandlers};
  return kSteps.at(static_cast<size_t>(step - kFirstStep))(handle, sort);
}

}  // namespace outrigger::lab
