#include "devices/commands/dra/dra_placement.h"

#include <algorithm>
#include <utility>

#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

absl::Status NotThere(const std::string& what, const std::string& name, const DraObjects& objects) {
  std::vector<std::string> names;
  names.reserve(objects.cluster.claims.size());
  for (const dra::Claim& claim : objects.cluster.claims) names.push_back(dra::NameOf(claim));
  return absl::NotFoundError(
      Printable(fmt::format("there is no {} {}{}", what, name, DidYouMean(name, names))));
}

const dra::Claim* FindClaim(const DraObjects& objects, const std::string& name_space,
                            const std::string& name) {
  const auto& claims = objects.cluster.claims;
  const auto found = std::find_if(claims.begin(), claims.end(), [&](const dra::Claim& claim) {
    return claim.namespace_ == name_space && claim.name == name;
  });
  return found == claims.end() ? nullptr : &*found;
}

void Put(dra::Claim claim, DraAsked* asked) {
  (claim.allocated ? asked->allocated : asked->open).push_back(std::move(claim));
}

// Where a claim that has its devices may not be used; empty: here it may.
std::string WhyElsewhere(const DraAsked& asked, const Node& node) {
  for (const dra::Claim& claim : asked.allocated) {
    if (claim.nodes.has_value() && !claim.nodes->Matches(node)) {
      return fmt::format("claim {} has its devices on another node", claim.name);
    }
  }
  return "";
}

DraNode Look(const dra::Allocator& allocator, const DraAsked& asked, const Node& node) {
  DraNode seen;
  seen.name = node.name;
  if (std::string why = WhyElsewhere(asked, node); !why.empty()) {
    seen.reason.text = std::move(why);
    return seen;
  }
  dra::Answer answer = allocator.Allocate(node, asked.open);
  seen.outcome = answer.outcome;
  if (answer.outcome == dra::Outcome::kFits) {
    seen.claims = std::move(answer.claims);
    seen.reason.asks = dra::Report(allocator, node, asked.open);
  } else {
    seen.reason = dra::Explain(allocator, node, asked.open, answer);
  }
  return seen;
}

}  // namespace

const dra::PodClaims* FindDraPod(const DraObjects& objects, const std::string& name_space,
                                 const std::string& name) {
  for (const dra::PodClaims& pod : objects.pods) {
    if (pod.name == name && pod.namespace_ == name_space) return &pod;
  }
  return nullptr;
}

absl::StatusOr<DraAsked> DraClaimsOf(const dra::PodClaims& pod, const DraObjects& objects) {
  DraAsked asked;
  asked.pod = fmt::format("{}/{}", pod.namespace_, pod.name);
  for (const dra::PodClaim& each : pod.claims) {
    if (!each.claim.empty()) {
      const dra::Claim* claim = FindClaim(objects, pod.namespace_, each.claim);
      if (claim == nullptr) {
        return NotThere("ResourceClaim", fmt::format("{}/{}", pod.namespace_, each.claim), objects);
      }
      Put(*claim, &asked);
      continue;
    }
    const std::string name = fmt::format("{}/{}", pod.namespace_, each.of_template);
    const auto found = objects.templates.find(name);
    if (found == objects.templates.end()) return NotThere("ResourceClaimTemplate", name, objects);
    dra::Claim claim = found->second;
    claim.name = each.name;
    claim.owner = pod.name;
    Put(std::move(claim), &asked);
  }
  return asked;
}

absl::StatusOr<DraAsked> DraClaim(const std::string& name, const std::string& name_space,
                                  const DraObjects& objects) {
  DraAsked asked;
  std::vector<std::string> spaces;
  for (const dra::Claim& claim : objects.cluster.claims) {
    if (claim.name != name || !(name_space.empty() || claim.namespace_ == name_space)) continue;
    spaces.push_back(claim.namespace_);
    Put(claim, &asked);
  }
  if (spaces.empty()) {
    return NotThere("ResourceClaim",
                    name_space.empty() ? name : fmt::format("{}/{}", name_space, name), objects);
  }
  if (spaces.size() > 1) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("there is a ResourceClaim {} in each of the namespaces {}; choose "
                              "one with --namespace",
                              name, Listed(spaces))));
  }
  return asked;
}

DraExplained ExplainDra(const DraObjects& objects, DraAsked asked,
                        const std::vector<std::string>& shown) {
  DraExplained explained;
  const dra::Allocator allocator(objects.cluster);
  explained.count = objects.nodes.size();
  for (const Node& node : objects.nodes) {
    const bool is_shown =
        shown.empty() || std::find(shown.begin(), shown.end(), node.name) != shown.end();
    DraNode seen = Look(allocator, asked, node);
    if (seen.outcome == dra::Outcome::kFits) ++explained.fitting;
    if (is_shown) explained.nodes.push_back(std::move(seen));
  }
  explained.nearest = explained.nodes.size();
  for (size_t i = 0; i < explained.nodes.size(); ++i) {
    const int64_t cost = explained.nodes[i].reason.cost;
    const bool is_nearer = cost > 0 && (explained.nearest == explained.nodes.size() ||
                                        cost < explained.nodes[explained.nearest].reason.cost);
    if (is_nearer) explained.nearest = i;
  }
  explained.asked = std::move(asked);
  return explained;
}

}  // namespace outrigger::cli
