#include "cli/gang/missing_rights.h"

#include "fmt/format.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr kube::Resource kOwnAccessReviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                                           "SelfSubjectAccessReview", false};

absl::StatusOr<bool> IsAllowed(kube::Api& api, const AccessRule& rule, const std::string& verb,
                               const kube::CallOptions& options) {
  const Json review = {
      {"apiVersion", kube::ApiVersionOf(kOwnAccessReviews)},
      {"kind", kOwnAccessReviews.kind},
      {"spec",
       {{"resourceAttributes",
         {{"group", rule.api_group}, {"resource", rule.resource}, {"verb", verb}}}}}};
  const auto answer = kube::Create(api, kOwnAccessReviews, "", review.dump(), options);
  if (!answer.ok()) return answer.status();
  const Json judged = Json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  const Json::json_pointer allowed("/status/allowed");
  return judged.is_object() && judged.contains(allowed) && judged[allowed].is_boolean() &&
         judged[allowed].get<bool>();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> MissingRights(kube::Api& api,
                                                       const std::vector<AccessRule>& wanted,
                                                       const kube::CallOptions& options) {
  std::vector<std::string> missing;
  for (const AccessRule& rule : wanted) {
    for (const std::string& verb : rule.verbs) {
      const auto allowed = IsAllowed(api, rule, verb, options);
      if (!allowed.ok()) return allowed.status();
      if (*allowed) continue;
      missing.push_back(fmt::format("{} {}{}{}", verb, rule.resource,
                                    rule.api_group.empty() ? "" : ".", rule.api_group));
    }
  }
  return missing;
}

}  // namespace outrigger::cli
