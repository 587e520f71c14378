// Verbs of resources: what requests say, and what they are answered with.

#include <algorithm>
#include <utility>

#include "apiserver/select/field_path.h"
#include "apiserver/verbs/verbs.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

// DeleteOptions of query and body, of which the body's count.
std::optional<Failure> ReadDeletion(Call* call, Deletion* deletion) {
  Json options = Json::object();
  if (!call->http.body.empty()) {
    if (auto failure = ReadBodyOf(kDeleteOptions, call, &options)) return failure;
  }
  *deletion = Deletion::Of(options);
  if (!deletion->grace) deletion->grace = call->query.Number("gracePeriodSeconds");
  deletion->dry_run |= call->is_dry_run();
  std::string& policy = deletion->propagation;
  if (policy.empty()) policy = call->query.Text("propagationPolicy");
  call->query.Set("propagationPolicy", policy);
  if (auto failure = call->query.Check("DeleteOptions")) return failure;
  if (policy.empty() && call->served->group == "batch" && call->served->kind == "Job") {
    policy = "Orphan";
    call->warnings.emplace_back(
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
        "this warning");
  }
  if (options.contains("orphanDependents")) {
    return Failure::Invalid({"meta.k8s.io", "DeleteOptions", ""},
                            {ForbiddenValue("orphanDependents", "use propagationPolicy")});
  }
  return std::nullopt;
}

// Upstream shows the patch, or what it made; and why in the decoder's words alone.
Failure OfPatch(const Call& call, const std::string& made, const std::string& message) {
  const std::string before = fmt::format(" cannot be handled as a {}: ", call.served->kind);
  const size_t at = message.find(before);
  return Failure::Invalid(
      {}, {InvalidValue("patch", made,
                        at == message.npos ? message : message.substr(at + before.size()))});
}

std::optional<Failure> ChangeAsAsked(const Api& api, Call* call, const Writes::Changing& change,
                                     Reply* reply) {
  const Part part = call->target.subresource == "status" ? Part::kStatus : Part::kMain;
  StoredPtr stored;
  if (auto failure = api.writes->Change(*call->served, call->object_name(), part,
                                        call->is_dry_run(), change, &stored)) {
    return failure;
  }
  reply->body = Face::Of(*call).Show(stored, api.clock.wall());
  return std::nullopt;
}

struct VerbOfMethod {
  std::string_view method;
  bool is_one;  // there is a name in the path
  std::string_view verb;
  const char* options;
  Verb* perform;
};
constexpr VerbOfMethod kVerbTable[] = {
    {"GET", true, "get", "GetOptions", Get},
    {"GET", false, "list", "ListOptions", List},
    {"POST", false, "create", "CreateOptions", Create},
    {"POST", true, "create", "CreateOptions", Create},
    {"PUT", true, "update", "UpdateOptions", Update},
    {"PATCH", true, "patch", "PatchOptions", Patch},
    {"DELETE", true, "delete", "DeleteOptions", Delete},
    {"DELETE", false, "deletecollection", "DeleteOptions", DeleteMany},
};

constexpr std::pair<std::string_view, Verb*> kSubresources[] = {
    {"binding", Bind}, {"eviction", Evict}, {"scale", Scale}};

constexpr std::string_view kOfContainers[] = {"log", "exec", "attach", "portforward",
                                              "ephemeralcontainers"};

std::optional<Failure> FindVerb(const Call& call, Verb** verb) {
  const Served& served = *call.served;
  const std::string& part = call.target.subresource;
  const auto subresource = std::find_if(served.subresources.begin(), served.subresources.end(),
                                        [&](const Subresource& one) { return one.name == part; });
  if (!part.empty() && subresource == served.subresources.end()) {
    const bool is_of_containers =
        std::count(std::begin(kOfContainers), std::end(kOfContainers), part) > 0;
    return is_of_containers ? Failure::NoContainers(part) : Failure::NoSuchPath();
  }
  const auto& verbs = part.empty() ? served.verbs : subresource->verbs;
  const auto* const found =
      std::find_if(std::begin(kVerbTable), std::end(kVerbTable), [&](const VerbOfMethod& one) {
        return one.method == call.http.method && one.is_one != call.target.name.empty();
      });
  if (found == std::end(kVerbTable) || std::count(verbs.begin(), verbs.end(), found->verb) == 0) {
    return Failure::MethodNotAllowed();
  }
  *verb = found->perform;
  if (served.collection == nullptr) *verb = served.kind == "Binding" ? Bind : Review;
  for (const auto& [name, perform] : kSubresources) {
    if (part == name) *verb = perform;
  }
  return call.query.Check(found->options);
}

}  // namespace

std::optional<Failure> Create(const Api& api, Call* call, Reply* reply) {
  const bool has_no_place = call->served->namespaced && call->target.namespace_.empty();
  if (!call->target.name.empty() || has_no_place) return Failure::MethodNotAllowed();
  Json object;
  if (auto failure = ReadBody(call, &object)) return failure;
  if (auto failure = Decode(call, &object)) return failure;
  if (!TextAt(object["metadata"], "resourceVersion").empty()) {
    return Failure{.reason = "",
                   .message = "resourceVersion should not be set on objects to be created"};
  }
  StoredPtr stored;
  if (auto failure = api.writes->Insert(*call->served, std::move(object), call->is_dry_run(),
                                        &call->warnings, &stored)) {
    return failure;
  }
  reply->code = 201;
  reply->name = stored->name.name;
  reply->body = Face::Of(*call).Show(stored, api.clock.wall());
  return std::nullopt;
}

std::optional<Failure> Update(const Api& api, Call* call, Reply* reply) {
  Json given;
  if (auto failure = ReadBody(call, &given)) return failure;
  if (auto failure = Decode(call, &given)) return failure;
  const auto change = [&](const Json&, Json* object) -> std::optional<Failure> {
    *object = given;
    return std::nullopt;
  };
  return ChangeAsAsked(api, call, change, reply);
}

std::optional<Failure> Patch(const Api& api, Call* call, Reply* reply) {
  Json patch;
  if (auto failure = ReadPatch(*call, &patch)) return failure;
  const Served& served = *call->served;
  const auto change = [&](const Json& old, Json* object) -> std::optional<Failure> {
    call->warnings.clear();
    if (served.group == kEventsGroup) *object = ToEventsFace(old);
    (*object)["apiVersion"] = served.GroupVersion();
    (*object)["kind"] = served.kind;
    if (auto failure = ApplyPatch(*call, patch, object)) return failure;
    const bool is_strategic = call->media_type().starts_with("application/strategic");
    const std::string made = is_strategic ? patch.dump() : object->dump();
    auto failure = Decode(call, object);
    if (failure && failure->code == 400) return OfPatch(*call, made, failure->message);
    return failure;
  };
  return ChangeAsAsked(api, call, change, reply);
}

std::optional<Failure> Delete(const Api& api, Call* call, Reply* reply) {
  Deletion deletion;
  if (auto failure = ReadDeletion(call, &deletion)) return failure;
  const Served& served = *call->served;
  StoredPtr last;
  bool gone = false;
  if (auto failure = api.writes->Erase(served, call->object_name(), deletion, &last, &gone))
    return failure;
  if (!gone || (served.group.empty() && served.kind == "Pod")) {
    reply->body = Face::Of(*call).Show(last, api.clock.wall());
    return std::nullopt;
  }
  Json details = {{"name", last->name.name}, {"kind", served.plural}, {"uid", last->uid}};
  if (!served.group.empty()) details["group"] = served.group;
  Json status = SuccessStatus();
  status["details"] = std::move(details);
  reply->body = status.dump();
  return std::nullopt;
}

std::optional<Failure> DeleteMany(const Api& api, Call* call, Reply* reply) {
  Deletion deletion;
  if (auto failure = ReadDeletion(call, &deletion)) return failure;
  Selection selection;
  if (auto failure = Selection::Read(*call, &selection)) return failure;
  std::vector<StoredPtr> deleted;
  const Listing all = api.store->List(*call->served->collection, selection.namespace_);
  for (const StoredPtr& object : all.objects) {
    if (!selection.Has(*object)) continue;
    StoredPtr last;
    bool gone = false;
    auto failure = api.writes->Erase(*call->served, object->name, deletion, &last, &gone);
    if (failure && failure->code != 404) return failure;
    if (!failure) deleted.push_back(gone ? object : last);
  }
  reply->body = Face{call->served}.ListOf(
      deleted, {{"resourceVersion", std::to_string(api.store->version())}});
  return std::nullopt;
}

std::optional<Failure> Perform(const Api& api, Call* call, Reply* reply) {
  if (!call->accepts_json()) {
    return Failure{.code = 406,
                   .reason = "NotAcceptable",
                   .message = "only the following media types are accepted: application/json"};
  }
  Verb* verb = nullptr;
  if (auto failure = FindVerb(*call, &verb)) return failure;
  if (auto failure = verb(api, call, reply)) return failure;
  if (call->http.method != "GET") {
    const std::string& name = reply->name.empty() ? call->target.name : reply->name;
    FollowDefinitions(api, *call->served, name);
  }
  return std::nullopt;
}

}  // namespace outrigger::apiserver
