#include "outrigger/k8s/resources.h"

#include <string>

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using testing::MakePod;
using testing::Q;

using Entry = ResourceList::Entry;

TEST(ResourceList, MissingResourceIsZero) {
  const ResourceList list = {{"cpu", Q("1")}};
  EXPECT_EQ(list.Get("memory"), Quantity());
  EXPECT_EQ(list.Find("memory"), nullptr);
}

TEST(ResourceList, LastSettingWinsAndNamesAreInOrder) {
  ResourceList list = {{"memory", Q("1Gi")}, {"cpu", Q("1")}, {"memory", Q("2Gi")}};
  list.Set("cpu", Q("3"));
  EXPECT_THAT(list, ElementsAre(Entry{"cpu", Q("3")}, Entry{"memory", Q("2Gi")}));
}

TEST(ResourceList, AddSumsSharedAndTakesOverNewResources) {
  ResourceList list = {{"b", Q("1")}, {"d", Q("1")}};
  list.Add({{"a", Q("2")}, {"b", Q("2")}, {"c", Q("2")}, {"e", Q("2")}});
  EXPECT_THAT(list, ElementsAre(Entry{"a", Q("2")}, Entry{"b", Q("3")}, Entry{"c", Q("2")},
                                Entry{"d", Q("1")}, Entry{"e", Q("2")}));
}

TEST(ResourceList, MaxRaisesAndTakesOverNewResources) {
  ResourceList list = {{"a", Q("1")}, {"b", Q("3")}};
  list.Max({{"a", Q("2")}, {"b", Q("2")}, {"c", Q("2")}});
  EXPECT_THAT(list, ElementsAre(Entry{"a", Q("2")}, Entry{"b", Q("3")}, Entry{"c", Q("2")}));
}

TEST(ResourceList, AddsToItself) {
  ResourceList list = {{"a", Q("1")}, {"b", Q("3")}};
  list.Add(list);
  EXPECT_THAT(list, ElementsAre(Entry{"a", Q("2")}, Entry{"b", Q("6")}));
}

// Quadratic work would take minutes here.
TEST(ResourceList, HundredThousandHostileResourcesAreReadAndSummed) {
  ResourceList list;
  for (int i = 0; i < 100'000; ++i) {
    list.Append("r-" + std::to_string(i * 7919 % 100'000), Quantity::FromInt(i));
  }
  list.Normalize();
  ResourceList sum = {{"r-0", Q("5")}};
  sum.Add(list);
  sum.Add(list);
  EXPECT_EQ(sum.size(), 100'000u);
  EXPECT_EQ(sum.Get("r-7919"), Q("2"));
  EXPECT_EQ(sum.Get("r-0"), Q("5"));
}

TEST(PodRequests, SumsContainersAndAddsOverhead) {
  const Pod pod = MakePod()
                      .Requests({{"cpu", "1"}})
                      .AddContainer({{"cpu", "500m"}})
                      .Overhead({{"cpu", "100m"}, {"memory", "10Mi"}});
  EXPECT_THAT(PodRequests(pod), ElementsAre(Entry{"cpu", Q("1600m")}, Entry{"memory", Q("10Mi")}));
}

TEST(PodRequests, InitContainerCountsWhereItIsLarger) {
  const Pod pod = MakePod()
                      .Requests({{"cpu", "1"}, {"memory", "1Gi"}})
                      .AddInitContainer({{"cpu", "3"}, {"memory", "1Mi"}});
  EXPECT_THAT(PodRequests(pod), ElementsAre(Entry{"cpu", Q("3")}, Entry{"memory", Q("1Gi")}));
}

TEST(PodRequests, SidecarCountsWithContainersAndWithLaterInitContainers) {
  const Pod later = MakePod()
                        .Requests({{"cpu", "1"}})
                        .AddInitContainer({{"cpu", "2"}}, true)
                        .AddInitContainer({{"cpu", "4"}});
  EXPECT_THAT(PodRequests(later), ElementsAre(Entry{"cpu", Q("6")}));
  const Pod earlier = MakePod()
                          .Requests({{"cpu", "1"}})
                          .AddInitContainer({{"cpu", "4"}})
                          .AddInitContainer({{"cpu", "2"}}, true);
  EXPECT_THAT(PodRequests(earlier), ElementsAre(Entry{"cpu", Q("4")}));
}

TEST(PodRequests, PodLevelRequestsReplaceCpuMemoryAndHugepagesOnly) {
  const Pod pod =
      MakePod()
          .Requests({{"cpu", "4"}, {"nvidia.com/gpu", "2"}})
          .PodLevelRequests({{"cpu", "1"}, {"hugepages-2Mi", "4Mi"}, {"nvidia.com/gpu", "8"}})
          .Overhead({{"cpu", "1"}});
  EXPECT_THAT(PodRequests(pod), ElementsAre(Entry{"cpu", Q("2")}, Entry{"hugepages-2Mi", Q("4Mi")},
                                            Entry{"nvidia.com/gpu", Q("2")}));
}

}  // namespace
}  // namespace outrigger
