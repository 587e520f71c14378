#include "apiserver/select/selector.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_split.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// The fields beside name and namespace.
std::vector<std::string> FieldsOfKind(std::string_view group, std::string_view kind,
                                      const std::vector<std::string>* more) {
  using Fields = std::map<std::string_view, std::vector<std::string>>;
  static const auto* const known = new Fields{
      {"Pod",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {"Node", {"spec.unschedulable"}},
      {"Namespace", {"status.phase"}},
      {"Secret", {"type"}},
      {"Service", {"spec.clusterIP", "spec.type"}},
      {"Event",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
        "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"}},
      {"events.k8s.io/Event",
       {"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
        "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason",
        "reportingController", "type"}},
      {"batch/Job", {"status.successful"}},
      {"resource.k8s.io/ResourceSlice", {"spec.nodeName", "spec.driver", "spec.pool.name"}}};
  if (more != nullptr) return *more;
  const auto found = known->find(group.empty() ? kind : fmt::format("{}/{}", group, kind));
  return found == known->end() ? std::vector<std::string>() : found->second;
}

// Where a field is called otherwise than in its object.
std::string_view PathInObject(std::string_view path) {
  if (path == "source") return "source.component";
  if (path == "status.podIP") return "status.podIPs.0.ip";
  return path == "status.successful" ? "status.succeeded" : path;
}

}  // namespace

std::string FieldOf(const Json& object, std::string_view path) {
  const Json* value = ValueAt(object, PathInObject(path));
  if (value == nullptr) {
    if (path == "source") return TextAt(object, "reportingComponent");
    if (path == "spec.unschedulable" || path == "spec.hostNetwork") return "false";
    return path == "status.successful" ? "0" : "";
  }
  if (value->is_string()) return value->get<std::string>();
  return value->is_primitive() ? value->dump() : "";
}

StringMap SelectableFields(std::string_view group, std::string_view kind,
                           const std::vector<std::string>* more_fields, const Json& object) {
  StringMap fields;
  for (const std::string& path : FieldsOfKind(group, kind, more_fields)) {
    fields.Append(path, FieldOf(object, path));
  }
  fields.Normalize();
  return fields;
}

bool Selector::MatchesFields(std::string_view name, std::string_view namespace_,
                             const StringMap& fields) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    std::string_view value = fields.Get(term.path);
    if (term.path == "metadata.name") value = name;
    if (term.path == "metadata.namespace") value = namespace_;
    return (value == term.value) == term.equal;
  });
}

// "a=b", "a==b" or "a!=b".
std::optional<Failure> Selector::ReadTerm(const std::string& text, Term* term) {
  const size_t sign = std::min(text.find('='), text.find("!="));
  if (sign == std::string::npos) {
    return Failure::BadRequest(
        fmt::format("invalid selector: '{}'; can't understand '{}'", text, text));
  }
  const size_t length = text[sign] == '!' || text.compare(sign, 2, "==") == 0 ? 2 : 1;
  *term = {text.substr(0, sign), text[sign] == '=', text.substr(sign + length)};
  if (term->value.find_first_of("=\\") == std::string::npos) return std::nullopt;
  return Failure::BadRequest(
      fmt::format("invalid field selector: '{}': values with '=' or '\\' are not served", text));
}

std::optional<Failure> Selector::Parse(std::string_view labels, std::string_view fields,
                                       std::string_view group, std::string_view kind,
                                       const std::vector<std::string>* more_fields,
                                       Selector* selector) {
  Selector parsed;
  if (const auto status = ParseLabelSelector(labels, &parsed.labels_); !status.ok()) {
    return Failure::BadRequest(
        fmt::format("unable to parse requirement: {}", std::string(status.message())));
  }
  const std::vector<std::string> known = FieldsOfKind(group, kind, more_fields);
  const std::vector<std::string> terms =
      absl::StrSplit(absl::string_view(fields.data(), fields.size()), ',', absl::SkipEmpty());
  for (const std::string& text : terms) {
    Term term;
    if (auto failure = ReadTerm(text, &term)) return failure;
    if (term.path != "metadata.name" && term.path != "metadata.namespace" &&
        std::find(known.begin(), known.end(), term.path) == known.end()) {
      return Failure::BadRequest("field label not supported: " + term.path);
    }
    if (term.path.starts_with("regarding.")) term.path.replace(0, 9, "involvedObject");
    if (term.path == "reportingController") term.path = "reportingComponent";
    parsed.terms_.push_back(std::move(term));
  }
  *selector = std::move(parsed);
  return std::nullopt;
}

}  // namespace outrigger::apiserver
