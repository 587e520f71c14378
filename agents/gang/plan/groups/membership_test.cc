#include "groups_testing.h"
#include "sdk/base/dialects.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Dialect kObjects[] = {Dialect::kSchedulerPlugins, Dialect::kKoordinator,
                                Dialect::kVolcano, Dialect::kUpstream};

TEST(Membership, IsSaidInFiveWays) {
  for (const Dialect dialect : {Dialect::kLabels, Dialect::kSchedulerPlugins, Dialect::kKoordinator,
                                Dialect::kVolcano, Dialect::kUpstream}) {
    NotesOnce notes;
    const Pod pod = PodOf("p").In("shop").Member(dialect, "train", "3");
    const auto membership = MembershipOf(pod, &notes);
    ASSERT_TRUE(membership.has_value());
    EXPECT_EQ(membership->dialect, dialect);
    EXPECT_EQ(membership->namespace_, "shop");
    EXPECT_EQ(membership->name, "train");
    EXPECT_EQ(membership->minimum, dialect == Dialect::kLabels ? 3 : 0);
    EXPECT_THAT(notes.Take(), IsEmpty());
  }
}

TEST(Membership, IsNoneWhereANameIsMissingOrEmpty) {
  NotesOnce notes;
  EXPECT_FALSE(MembershipOf(PodOf("p"), &notes));
  EXPECT_FALSE(MembershipOf(PodOf("p").Label("minAvailable", "2"), &notes));
  EXPECT_FALSE(MembershipOf(PodOf("p").Member(Dialect::kLabels, "", "2"), &notes));
  for (const Dialect dialect : kObjects) {
    EXPECT_FALSE(MembershipOf(PodOf("p").Member(dialect, ""), &notes));
  }
  EXPECT_THAT(notes.Take(), IsEmpty());
}

TEST(Membership, IsSaidByTheNameAlone) {
  const PodOf rows[] = {
      PodOf("p").Label("podGroup", "train"),
      PodOf("p").Member(Dialect::kLabels, "train", ""),
      PodOf("p").Label("pod-group.scheduling.sigs.k8s.io/name", "train"),
      PodOf("p").Annotation("gang.scheduling.koordinator.sh/name", "train"),
  };
  for (const PodOf& row : rows) {
    NotesOnce notes;
    const Pod pod = row;
    const auto membership = MembershipOf(pod, &notes);
    ASSERT_TRUE(membership.has_value());
    EXPECT_EQ(membership->dialect, Dialect::kLabels);
    EXPECT_EQ(membership->name, "train");
    EXPECT_EQ(membership->minimum, 0);
    EXPECT_THAT(notes.Take(), IsEmpty());
    for (const Dialect dialect : kObjects) {
      const Pod both = PodOf(row).Member(dialect, "object");
      EXPECT_EQ(MembershipOf(both, &notes)->dialect, dialect);
      EXPECT_THAT(notes.Take(), IsEmpty()) << "a name without a minimum counts last";
    }
  }
}

TEST(Membership, IsAlsoSaidByTheNameAndMinimumThatOtherSchedulersHaveOnPods) {
  const Pod rows[] = {
      PodOf("coscheduling")
          .Label("pod-group.scheduling.sigs.k8s.io/name", "train")
          .Label("pod-group.scheduling.sigs.k8s.io/min-available", "3"),
      PodOf("koordinator")
          .Annotation("gang.scheduling.koordinator.sh/name", "train")
          .Annotation("gang.scheduling.koordinator.sh/min-available", "3"),
  };
  for (const Pod& pod : rows) {
    SCOPED_TRACE(pod.name);
    NotesOnce notes;
    const auto membership = MembershipOf(pod, &notes);
    ASSERT_TRUE(membership.has_value());
    EXPECT_EQ(membership->dialect, Dialect::kLabels);
    EXPECT_EQ(membership->name, "train");
    EXPECT_EQ(membership->minimum, 3);
    EXPECT_THAT(notes.Take(), IsEmpty());
    Pod own = pod;
    own.labels.Set("podGroup", "own");
    own.labels.Set("minAvailable", "2");
    EXPECT_EQ(MembershipOf(own, &notes)->name, "own");
  }
}

TEST(Membership, IsNoneByMarkersThatAreNotReadWhichIsNoted) {
  const auto note = [](const Pod& pod) {
    NotesOnce notes;
    EXPECT_FALSE(MembershipOf(pod, &notes)) << pod.name;
    const auto taken = notes.Take();
    EXPECT_EQ(taken.size(), 1U) << pod.name;
    return taken.empty() ? "" : taken[0].about + ": " + taken[0].text;
  };
  EXPECT_EQ(note(PodOf("p").Label("kueue.x-k8s.io/pod-group-name", "g")),
            "default/g: label kueue.x-k8s.io/pod-group-name of Kueue is not supported: its pods "
            "are in no group and start one by one; use labels podGroup and minAvailable");
  EXPECT_EQ(note(PodOf("p").Annotation("pod-group-name", "g")),
            "default/g: annotation pod-group-name of KAI Scheduler is not supported: its pods are "
            "in no group and start one by one; use labels podGroup and minAvailable");
  EXPECT_EQ(
      note(PodOf("p").Annotation("yunikorn.apache.org/task-group-name", "g")),
      "default/g: annotation yunikorn.apache.org/task-group-name of YuniKorn is not supported: its "
      "pods are in no group and start one by one; use labels podGroup and minAvailable");
  EXPECT_EQ(
      note(PodOf("p").Annotation("scheduling.volcano.sh/group-name", "g")),
      "default/g: annotation scheduling.volcano.sh/group-name of Volcano is not supported: its "
      "pods are in no group and start one by one; use annotation scheduling.k8s.io/group-name");
  EXPECT_EQ(note(PodOf("p").Label("scheduling.k8s.io/group-name", "g")),
            "default/g: label scheduling.k8s.io/group-name of Volcano is not supported: its pods "
            "are in no group and start one by one; use the annotation of that name");
  EXPECT_EQ(note(PodOf("p").Annotation("podGroup", "g")),
            "default/g: annotation podGroup of Outrigger is not supported: its pods are in no "
            "group and start one by one; use the label of that name");
  EXPECT_EQ(
      note(PodOf("p").Label("leaderworkerset.sigs.k8s.io/group-key", "g")),
      "default/g: label leaderworkerset.sigs.k8s.io/group-key of LeaderWorkerSet is not supported: "
      "its pods are in no group and start one by one; use labels podGroup and minAvailable");
  // Its value names no group: pods of one owner are told once.
  EXPECT_EQ(note(PodOf("p").Owner("uid").Annotation("scheduling.volcano.sh/group-min-member", "2")),
            "default/of-uid: annotation scheduling.volcano.sh/group-min-member of Volcano is not "
            "supported: its pods are in no group and start one by one; use labels podGroup and "
            "minAvailable");
  Pod of_workload = PodOf("p");
  of_workload.workload = "w";
  EXPECT_EQ(note(of_workload),
            "default/w: field spec.workloadRef of Kubernetes 1.35 is not supported: its pods are "
            "in no group and start one by one; use labels podGroup and minAvailable");
  NotesOnce notes;
  EXPECT_TRUE(MembershipOf(PodOf("p").Train("2").Annotation("pod-group-name", "g"), &notes));
  EXPECT_THAT(notes.Take(), IsEmpty()) << "it is in a group that counts";
}

TEST(Membership, MinAvailableIsAnIntegerFrom1To100000) {
  for (const char* good : {"1", "100000", "007"}) {
    EXPECT_TRUE(MembershipOf(PodOf("p").Train(good), nullptr)) << good;
  }
  for (const char* bad : {"0", "-1", "100001", "99999999999999999999", "two", "1.5", "2x", "+2"}) {
    NotesOnce notes;
    EXPECT_EQ(MembershipOf(PodOf("p").Train(bad), &notes)->minimum, 0) << bad;
    EXPECT_EQ(MembershipOf(PodOf("q").Train(bad), &notes)->minimum, 0) << bad;
    EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kPodMinimum, "default/train",
                                                 "expected an integer from 1 to 100000")))
        << bad;
  }
}

TEST(Membership, NamesInLabelsHaveUpTo63Characters) {
  const std::string longest(63, 'a');
  for (const Dialect dialect :
       {Dialect::kLabels, Dialect::kSchedulerPlugins, Dialect::kKoordinator}) {
    NotesOnce notes;
    const Pod pod = PodOf("p").Member(dialect, longest);
    ASSERT_TRUE(MembershipOf(pod, &notes));
    EXPECT_EQ(MembershipOf(pod, &notes)->name, longest);
    EXPECT_THAT(notes.Take(), IsEmpty());
    for (const std::string& bad : {longest + "a", std::string("no spaces"), std::string("-a")}) {
      EXPECT_FALSE(MembershipOf(PodOf("p").Member(dialect, bad), &notes));
    }
    EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kGroupName, "default/p",
                                                 "expected a label value of up to 63")));
  }
}

TEST(Membership, OtherNamesHaveUpTo253Characters) {
  const std::string longest(253, 'a');
  for (const Dialect dialect : {Dialect::kVolcano, Dialect::kUpstream}) {
    NotesOnce notes;
    EXPECT_TRUE(MembershipOf(PodOf("p").Member(dialect, longest), &notes));
    EXPECT_FALSE(MembershipOf(PodOf("p").Member(dialect, longest + "a"), &notes));
    EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kGroupName, "default/p",
                                                 "expected a name of up to 253 characters")));
  }
}

TEST(Membership, OfSeveralDialectsTheFirstInThisOrderCounts) {
  constexpr Dialect kOrder[] = {Dialect::kUpstream, Dialect::kLabels, Dialect::kSchedulerPlugins,
                                Dialect::kKoordinator, Dialect::kVolcano};
  for (const Dialect* first = kOrder; first != std::end(kOrder); ++first) {
    for (const Dialect* second = first + 1; second != std::end(kOrder); ++second) {
      NotesOnce notes;
      const Pod pod = PodOf("p").Member(*second, "b").Member(*first, "a");
      ASSERT_TRUE(MembershipOf(pod, &notes));
      EXPECT_EQ(MembershipOf(pod, &notes)->dialect, *first);
      EXPECT_EQ(MembershipOf(pod, &notes)->name, "a");
      EXPECT_THAT(notes.Take(),
                  ElementsAre(IsNote(NoteKind::kTwoDialects, "default/a", "(\"b\") does not")));
    }
  }
}

TEST(Membership, AMalformedOneDoesNotStandInTheWayOfAnother) {
  NotesOnce notes;
  const Pod pod = PodOf("p").Train("none").Member(Dialect::kKoordinator, "other");
  ASSERT_TRUE(MembershipOf(pod, &notes));
  EXPECT_EQ(MembershipOf(pod, &notes)->dialect, Dialect::kKoordinator);
  EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kPodMinimum, "default/train", "none")));
}

TEST(Membership, OfVolcanoHasTheRoleOfTheAnnotationOrElseTheLabel) {
  const auto role = [](const Pod& pod) { return std::string(MembershipOf(pod, nullptr)->role); };
  const PodOf pod = PodOf("p").Member(Dialect::kVolcano, "train");
  EXPECT_EQ(role(pod), "");
  EXPECT_EQ(role(PodOf(pod).Label(RowOf(Dialect::kVolcano).role_key, "worker")), "worker");
  EXPECT_EQ(role(PodOf(pod)
                     .Label(RowOf(Dialect::kVolcano).role_key, "worker")
                     .Annotation(RowOf(Dialect::kVolcano).role_key, "ps")),
            "ps");
  EXPECT_EQ(role(PodOf("p").Train().Label(RowOf(Dialect::kVolcano).role_key, "worker")), "");
}

}  // namespace
}  // namespace outrigger::plan
