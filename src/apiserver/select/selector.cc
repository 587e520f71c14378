#include "apiserver/select/selector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_split.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

struct SelectableKind {
  std::string_view group;
  std::string_view kind;
  std::string_view fields;
  std::string_view refusal = "field label not supported: {}";
};

constexpr std::string_view kDefaultRefusal =
    R"("{}" is not a known field selector: only "metadata.name", "metadata.namespace")";

constexpr std::array kSelectableKinds = {
    SelectableKind{"", "Pod",
                   "metadata.name metadata.namespace spec.nodeName spec.restartPolicy "
                   "spec.schedulerName spec.serviceAccountName spec.hostNetwork status.phase "
                   "status.podIP status.podIPs status.nominatedNodeName spec.host"},
    SelectableKind{"", "Node", "metadata.name spec.unschedulable"},
    SelectableKind{"", "ReplicationController", "metadata.name metadata.namespace status.replicas"},
    SelectableKind{"", "Namespace", "metadata.name status.phase"},
    SelectableKind{"", "Secret", "metadata.name metadata.namespace type"},
    SelectableKind{"", "Service", "metadata.name metadata.namespace spec.clusterIP spec.type"},
    SelectableKind{"", "Event",
                   "metadata.name metadata.namespace involvedObject.kind involvedObject.namespace "
                   "involvedObject.name involvedObject.uid involvedObject.apiVersion "
                   "involvedObject.resourceVersion involvedObject.fieldPath reason "
                   "reportingComponent source type"},
    SelectableKind{"events.k8s.io", "Event",
                   "metadata.name metadata.namespace regarding.kind regarding.namespace "
                   "regarding.name regarding.uid regarding.apiVersion regarding.resourceVersion "
                   "regarding.fieldPath reason reportingController type"},
    SelectableKind{"batch", "Job", "metadata.name metadata.namespace status.successful",
                   "field label \"{}\" not supported for Job"},
    SelectableKind{"certificates.k8s.io", "CertificateSigningRequest",
                   "metadata.name spec.signerName"},
    SelectableKind{"certificates.k8s.io", "ClusterTrustBundle", "metadata.name spec.signerName"},
    SelectableKind{"certificates.k8s.io", "PodCertificateRequest",
                   "metadata.name spec.signerName spec.podName spec.nodeName"},
    SelectableKind{"resource.k8s.io", "ResourceSlice",
                   "metadata.name spec.nodeName spec.driver spec.pool.name",
                   "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {}"},
};

std::string_view FieldsOfKind(std::string_view group, std::string_view kind) {
  for (const SelectableKind& known : kSelectableKinds) {
    if (known.group == group && known.kind == kind) return known.fields;
  }
  return "metadata.name metadata.namespace";
}

std::optional<Failure> CheckField(std::string_view group, std::string_view kind,
                                  const std::vector<std::string>* more, const std::string& path) {
  std::string_view refusal = more == nullptr ? kDefaultRefusal : kSelectableKinds[0].refusal;
  if (more != nullptr && std::find(more->begin(), more->end(), path) != more->end()) return {};
  std::string_view fields = "metadata.name metadata.namespace";
  for (const SelectableKind& known : kSelectableKinds) {
    if (known.group != group || known.kind != kind) continue;
    fields = known.fields;
    refusal = known.refusal;
  }
  const bool known =
      fmt::format(" {} ", fields).find(fmt::format(" {} ", path)) != std::string::npos;
  if (known && path.find(' ') == std::string::npos) return std::nullopt;
  return Failure::BadRequest(fmt::format(fmt::runtime(refusal), path));
}

// Splits at each comma that no backslash protects.
std::vector<std::string> SplitTerms(std::string_view text) {
  std::vector<std::string> terms = {""};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      terms.emplace_back();
      continue;
    }
    terms.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) terms.back() += text[++i];
  }
  return terms;
}

std::optional<Failure> Unescape(std::string_view text, std::string* value) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\') {
      if (next != '\\' && next != ',' && next != '=') {
        return Failure::BadRequest(
            fmt::format("invalid field selector: invalid escape sequence: {}", text.substr(i, 2)));
      }
      ++i;
    } else if (text[i] == '=') {
      return Failure::BadRequest("invalid field selector: unescaped character in value: '='");
    }
    *value += text[i];
  }
  return std::nullopt;
}

// Where a field is called otherwise than in its object.
std::string_view PathInObject(std::string_view path) {
  if (path == "spec.host") return "spec.nodeName";
  if (path == "reportingController") return "reportingComponent";
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
    return path == "status.replicas" || path == "status.successful" ? "0" : "";
  }
  if (value->is_string()) return value->get<std::string>();
  return value->is_primitive() && !value->is_null() ? value->dump() : "";
}

StringMap SelectableFields(std::string_view group, std::string_view kind,
                           const std::vector<std::string>* more_fields, const Json& object) {
  StringMap fields;
  const std::string paths(FieldsOfKind(group, kind));
  for (const absl::string_view path : absl::StrSplit(paths, ' ')) {
    const std::string_view text(path.data(), path.size());
    if (!text.starts_with("metadata.")) fields.Append(text, FieldOf(object, text));
  }
  if (more_fields != nullptr) {
    for (const std::string& path : *more_fields) {
      if (!path.starts_with("metadata.")) fields.Append(path, FieldOf(object, path));
    }
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

std::optional<Failure> Selector::Parse(std::string_view labels, std::string_view fields,
                                       std::string_view group, std::string_view kind,
                                       const std::vector<std::string>* more_fields,
                                       Selector* selector) {
  Selector parsed;
  if (const auto status = ParseLabelSelector(labels, &parsed.labels_); !status.ok()) {
    return Failure::BadRequest(
        fmt::format("unable to parse requirement: {}", std::string(status.message())));
  }
  for (const std::string& text : SplitTerms(fields)) {
    if (text.empty()) continue;
    const size_t sign = std::min(text.find('='), text.find("!="));
    if (sign == std::string::npos) {
      return Failure::BadRequest(
          fmt::format("invalid selector: '{}'; can't understand '{}'", fields, text));
    }
    const size_t length = text[sign] == '!' || text.compare(sign, 2, "==") == 0 ? 2 : 1;
    Term term = {text.substr(0, sign), text[sign] == '=', ""};
    if (auto failure = Unescape(text.substr(sign + length), &term.value)) return failure;
    if (auto failure = CheckField(group, kind, more_fields, term.path)) return failure;
    if (term.path.starts_with("regarding.")) term.path.replace(0, 9, "involvedObject");
    parsed.terms_.push_back(std::move(term));
  }
  *selector = std::move(parsed);
  return std::nullopt;
}

bool Selector::Matches(const Json& object) const {
  for (const Term& term : terms_) {
    if ((FieldOf(object, term.path) == term.value) != term.equal) return false;
  }
  if (labels_.match_expressions.empty()) return true;
  StringMap labels;
  const Json* all = ValueAt(object, "metadata.labels");
  if (all == nullptr || !all->is_object()) return labels_.Matches(labels);
  for (const auto& [key, value] : all->items()) {
    if (value.is_string()) labels.Append(key, value.get_ref<const std::string&>());
  }
  labels.Normalize();
  return labels_.Matches(labels);
}

const std::string* Selector::RequiredValue(std::string_view path) const {
  for (const Term& term : terms_) {
    if (term.equal && term.path == path) return &term.value;
  }
  return nullptr;
}

}  // namespace outrigger::apiserver
