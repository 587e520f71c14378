// A byte that chooses the dialect, and a PodGroup in JSON.
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "codec/json/parser.h"
#include "codec/json/pod_group_reader.h"
#include "codec/json/text.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

using json::MalformedValue;

constexpr Dialect kDialects[] = {Dialect::kSchedulerPlugins, Dialect::kKoordinator,
                                 Dialect::kVolcano, Dialect::kUpstream};

absl::Status Read(json::Body body, Dialect dialect, PodGroup* group,
                  std::vector<MalformedValue>* malformed) {
  const json::ParserLease parser;
  json::Object root;
  absl::Status status = parser->Open(body, &root);
  if (!status.ok()) return status;
  const json::Path at("PodGroup", malformed);
  status = json::ReadPodGroup(root, at.AsObject(), dialect, json::GroupParts::kAll, group);
  return status.ok() ? parser->Close() : status;
}

bool Same(const PodGroup& a, const PodGroup& b) {
  return SameButForStatus(a, b) && a.phase == b.phase && a.resource_version == b.resource_version;
}

// A time and a few amounts may be off, each once.
void CheckMalformed(const std::vector<MalformedValue>& malformed) {
  OUTRIGGER_REQUIRE(malformed.size() <= json::kMaxMalformed);
  for (const MalformedValue& value : malformed) {
    OUTRIGGER_REQUIRE(value.field == "metadata.creationTimestamp" ||
                      value.field.starts_with("spec.minResources."));
    OUTRIGGER_REQUIRE(value.value.size() <= 64 && !value.accepted.empty());
  }
}

void CheckTexts(const StringMap& map, const nlohmann::json& object) {
  OUTRIGGER_REQUIRE(map.size() == object.size());
  for (const auto& [key, value] : map) {
    OUTRIGGER_REQUIRE(TextOf(Exact(object, key)) == value);
  }
}

int64_t IntegerOf(const nlohmann::json& value) {
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

void CheckMinimums(const PodGroup& group, const nlohmann::json& spec) {
  const nlohmann::json& policy = Exact(spec, "schedulingPolicy");
  const bool upstream = group.dialect == Dialect::kUpstream;
  const nlohmann::json& minimum =
      upstream ? Exact(Exact(policy, "gang"), "minCount") : Exact(spec, "minMember");
  OUTRIGGER_REQUIRE(group.min_member == IntegerOf(minimum));
  OUTRIGGER_REQUIRE(group.independent == (upstream && !Exact(policy, "basic").is_null()));
  std::map<std::string, int64_t, std::less<>> roles;
  if (group.dialect == Dialect::kVolcano) {
    for (const auto& [role, count] : Exact(spec, "minTaskMember").items()) {
      roles[role] = IntegerOf(count);
    }
  }
  OUTRIGGER_REQUIRE(group.min_task_member == roles);
}

// What nlohmann reads in the same bytes, where it takes them at all.
void CheckAgainst(const PodGroup& group, const nlohmann::json& parsed, size_t malformed) {
  if (parsed.is_discarded()) return;
  const nlohmann::json& metadata = Exact(parsed, "metadata");
  OUTRIGGER_REQUIRE(TextOf(Exact(metadata, "name")) == group.name);
  OUTRIGGER_REQUIRE(TextOf(Exact(metadata, "namespace")) == group.namespace_);
  OUTRIGGER_REQUIRE(TextOf(Exact(metadata, "uid")) == group.uid);
  CheckTexts(group.labels, Exact(metadata, "labels"));
  CheckTexts(group.annotations, Exact(metadata, "annotations"));
  const nlohmann::json& spec = Exact(parsed, "spec");
  CheckMinimums(group, spec);
  const nlohmann::json& timeout = Exact(spec, "scheduleTimeoutSeconds");
  OUTRIGGER_REQUIRE(group.schedule_timeout_seconds.has_value() == !timeout.is_null());
  OUTRIGGER_REQUIRE(group.schedule_timeout_seconds.value_or(0) == IntegerOf(timeout));
  OUTRIGGER_REQUIRE(TextOf(Exact(spec, "priorityClassName")) == group.priority_class_name);
  const bool volcano = group.dialect == Dialect::kVolcano;
  OUTRIGGER_REQUIRE(group.queue == (volcano ? TextOf(Exact(spec, "queue")) : ""));
  OUTRIGGER_REQUIRE(TextOf(Exact(Exact(parsed, "status"), "phase")) == group.phase);
  OUTRIGGER_REQUIRE(TextOf(Exact(metadata, "resourceVersion")) == group.resource_version);
  const nlohmann::json& amounts = Exact(spec, "minResources");
  OUTRIGGER_REQUIRE(group.min_resources.size() <= amounts.size());
  OUTRIGGER_REQUIRE(malformed == json::kMaxMalformed ||
                    group.min_resources.size() + malformed >= amounts.size());
}

nlohmann::json MapOf(const StringMap& map) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

// The same object written with what was read, every dialect's fields among it.
nlohmann::json WrittenAnew(const PodGroup& group) {
  nlohmann::json json;
  json["metadata"] = {{"name", group.name},
                      {"namespace", group.namespace_},
                      {"uid", group.uid},
                      {"resourceVersion", group.resource_version},
                      {"labels", MapOf(group.labels)},
                      {"annotations", MapOf(group.annotations)}};
  nlohmann::json& spec = json["spec"];
  spec["minMember"] = group.min_member;
  spec["minTaskMember"] = group.min_task_member;
  spec["priorityClassName"] = group.priority_class_name;
  spec["queue"] = group.queue;
  json["status"]["phase"] = group.phase;
  spec["schedulingPolicy"]["gang"]["minCount"] = group.min_member;
  if (group.independent) spec["schedulingPolicy"]["basic"] = nlohmann::json::object();
  for (const auto& [name, quantity] : group.min_resources) {
    spec["minResources"][name] = quantity.ToString();
  }
  if (group.schedule_timeout_seconds) {
    spec["scheduleTimeoutSeconds"] = *group.schedule_timeout_seconds;
  }
  return json;
}

// Of a resource only what its text says: as upstream's, that drops powers of ten without a suffix.
ResourceList AsPrinted(const ResourceList& list) {
  ResourceList printed;
  for (const auto& [name, quantity] : list) {
    const auto read = Quantity::Parse(quantity.ToString());
    OUTRIGGER_REQUIRE(read.ok());
    printed.Set(name, *read);
  }
  return printed;
}

void CheckWrittenAnew(PodGroup group) {
  const std::string text =
      WrittenAnew(group).dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
  auto again = json::ReadPodGroup(group.dialect, text);
  OUTRIGGER_REQUIRE(again.ok());
  again->created = group.created;  // nobody writes a time
  group.min_resources = AsPrinted(group.min_resources);
  OUTRIGGER_REQUIRE(Same(*again, group));
}

void CheckOutcome(const absl::Status& status, const std::vector<MalformedValue>& malformed) {
  CheckMalformed(malformed);
  OUTRIGGER_REQUIRE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument);
  OUTRIGGER_REQUIRE(status.ok() || !status.message().empty());
  OUTRIGGER_REQUIRE(json::IsUtf8({status.message().data(), status.message().size()}));
}

void Run(std::string_view input) {
  if (input.empty()) return;
  const Dialect dialect = kDialects[static_cast<unsigned char>(input[0]) % std::size(kDialects)];
  const std::string_view bytes = input.substr(1);
  PodGroup group;
  std::vector<MalformedValue> malformed;
  const absl::Status status = Read(Input(bytes, ' ').body(), dialect, &group, &malformed);
  CheckOutcome(status, malformed);
  CheckPaddingAndEnd(bytes, status, [dialect](json::Body body) {
    PodGroup other;
    return Read(body, dialect, &other, nullptr);
  });

  // A used object, of another dialect, changes nothing.
  PodGroup used = group;
  used.min_task_member["old"] = 1;
  used.independent = true;
  const Input once_more(bytes, ' ');
  OUTRIGGER_REQUIRE(Read(once_more.body(), dialect, &used, nullptr) == status);
  const auto of_text = json::ReadPodGroup(dialect, bytes);
  OUTRIGGER_REQUIRE(of_text.status() == status);
  if (!status.ok()) return;
  OUTRIGGER_REQUIRE(Same(used, group) && Same(*of_text, group) && !group.name.empty());
  CheckAgainst(group, Parsed(bytes), malformed.size());
  CheckWrittenAnew(group);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
