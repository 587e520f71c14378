#include "apiserver/types/conform.h"

#include "apiserver/types/defaults.h"
#include "gmock/gmock.h"

namespace outrigger::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Type& TypeOfKind(const std::string& kind) {
  for (const Resource& one : TypeTable::Get().resources()) {
    if (one.kind == kind) return *one.type;
  }
  throw std::runtime_error(kind);
}

struct ConformRow {
  const char* name;
  const char* kind;
  const char* body;
  const char* wanted;
};

constexpr ConformRow kConformRows[] = {
    {"what Go always prints", "Pod", R"({})",
     R"({"metadata": {}, "spec": {"containers": null}, "status": {}})"},
    {"and in elements", "Pod", R"({"spec": {"containers": [{}, null]}})",
     R"({"metadata": {}, "spec": {"containers": [{"name": "", "resources": {}},
         {"name": "", "resources": {}}]}, "status": {}})"},
    {"a list that is empty", "ClusterRole", R"({"rules": []})",
     R"({"metadata": {}, "rules": null})"},
    {"nulls", "ConfigMap", R"({"metadata": null, "data": {"a": null}, "binaryData": null})",
     R"({"metadata": {}, "data": {"a": ""}})"},
    {"what is empty", "Secret",
     R"({"type": "", "immutable": false, "data": {}, "metadata": {"generation": 0, "labels": {}}})",
     R"({"metadata": {}, "immutable": false})"},
    {"a pointer to zero", "ReplicaSet", R"({"spec": {"replicas": 0, "minReadySeconds": 0}})",
     R"({"metadata": {}, "spec": {"replicas": 0, "selector": null, "template": {"metadata": {},
         "spec": {"containers": null}}}, "status": {"replicas": 0}})"},
    {"quantities", "Node",
     R"({"status": {"capacity": {"a": "1.5Gi", "b": "1000m", "c": 2, "d": null}}})",
     R"({"metadata": {}, "spec": {}, "status": {"capacity": {"a": "1536Mi", "b": "1", "c": "2",
         "d": "0"}, "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": {
         "architecture": "", "bootID": "", "containerRuntimeVersion": "", "kernelVersion": "",
         "kubeProxyVersion": "", "kubeletVersion": "", "machineID": "", "operatingSystem": "",
         "osImage": "", "systemUUID": ""}}})"},
    {"a time with a zone", "ConfigMap",
     R"({"metadata": {"creationTimestamp": "2026-01-02T03:04:05.6+01:30"}})",
     R"({"metadata": {"creationTimestamp": "2026-01-02T01:34:05Z"}})"},
    {"the zero time", "Event", R"({"firstTimestamp": "0001-01-01T00:00:00Z"})",
     R"({"metadata": {}, "involvedObject": {}, "source": {}, "firstTimestamp": null,
         "lastTimestamp": null, "eventTime": null, "reportingComponent": "",
         "reportingInstance": ""})"},
    {"microseconds", "Lease", R"({"spec": {"renewTime": "2026-01-02T03:04:05.000007+01:00"}})",
     R"({"metadata": {}, "spec": {"renewTime": "2026-01-02T02:04:05.000007Z"}})"},
    {"base64", "Secret", R"({"data": {"a": "aGVs\nbG8=", "b": null, "c": ""}})",
     R"({"metadata": {}, "data": {"a": "aGVsbG8=", "b": "", "c": ""}})"},
    {"fields of an inlined message", "PersistentVolume",
     R"({"spec": {"hostPath": {"path": "/a"}}})",
     R"({"metadata": {}, "spec": {"hostPath": {"path": "/a"}}, "status": {}})"},
    {"any JSON", "ConfigMap",
     R"({"metadata": {"managedFields": [{"fieldsV1": {"f:a": {"": null}}}]}})",
     R"({"metadata": {"managedFields": [{"fieldsV1": {"f:a": {"": null}}}]}})"},
};

TEST(Conform, MakesWhatGoPrints) {
  for (const ConformRow& row : kConformRows) {
    SCOPED_TRACE(row.name);
    Json object = Json::parse(row.body);
    std::vector<std::string> unknown;
    const auto failure = Conform(TypeOfKind(row.kind), &object, &unknown);
    ASSERT_FALSE(failure) << failure->message;
    EXPECT_EQ(object, Json::parse(row.wanted)) << object;
    EXPECT_THAT(unknown, IsEmpty());
  }
}

// That twice is as once: what is stored can be read again.
TEST(Conform, IsDoneOnce) {
  for (const ConformRow& row : kConformRows) {
    SCOPED_TRACE(row.name);
    Json object = Json::parse(row.wanted);
    ASSERT_FALSE(Conform(TypeOfKind(row.kind), &object, nullptr));
    EXPECT_EQ(object, Json::parse(row.wanted)) << object;
  }
}

struct RefusalRow {
  const char* name;
  const char* kind;
  const char* body;
  const char* problem;  // behind `cannot be handled as a ...: `
};

constexpr RefusalRow kRefusals[] = {
    {"text for a number", "Pod", R"({"spec": {"priority": "x"}})",
     "spec.priority must be int32, not string"},
    {"a fraction", "Pod", R"({"spec": {"priority": 1.5}})",
     "spec.priority must be int32, not number"},
    {"a number that is too large", "Pod", R"({"spec": {"priority": 99999999999}})",
     "spec.priority must be int32, not number"},
    {"a number for text", "Pod", R"({"spec": {"containers": [{"env": [{"value": 5}]}]}})",
     "spec.containers[0].env[0].value must be string, not number"},
    {"text for a flag", "Pod", R"({"spec": {"hostNetwork": "true"}})",
     "spec.hostNetwork must be bool, not string"},
    {"in a map", "Pod", R"({"metadata": {"labels": {"a": 1}}})",
     "metadata.labels.a must be string, not number"},
    {"a list for a map", "Pod", R"({"metadata": {"labels": ["a"]}})",
     "metadata.labels must be object, not array"},
    {"an object for a list", "Pod", R"({"spec": {"containers": {}}})",
     "spec.containers must be list, not object"},
    {"text in a list of objects", "Pod", R"({"spec": {"containers": ["a"]}})",
     "spec.containers[0] must be object, not string"},
    {"a list for an object", "Pod", R"({"spec": []})", "spec must be object, not array"},
    {"in an inlined message", "Pod",
     R"({"spec": {"containers": [{"livenessProbe": {"httpGet": {"port": true}}}]}})",
     "spec.containers[0].livenessProbe.httpGet.port must be intorstring, not boolean"},
    {"no quantity", "Pod", R"({"spec": {"overhead": {"cpu": "x"}}})",
     "quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"no time", "Pod", R"({"metadata": {"creationTimestamp": "x"}})",
     R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": it is none)"},
    {"no such day", "Pod", R"({"metadata": {"creationTimestamp": "2026-02-30T00:00:00Z"}})",
     R"(parsing time "2026-02-30T00:00:00Z" as "2006-01-02T15:04:05Z07:00": it is none)"},
    {"a time without microseconds", "Lease", R"({"spec": {"renewTime": "2020-01-01T00:00:00Z"}})",
     R"(parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": it is none)"},
    {"no base64", "Secret", R"({"data": {"a": "YWJj%%"}})", "illegal base64 data"},
    {"base64 that is cut off", "Secret", R"({"data": {"a": "YWJjYQ"}})", "illegal base64 data"},
    {"not an object", "Pod", R"(5)", "the whole must be object, not number"},
};

TEST(Conform, RefusesWhatIsOfAnotherType) {
  for (const RefusalRow& row : kRefusals) {
    SCOPED_TRACE(row.name);
    Json object = Json::parse(row.body);
    const auto failure = Conform(TypeOfKind(row.kind), &object, nullptr);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, 400);
    EXPECT_EQ(failure->reason, "BadRequest");
    EXPECT_EQ(failure->message, std::string(row.kind) +
                                    " in version \"v1\" cannot be handled as a " + row.kind + ": " +
                                    row.problem);
  }
}

TEST(Conform, TakesOutWhatIsNotKnown) {
  Json object = Json::parse(R"({"kind": "Pod", "Spec": {}, "metadata": {"name": "a", "x": 1},
      "spec": {"containers": [{"name": "c", "resources": {}, "bar": null}], "foo": {"a": [1]}}})");
  std::vector<std::string> unknown;
  ASSERT_FALSE(Conform(TypeOfKind("Pod"), &object, &unknown));
  EXPECT_THAT(unknown, ElementsAre("unknown field \"Spec\"", "unknown field \"metadata.x\"",
                                   "unknown field \"spec.containers[0].bar\"",
                                   "unknown field \"spec.foo\""));
  EXPECT_EQ(object, Json::parse(R"({"kind": "Pod", "metadata": {"name": "a"},
      "spec": {"containers": [{"name": "c", "resources": {}}]}, "status": {}})"))
      << object;
}

TEST(Conform, TellsOfAHundredUnknownFields) {
  Json object = Json::object();
  for (int i = 0; i < 200; ++i) object[std::to_string(i)] = 1;
  std::vector<std::string> unknown;
  ASSERT_FALSE(Conform(TypeOfKind("ConfigMap"), &object, &unknown));
  EXPECT_EQ(unknown.size(), 100U);
  EXPECT_EQ(object, Json::parse(R"({"metadata": {}})"));
}

TEST(Conform, TakesSchemasThatAreSomethingElse) {
  const char* const text = R"({"additionalProperties": false, "additionalItems": {"type": "x"},
      "items": [{"type": "string", "nope": 1}], "dependencies": {"a": ["b"], "c": {"type": "d"}},
      "default": null, "enum": [1, "a", {"b": null}]})";
  Json object = {
      {"spec", {{"versions", {{{"schema", {{"openAPIV3Schema", Json::parse(text)}}}}}}}}};
  std::vector<std::string> unknown;
  ASSERT_FALSE(Conform(TypeOfKind("CustomResourceDefinition"), &object, &unknown));
  EXPECT_THAT(unknown, IsEmpty()) << "as upstream";
  Json wanted = Json::parse(text);
  wanted.erase("default");
  wanted["items"][0].erase("nope");
  EXPECT_EQ(object["spec"]["versions"][0]["schema"]["openAPIV3Schema"], wanted);
  object["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["additionalProperties"] = 1;
  const auto failure = Conform(TypeOfKind("CustomResourceDefinition"), &object, &unknown);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, ::testing::HasSubstr("additionalProperties must be schemaorbool"));
}

Json WithDefaults(const char* kind, const char* body) {
  Json object = Json::parse(body);
  EXPECT_FALSE(Conform(TypeOfKind(kind), &object, nullptr));
  SetDefaults(TypeOfKind(kind), &object);
  return object;
}

TEST(Defaults, AreSetWhereNothingIs) {
  const Json pod = WithDefaults("Pod", R"({"spec": {"restartPolicy": "Never", "dnsPolicy": "",
      "containers": [{"ports": [{"containerPort": 80}], "livenessProbe": {"periodSeconds": 3}}]}})");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "Never");
  EXPECT_EQ(pod["spec"]["dnsPolicy"], "ClusterFirst");
  EXPECT_EQ(pod["spec"]["schedulerName"], "default-scheduler");
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"], 30);
  EXPECT_EQ(pod["spec"]["securityContext"], Json::object());
  const Json& container = pod["spec"]["containers"][0];
  EXPECT_EQ(container["ports"][0]["protocol"], "TCP");
  EXPECT_EQ(container["terminationMessagePath"], "/dev/termination-log");
  EXPECT_EQ(container["livenessProbe"]["periodSeconds"], 3);
  EXPECT_EQ(container["livenessProbe"]["failureThreshold"], 3);
}

TEST(Defaults, OfSomeFieldsAreForOneKind) {
  EXPECT_EQ(WithDefaults("Pod", R"({"spec": {}})")["spec"]["enableServiceLinks"], true);
  const Json set = WithDefaults("ReplicaSet", R"({"spec": {"replicas": 0}})");
  EXPECT_FALSE(set["spec"]["template"]["spec"].contains("enableServiceLinks"));
  EXPECT_EQ(set["spec"]["template"]["spec"]["restartPolicy"], "Always");
  EXPECT_EQ(set["spec"]["replicas"], 0);
}

TEST(Defaults, OfSomeFieldsDependOnAnother) {
  const Json rolling = WithDefaults("Deployment", R"({})")["spec"];
  EXPECT_EQ(rolling["strategy"], Json::parse(R"({"type": "RollingUpdate",
      "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}})"));
  EXPECT_EQ(rolling["replicas"], 1);
  const Json anew = WithDefaults("Deployment", R"({"spec": {"strategy": {"type": "Recreate"}}})");
  EXPECT_EQ(anew["spec"]["strategy"], Json::parse(R"({"type": "Recreate"})"));
  const Json some =
      WithDefaults("Deployment", R"({"spec": {"strategy": {"rollingUpdate": {"maxSurge": 1}}}})");
  EXPECT_EQ(some["spec"]["strategy"]["rollingUpdate"],
            Json::parse(R"({"maxSurge": 1, "maxUnavailable": "25%"})"));
}

TEST(Defaults, AreWhatConformLeaves) {
  for (const Resource& one : TypeTable::Get().resources()) {
    Json object = Json::object();
    ASSERT_FALSE(Conform(*one.type, &object, nullptr));
    SetDefaults(*one.type, &object);
    Json again = object;
    ASSERT_FALSE(Conform(*one.type, &again, nullptr));
    EXPECT_EQ(again, object) << one.plural;
  }
}

}  // namespace
}  // namespace outrigger::apiserver
