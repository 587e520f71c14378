#include "apiserver/verbs/reviews.h"

#include "apiserver/types/body.h"
#include "apiserver/types/protobuf.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kUser = "system:admin";

Json StatusOf(const std::string& kind) {
  const Json user = {{"username", kUser}, {"groups", {"system:masters", "system:authenticated"}}};
  if (kind == "TokenReview") return {{"authenticated", true}, {"user", user}};
  if (kind == "SelfSubjectReview") return {{"userInfo", user}};
  if (kind == "SelfSubjectRulesReview") {
    const Json all = {"*"};
    return {{"incomplete", false},
            {"resourceRules", {{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
            {"nonResourceRules", {{{"verbs", all}, {"nonResourceURLs", all}}}}};
  }
  return {{"allowed", true}};
}

}  // namespace

std::optional<Failure> Review(Call* call, Reply* reply) {
  Json object;
  std::vector<std::string> ignored;
  const bool is_protobuf = call->http.content_type.find("protobuf") != std::string_view::npos;
  auto failure = is_protobuf ? FromProtobuf(call->http.body, &object)
                             : ParseBody(call->http.body, call->served->kind, &object, &ignored);
  if (failure) return failure;
  if (!object.is_object()) return Failure::BadRequest("the body is no object");
  object["apiVersion"] = call->served->GroupVersion();
  object["kind"] = call->served->kind;
  if (!object.contains("metadata")) object["metadata"] = Json::object();
  object["status"] = StatusOf(call->served->kind);
  reply->code = 201;
  reply->body = object.dump();
  return std::nullopt;
}

}  // namespace outrigger::apiserver
