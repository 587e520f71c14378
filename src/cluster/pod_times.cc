#include "cluster/pod_times.h"

#include <array>

#include "cluster/packing.h"

namespace outrigger::cluster {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63U;

// 0 is for a time that is not known; else one more than the difference, with the sign as its lowest
// bit.
uint64_t Step(int64_t from, int64_t to) {
  if (to == 0) return 0;
  const uint64_t difference = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  const uint64_t folded = (difference & kSign) != 0 ? (~difference << 1U) | 1U : difference << 1U;
  return folded + 1;
}

int64_t Follow(int64_t from, uint64_t step) {
  const uint64_t folded = step - 1;
  const uint64_t difference = (folded & 1U) != 0 ? ~(folded >> 1U) : folded >> 1U;
  return static_cast<int64_t>(static_cast<uint64_t>(from) + difference);
}

}  // namespace

PodTimes PodTimes::Of(const Pod& pod) {
  return {pod.creation_time, pod.scheduled_time, pod.start_time, pod.end_time};
}

void PodTimes::SetIn(Pod* pod) const {
  pod->creation_time = creation;
  pod->scheduled_time = scheduled;
  pod->start_time = start;
  pod->end_time = end;
}

void PodTimes::Pack(std::string* out) const {
  std::array<uint64_t, 4> steps = {};
  size_t used = 0;
  int64_t before = 0;
  size_t i = 0;
  for (const int64_t time : {creation, scheduled, start, end}) {
    steps[i++] = Step(before, time);
    if (time == 0) continue;
    before = time;
    used = i;
  }
  for (i = 0; i < used; ++i) PackNumber(steps[i], out);
}

PodTimes PodTimes::Unpack(std::string_view packed) {
  PodTimes times;
  const char* at = packed.data();
  int64_t before = 0;
  for (int64_t* time : {&times.creation, &times.scheduled, &times.start, &times.end}) {
    if (at == packed.data() + packed.size()) break;
    const uint64_t step = UnpackNumber(&at);
    if (step == 0) continue;
    before = *time = Follow(before, step);
  }
  return times;
}

}  // namespace outrigger::cluster
