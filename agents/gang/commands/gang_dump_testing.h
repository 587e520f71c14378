#pragma once

namespace outrigger::cli {

/// Two nodes of cpu 4, and gangs: of namespace shop train (fits), big (lacks cpu), lost (without
/// its PodGroup) and a PodGroup train of Volcano without pods; of namespace lab few (lacks members)
/// and done (bound). shop/web is a single pod.
inline constexpr char kGangDump[] = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1},
   status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2},
   status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: train-0, namespace: shop, uid: t0,
              labels: {podGroup: train, minAvailable: "2", groupPriority: "9"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: train-1, namespace: shop, uid: t1,
              labels: {podGroup: train, minAvailable: "2", groupPriority: "9"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: big-0, namespace: shop, uid: b0,
              labels: {podGroup: big, minAvailable: "2", groupPriority: "1"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: big-1, namespace: shop, uid: b1,
              labels: {podGroup: big, minAvailable: "2", groupPriority: "1"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: big-2, namespace: shop, uid: b2,
              labels: {podGroup: big, minAvailable: "2", groupPriority: "1"}},
   spec: {schedulingGates: [{name: example.com/hold}],
          containers: [{name: c, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: lost-0, namespace: shop, uid: l0,
              labels: {scheduling.x-k8s.io/pod-group: lost}},
   spec: {containers: [{name: c}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, uid: w},
   spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: few-0, namespace: lab, uid: f0,
              labels: {pod-group.scheduling.sigs.k8s.io: few}},
   spec: {containers: [{name: c}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: done-0, namespace: lab, uid: d0,
              labels: {scheduling.x-k8s.io/pod-group: done}},
   spec: {nodeName: n1, containers: [{name: c}]}}
- {apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup,
   metadata: {name: done, namespace: lab, uid: g1}, spec: {minMember: 1}}
- {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup,
   metadata: {name: few, namespace: lab, uid: g2}, spec: {minMember: 4}}
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup,
   metadata: {name: train, namespace: shop, uid: g3}, spec: {minMember: 3}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
)";

}  // namespace outrigger::cli
