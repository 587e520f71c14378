#include "apiserver/types/type_table.h"

#include <algorithm>

#include "gmock/gmock.h"

namespace outrigger::apiserver {
namespace {

using ::testing::ElementsAre;

const Field& FieldOf(const char* type, const char* name) {
  const Field* field = TypeTable::Get().FindType(type)->Find(name);
  if (field == nullptr) throw std::runtime_error(name);
  return *field;
}

const Resource* FindResource(const std::string& version, const std::string& plural) {
  for (const Resource& one : TypeTable::Get().resources()) {
    if (one.version == version && one.plural == plural) return &one;
  }
  return nullptr;
}

TEST(TypeTable, HasTheResources) {
  const Resource* pods = FindResource("v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_TRUE(pods->namespaced);
  EXPECT_THAT(pods->short_names, ElementsAre("po"));
  EXPECT_THAT(pods->categories, ElementsAre("all"));
  EXPECT_EQ(pods->verbs.size(), 8U);
  EXPECT_TRUE(pods->HasSubresource("binding"));
  EXPECT_FALSE(pods->HasSubresource("scale"));
  EXPECT_EQ(pods->type->name, "io.k8s.api.core.v1.Pod");
  EXPECT_EQ(pods->type->kind(), "Pod");
  EXPECT_EQ(pods->type->version(), "v1");

  const Resource* sets = FindResource("v1", "replicasets");
  ASSERT_NE(sets, nullptr);
  EXPECT_EQ(sets->plural, "replicasets");
  EXPECT_EQ(sets->subresources[0].name, "scale");
  EXPECT_EQ(sets->subresources[0].group, "autoscaling");
  EXPECT_EQ(sets->subresources[0].kind, "Scale");
  EXPECT_THAT(sets->subresources[0].verbs, ElementsAre("get", "patch", "update"));

  EXPECT_FALSE(FindResource("v1", "nodes")->namespaced);
  EXPECT_THAT(FindResource("v1", "bindings")->verbs, ElementsAre("create"));
  EXPECT_EQ(FindResource("v2", "pods"), nullptr);
  for (const Resource& one : TypeTable::Get().resources()) {
    ASSERT_NE(one.type, nullptr) << one.plural;
    EXPECT_EQ(one.type->kind(), one.kind);
    EXPECT_NE(one.type->Find("metadata"), nullptr) << one.plural;
  }
}

TEST(TypeTable, HasBodiesThatAreNoResources) {
  const TypeTable& table = TypeTable::Get();
  EXPECT_EQ(table.FindTypeOfKind("policy", "v1", "Eviction")->name,
            "io.k8s.api.policy.v1.Eviction");
  EXPECT_EQ(table.FindTypeOfKind("autoscaling", "v1", "Scale")->kind(), "Scale");
  EXPECT_EQ(table.FindTypeOfKind("", "v1", "Pod")->kind(), "Pod");
  EXPECT_NE(table.FindTypeOfKind("", "v1", "DeleteOptions"), nullptr);
  EXPECT_NE(table.FindTypeOfKind("storage.k8s.io", "v1", "DeleteOptions"), nullptr);
  EXPECT_EQ(table.FindTypeOfKind("apps", "v1", "Scale"), nullptr);
  EXPECT_EQ(table.FindTypeOfKind("", "v1", "Nothing"), nullptr);
}

TEST(TypeTable, HasWhatIsKnownOfFields) {
  const Field& ports = FieldOf("io.k8s.api.core.v1.Container", "ports");
  EXPECT_EQ(ports.number, 6U);
  EXPECT_EQ(ports.kind, FieldKind::kMessage);
  EXPECT_EQ(ports.type->kind(), "ContainerPort");
  EXPECT_TRUE(ports.list);
  EXPECT_FALSE(ports.map);
  EXPECT_TRUE(ports.merges);
  EXPECT_EQ(ports.merge_key, "containerPort");

  const Field& strategy = FieldOf("io.k8s.api.apps.v1.DeploymentSpec", "strategy");
  EXPECT_TRUE(strategy.retains_keys);
  EXPECT_FALSE(strategy.omit_empty);
  const Field& replicas = FieldOf("io.k8s.api.apps.v1.DeploymentSpec", "replicas");
  EXPECT_TRUE(replicas.pointer);
  EXPECT_EQ(replicas.kind, FieldKind::kInt32);
  const Field& limits = FieldOf("io.k8s.api.core.v1.ResourceRequirements", "limits");
  EXPECT_TRUE(limits.map);
  EXPECT_EQ(limits.kind, FieldKind::kQuantity);
  EXPECT_TRUE(FieldOf("io.k8s.api.core.v1.PodSpec", "containers").required);
}

TEST(TypeTable, FindsFieldsOfInlinedMessages) {
  const Type& volume = *TypeTable::Get().FindType("io.k8s.api.core.v1.Volume");
  ASSERT_NE(volume.Find("emptyDir"), nullptr);
  EXPECT_EQ(volume.Find("emptyDir")->type->kind(), "EmptyDirVolumeSource");
  EXPECT_EQ(volume.Find("VolumeSource"), nullptr);
  EXPECT_TRUE(volume.FindNumber(2)->inlined);
  EXPECT_EQ(volume.Find("emptydir"), nullptr);
}

TEST(TypeTable, FieldsThatAreMessagesHaveATypeAndTheirNumbersAreTheirOwn) {
  for (const Type& type : TypeTable::Get().types()) {
    for (const Field& field : type.fields) {
      EXPECT_EQ(field.kind == FieldKind::kMessage || field.kind >= FieldKind::kSchemaOrBool,
                field.type != nullptr)
          << type.name << "." << field.name;
      if (field.number == 0) continue;
      EXPECT_EQ(type.FindNumber(field.number), &field) << type.name;
    }
  }
}

}  // namespace
}  // namespace outrigger::apiserver
