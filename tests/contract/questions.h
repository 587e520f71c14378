#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/agent.h"
#include "outrigger/agent/registry.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// What the contract asks agents about: ordinary nodes, and nodes made to hurt.

namespace outrigger::contract {

/// Keys of annotations and labels that an agent may read: those that it needs by name, and its
/// settings of type text, which may name one.
std::vector<std::string> KeysOf(const AgentInfo& info, const Agent& agent);

/// Texts that no annotation should have: no numbers, wrong numbers, huge ones, 10 KB, any bytes.
std::vector<std::string> HostileTexts();

/// 40 nodes with plausible values of `keys`, and among them a bare one and an unknown one.
std::vector<Node> OrdinaryNodes(const std::vector<std::string>& keys);

/// Nodes with hostile texts for `keys`, alone and mixed, and with absurd amounts of resources.
std::vector<Node> HostileNodes(const std::vector<std::string>& keys);

/// A pod without requests, an ordinary one, one that fits nowhere.
std::vector<Pod> Pods();

}  // namespace outrigger::contract
