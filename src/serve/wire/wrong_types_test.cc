#include <string>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "wire_testing.h"

// Every known key of a call, given a value of each wrong type, given twice, and given null.

namespace outrigger::wire {
namespace {

using nlohmann::json;

constexpr const char* kObject = "an object";
constexpr const char* kArray = "an array";
constexpr const char* kString = "a string";
constexpr const char* kBoolean = "a boolean";
constexpr const char* kInteger = "an integer of 32 bits";
constexpr const char* kQuantity = "a quantity (a string or a number)";

struct KnownKey {
  const char* pointer;  // into the recorded call with every field set
  const char* expected;
};

const KnownKey kKnownKeys[] = {
    {"/Pod", kObject},
    {"/Nodes", kObject},
    {"/NodeNames", kArray},
    {"/NodeNames/0", kString},
    {"/Nodes/items", kArray},
    {"/Nodes/items/0", kObject},
    {"/Nodes/items/0/metadata", kObject},
    {"/Nodes/items/0/metadata/name", kString},
    {"/Nodes/items/0/metadata/labels", kObject},
    {"/Nodes/items/0/metadata/labels/zone", kString},
    {"/Nodes/items/0/metadata/annotations", kObject},
    {"/Nodes/items/0/metadata/annotations/html", kString},
    {"/Nodes/items/0/spec", kObject},
    {"/Nodes/items/0/spec/unschedulable", kBoolean},
    {"/Nodes/items/0/spec/taints", kArray},
    {"/Nodes/items/0/spec/taints/1", kObject},
    {"/Nodes/items/0/spec/taints/0/key", kString},
    {"/Nodes/items/0/spec/taints/0/value", kString},
    {"/Nodes/items/0/spec/taints/0/effect", kString},
    {"/Nodes/items/0/status", kObject},
    {"/Nodes/items/0/status/allocatable", kObject},
    {"/Nodes/items/0/status/allocatable/cpu", kQuantity},
    {"/Nodes/items/0/status/capacity", kObject},
    {"/Nodes/items/0/status/capacity/memory", kQuantity},
    {"/Pod/metadata", kObject},
    {"/Pod/metadata/name", kString},
    {"/Pod/metadata/namespace", kString},
    {"/Pod/metadata/uid", kString},
    {"/Pod/metadata/labels", kObject},
    {"/Pod/metadata/labels/app", kString},
    {"/Pod/metadata/annotations", kObject},
    {"/Pod/metadata/annotations/note", kString},
    {"/Pod/spec", kObject},
    {"/Pod/spec/containers", kArray},
    {"/Pod/spec/containers/1", kObject},
    {"/Pod/spec/containers/0/name", kString},
    {"/Pod/spec/containers/0/resources", kObject},
    {"/Pod/spec/containers/0/resources/requests", kObject},
    {"/Pod/spec/containers/0/resources/requests/cpu", kQuantity},
    {"/Pod/spec/containers/0/resources/limits", kObject},
    {"/Pod/spec/containers/0/resources/limits/cpu", kQuantity},
    {"/Pod/spec/initContainers", kArray},
    {"/Pod/spec/initContainers/0", kObject},
    {"/Pod/spec/initContainers/0/restartPolicy", kString},
    {"/Pod/spec/overhead", kObject},
    {"/Pod/spec/overhead/cpu", kQuantity},
    {"/Pod/spec/resources", kObject},
    {"/Pod/spec/resources/requests", kObject},
    {"/Pod/spec/resources/requests/cpu", kQuantity},
    {"/Pod/spec/nodeName", kString},
    {"/Pod/spec/schedulerName", kString},
    {"/Pod/spec/priorityClassName", kString},
    {"/Pod/spec/priority", kInteger},
    {"/Pod/spec/nodeSelector", kObject},
    {"/Pod/spec/nodeSelector/disk", kString},
    {"/Pod/spec/tolerations", kArray},
    {"/Pod/spec/tolerations/0", kObject},
    {"/Pod/spec/tolerations/0/key", kString},
    {"/Pod/spec/tolerations/0/operator", kString},
    {"/Pod/spec/tolerations/1/value", kString},
    {"/Pod/spec/tolerations/0/effect", kString},
    {"/Pod/spec/affinity", kObject},
    {"/Pod/spec/affinity/nodeAffinity", kObject},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution", kObject},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms",
     kArray},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchExpressions",
     kArray},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchFields",
     kArray},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchExpressions/0/key",
     kString},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchExpressions/0/operator",
     kString},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchExpressions/0/values",
     kArray},
    {"/Pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
     "/nodeSelectorTerms/0/matchExpressions/0/values/0",
     kString},
    {"/Pod/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution", kArray},
    {"/Pod/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight",
     kInteger},
    {"/Pod/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/preference",
     kObject},
    {"/Pod/spec/affinity/podAffinity", kObject},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution", kArray},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
     "/labelSelector",
     kObject},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
     "/labelSelector/matchLabels",
     kObject},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
     "/labelSelector/matchExpressions",
     kArray},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/namespaces",
     kArray},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
     "/namespaceSelector",
     kObject},
    {"/Pod/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey",
     kString},
    {"/Pod/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution", kArray},
    {"/Pod/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight",
     kInteger},
    {"/Pod/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/0"
     "/podAffinityTerm",
     kObject},
    {"/Pod/spec/affinity/podAntiAffinity", kObject},
    {"/Pod/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution", kArray},
    {"/Pod/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution", kArray},
    {"/Pod/status", kObject},
    {"/Pod/status/phase", kString},
    {"/Pod/status/nominatedNodeName", kString},
};

struct TypedValue {
  const char* found;
  json value;
};
const TypedValue kValues[] = {
    {"an object", json::object()}, {"an array", json::array()},
    {"a string", "text"},          {"a number", 7},
    {"a boolean", true},
};

// "/Pod/spec/containers/2/name" as it stands in messages: "Pod.spec.containers[2].name".
std::string PathOf(std::string_view pointer) {
  std::string path;
  for (size_t at = 1; at < pointer.size();) {
    const size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string part(pointer.substr(at, end - at));
    const bool index = part.find_first_not_of("0123456789") == std::string::npos;
    path += index ? "[" + part + "]" : (path.empty() ? "" : ".") + part;
    at = end + 1;
  }
  return path;
}

class KnownKeys : public ::testing::TestWithParam<KnownKey> {
 protected:
  void SetUp() override {
    call_ = json::parse(GoldenBytes("requests/filter_every.json"));
    ASSERT_TRUE(call_.contains(pointer_)) << GetParam().pointer;
  }

  json call_;
  const json::json_pointer pointer_{GetParam().pointer};
};

TEST_P(KnownKeys, RefuseAWrongTypeWithPathAndExpectation) {
  const std::string_view expected = GetParam().expected;
  for (const TypedValue& typed : kValues) {
    const bool right =
        expected == typed.found || (expected == kInteger && typed.value.is_number()) ||
        (expected == kQuantity && (typed.value.is_number() || typed.value.is_string()));
    if (right) continue;
    call_[pointer_] = typed.value;
    EXPECT_THAT(DecodeArgs(call_.dump()),
                IsInvalid(fmt::format("{}: expected {}, found {}", PathOf(GetParam().pointer),
                                      expected, typed.found)));
  }
}

TEST_P(KnownKeys, TakeNullForAbsent) {
  call_[pointer_] = nullptr;
  const absl::Status status = DecodeArgs(call_.dump());
  EXPECT_NE(status.code(), absl::StatusCode::kInvalidArgument) << status.ToString();
}

TEST_P(KnownKeys, MayComeOnceInAnObject) {
  json& parent = call_[pointer_.parent_pointer()];
  const std::string key = pointer_.back();
  const std::string above =
      pointer_.parent_pointer().empty() ? "" : pointer_.parent_pointer().back();
  const bool in_map = above == "labels" || above == "annotations" || above == "nodeSelector" ||
                      above == "requests" || above == "limits" || above == "overhead" ||
                      above == "allocatable" || above == "capacity";
  if (!parent.is_object() || in_map) return;
  parent["__twice__"] = parent[key];
  std::string text = call_.dump();
  text.replace(text.find("__twice__"), std::string("__twice__").size(), key);
  EXPECT_THAT(DecodeArgs(text), IsInvalid(PathOf(GetParam().pointer) + ": given twice"));
}

std::string RowName(const ::testing::TestParamInfo<KnownKey>& row) {
  std::string name;
  for (const char c : std::string_view(row.param.pointer)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name.substr(1);
}
INSTANTIATE_TEST_SUITE_P(Wire, KnownKeys, ::testing::ValuesIn(kKnownKeys), RowName);

struct WrongValue {
  const char* name;
  const char* pod;
  const char* text;
};

class WrongValues : public ::testing::TestWithParam<WrongValue> {};

TEST_P(WrongValues, AreNamed) {
  EXPECT_THAT(DecodeArgs(CallWithNodes(GetParam().pod, "[]")), IsInvalid(GetParam().text));
}

const WrongValue kWrongValues[] = {
    {"FractionAsInteger", R"({"spec":{"priority":1.5}})",
     "Pod.spec.priority: expected an integer of 32 bits, found 1.5"},
    {"IntegerOutOfRange", R"({"spec":{"priority":2147483648}})",
     "Pod.spec.priority: expected an integer of 32 bits, found 2147483648"},
    {"HugeInteger", R"({"spec":{"priority":123456789012345678901234567890}})",
     "Pod.spec.priority: expected an integer of 32 bits, found 123456789012345678901234567890"},
    {"UnknownOperator",
     R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
     R"({"nodeSelectorTerms":[{"matchFields":[{"operator":"Near"}]}]}}}}})",
     "nodeSelectorTerms[0].matchFields[0].operator: "},
    {"DuplicateInAnotherCase", R"({},"pod":{})", "Pod: given twice"},
    {"DuplicateByEscape", R"({"metadata":{"name":"a","n\u0061me":"b"}})",
     "Pod.metadata.name: given twice"},
    {"DuplicateNull", R"({"metadata":{"name":"a","name":null}})", "Pod.metadata.name: given twice"},
    {"NotQuiteNull", R"({"metadata":nul})", "Pod.metadata: broken JSON"},
    {"NotQuiteTrue", R"({"metadata":{"name":tru}})",
     "Pod.metadata.name: expected a string, found what is not JSON"},
    {"NotANumber", R"({"spec":{"overhead":{"cpu":01}}})",
     "Pod.spec.overhead.cpu: expected a quantity (a string or a number), found what is not JSON"},
    {"NotANumberEither", R"({"spec":{"overhead":{"cpu":1.}}})", "Pod.spec.overhead.cpu: expected"},
    {"BadEscape", R"({"metadata":{"name":"\x"}})",
     "Pod.metadata.name: broken JSON: an invalid esc"},
    {"LoneSurrogate", R"({"metadata":{"name":"\ud800"}})", "Pod.metadata.name: broken JSON"},
};
INSTANTIATE_TEST_SUITE_P(Wire, WrongValues, ::testing::ValuesIn(kWrongValues),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::wire
