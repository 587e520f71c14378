#include "trace.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

constexpr double kGi = 1024.0 * 1024 * 1024;
constexpr size_t kApps = 10;
// Of a new pod, until its memory is that of an old one.
constexpr double kMemoryGrows = 300;
constexpr double kMeanLife = 2700;
// What pods request of what is allocatable, once as many end as come.
constexpr double kRequested = 0.82;
constexpr size_t kBurst = 20;

struct Size {
  double cpu;
  double memory;
};
constexpr std::array<Size, 5> kSizes = {
    Size{250, 0.5 * kGi}, {500, 1 * kGi}, {500, 2 * kGi}, {1000, 4 * kGi}, {2000, 6 * kGi}};
constexpr double kMeanCpu = 850;

// Means are such that some four fifths of what is requested are used.
void SetRatios(Family family, size_t app, Chance* chance, AppTrace* made) {
  made->memory_ratio = chance->Between(0.4, 0.9);
  if (family != Family::kUnlike) {
    made->cpu_ratio = chance->Between(0.6, 1.05);
    return;
  }
  constexpr std::array kRatios = {0.1, 0.2, 0.4, 2.0, 1.5, 0.3, 1.2, 0.1, 2.0, 0.6};
  made->cpu_ratio = kRatios[app % kRatios.size()] * chance->Between(0.95, 1.0);
}

void AddApps(Family family, Chance* chance, Trace* trace) {
  for (size_t i = 0; i < kApps; ++i) {
    AppTrace app{.name = fmt::format("app-{}", i),
                 .level = CurveOf(family, trace->length, chance->Share(), chance),
                 .has_limits = i % 2 == 0};
    SetRatios(family, i, chance, &app);
    trace->apps.push_back(std::move(app));
  }
}

void AddFaults(Family family, double length, Chance* chance, NodeTrace* node) {
  if (family == Family::kMissedScrapes) {
    node->missed = 0.25;
    for (double time = chance->Wait(1800); time < length; time += kOutage + chance->Wait(1800)) {
      node->outages.push_back(time);
    }
  }
  if (family == Family::kCounterResets) {
    for (double time = chance->Wait(900); time < length; time += chance->Wait(900)) {
      node->resets.push_back(time);
    }
  }
}

void AddNodes(Family family, size_t count, Chance* chance, Trace* trace) {
  for (size_t i = 0; i < count; ++i) {
    const double cores = i % 2 == 0 ? 8 : 16;
    NodeTrace node{.name = fmt::format("node-{:02}", i),
                   .capacity = {cores * 1000, cores * 4 * kGi},
                   .seed = chance->Seed(),
                   .scrape_offset = std::floor(chance->Share() * 3) * Curve::kGrid};
    // Of 8 cpu 7.5 are for pods; the kubelet and what else is no pod take half of the rest.
    node.allocatable = node.capacity * 0.9375;
    node.system = node.capacity * 0.03;
    if (family == Family::kNewNodes && i >= count / 2) {
      const double share =
          static_cast<double>(i - count / 2) / static_cast<double>(count - count / 2);
      node.begins =
          trace->warm_up + 300 + std::floor(share * 0.6 * (trace->length - trace->warm_up));
    }
    AddFaults(family, trace->length, chance, &node);
    trace->nodes.push_back(std::move(node));
  }
}

PodTrace NextPod(const Trace& trace, double time, Chance* chance) {
  const Size& size = kSizes[chance->Below(kSizes.size())];
  PodTrace pod{.name = fmt::format("pod-{:04}", trace.pods.size()),
               .app = chance->Below(kApps),
               .arrives = time,
               .lasts = 120 + chance->Wait(kMeanLife),
               .requests = {size.cpu, size.memory},
               .seed = chance->Seed()};
  if (trace.apps[pod.app].has_limits) pod.limits = {size.cpu * 2, size.memory * 1.25};
  return pod;
}

/// Fills the nodes of the beginning up to two thirds of what is requested later, in turn.
void AddFirstPods(Chance* chance, Trace* trace) {
  std::vector<Amounts> free;
  for (const NodeTrace& node : trace->nodes) {
    free.push_back(node.begins > 0 ? Amounts() : node.allocatable * (kRequested * 2 / 3));
  }
  for (size_t turn = 0, misses = 0; misses < 2 * free.size(); ++turn) {
    const size_t node = turn % free.size();
    PodTrace pod = NextPod(*trace, 0, chance);
    if (!Fits(pod.requests, free[node])) {
      ++misses;
      continue;
    }
    free[node] -= pod.requests;
    pod.node = static_cast<int>(node);
    pod.lasts += trace->warm_up;
    trace->pods.push_back(std::move(pod));
  }
}

/// So many arrive that kRequested is kept up.
void AddArrivals(Family family, Chance* chance, Trace* trace) {
  double cpu = 0;
  for (const NodeTrace& node : trace->nodes) cpu += node.allocatable.cpu;
  const double rest = kMeanLife * kMeanCpu / (cpu * kRequested);
  const bool in_bursts = family == Family::kBursts;
  double time = trace->warm_up;
  while (true) {
    time += chance->Wait(in_bursts ? rest * kBurst : rest);
    if (time >= trace->length) return;
    if (!in_bursts) {
      trace->pods.push_back(NextPod(*trace, time, chance));
      continue;
    }
    const PodTrace first = NextPod(*trace, time, chance);
    for (size_t i = 0; i < kBurst; ++i) {
      // One application is scaled up.
      PodTrace pod = NextPod(*trace, time + 0.5 * static_cast<double>(i), chance);
      pod.app = first.app;
      pod.requests = first.requests;
      pod.limits = first.limits;
      trace->pods.push_back(std::move(pod));
    }
    time += 0.5 * kBurst;
  }
}

}  // namespace

Trace MakeTrace(Family family, uint64_t seed, const Scale& scale) {
  Trace trace;
  trace.family = family;
  trace.seed = seed;
  trace.warm_up = scale.warm_up;
  trace.length = scale.warm_up + scale.length;
  Chance chance(seed);
  AddApps(family, &chance, &trace);
  AddNodes(family, scale.nodes, &chance, &trace);
  AddFirstPods(&chance, &trace);
  AddArrivals(family, &chance, &trace);
  return trace;
}

Amounts UseOf(const Trace& trace, const PodTrace& pod, double time, double age) {
  const AppTrace& app = trace.apps[pod.app];
  const double noise = NoiseAt(pod.seed, time, NoiseOf(trace.family));
  Amounts use{pod.requests.cpu * app.cpu_ratio * app.level.At(time) * std::max(1 + noise, 0.05),
              pod.requests.memory * app.memory_ratio * std::min(0.5 + age / kMemoryGrows / 2, 1.0)};
  if (pod.limits.cpu > 0) use.cpu = std::min(use.cpu, pod.limits.cpu);
  if (pod.limits.memory > 0) use.memory = std::min(use.memory, pod.limits.memory);
  return use;
}

Amounts SystemUse(const NodeTrace& node, double time) {
  return {node.system.cpu * (1 + std::max(NoiseAt(node.seed, time, 0.3), -0.9)),
          node.system.memory};
}

}  // namespace outrigger::load_bench
