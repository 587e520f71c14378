#include <string>

#include "wire_testing.h"

namespace outrigger::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

absl::Status DecodePreempt(std::string_view json) {
  PreemptArgs args;
  return DecodePreemptArgs(PaddedBody(json), Needs::All(), &args);
}

class RealCalls : public ::testing::TestWithParam<const char*> {};

TEST_P(RealCalls, GiveVictimsByUid) {
  PreemptArgs args;
  const PaddedBody body(GoldenBytes(GetParam()));
  for (int time = 0; time < 2; ++time) {  // the second into the memory of the first
    ASSERT_THAT(DecodePreemptArgs(body, Needs::All(), &args), IsOk());
    EXPECT_EQ(args.pod.name, "preemptor");
    ASSERT_THAT(args.candidates, SizeIs(2));
    EXPECT_EQ(args.candidates[0].node, "worker-1");
    EXPECT_THAT(args.candidates[0].pod_uids, ElementsAre("uid-of-a", "uid-of-b"));
    EXPECT_EQ(args.candidates[0].pdb_violations, 1);
    EXPECT_EQ(args.candidates[1].node, "worker-2");
    EXPECT_THAT(args.candidates[1].pod_uids, IsEmpty());
    EXPECT_EQ(args.candidates[1].pdb_violations, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Wire, RealCalls,
                         ::testing::Values("requests/preempt_victims.json",
                                           "requests/preempt_meta.json"),
                         [](const auto& row) {
                           return row.index == 0 ? "Victims" : "MetaVictims";
                         });

TEST(PreemptArgs, TakesKeysOfTheProtocolInAnyCase) {
  PreemptArgs args;
  const PaddedBody body(R"({"pod":{},"nodenametometavictims":{"n":{"pods":[{"uid":"u"}],)"
                        R"("numpdbviolations":3}}})");
  ASSERT_THAT(DecodePreemptArgs(body, Needs(), &args), IsOk());
  ASSERT_THAT(args.candidates, SizeIs(1));
  EXPECT_THAT(args.candidates[0].pod_uids, ElementsAre("u"));
  EXPECT_EQ(args.candidates[0].pdb_violations, 3);
}

TEST(PreemptArgs, TakesNoCandidatesAndNoPods) {
  EXPECT_THAT(DecodePreempt(R"({"Pod":{},"NodeNameToVictims":{}})"), IsOk());
  EXPECT_THAT(DecodePreempt(R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":null}}})"), IsOk());
}

struct Refused {
  const char* name;
  const char* json;
  absl::StatusCode code;
  const char* text;
};
constexpr auto kUnanswerable = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class RefusedPreemptCalls : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedPreemptCalls, SayWhy) {
  EXPECT_THAT(DecodePreempt(GetParam().json),
              StatusIs(GetParam().code, std::string(GetParam().text)));
}

const Refused kRefused[] = {
    {"NoPod", R"({"NodeNameToVictims":{}})", kUnanswerable, "Pod is missing"},
    {"NeitherForm", R"({"Pod":{},"NodeNameToVictims":null})", kUnanswerable,
     "neither of NodeNameToVictims and NodeNameToMetaVictims set; expected exactly one"},
    {"BothForms", R"({"Pod":{},"NodeNameToVictims":{},"NodeNameToMetaVictims":{}})", kUnanswerable,
     "both NodeNameToVictims and NodeNameToMetaVictims set"},
    {"NodeTwice", R"({"Pod":{},"NodeNameToVictims":{"n":{},"n":{}}})", kUnanswerable,
     "victims of node \"n\" are given twice"},
    {"NodeWithoutName", R"({"Pod":{},"NodeNameToVictims":{"":{}}})", kUnanswerable,
     "a node without a name"},
    {"VictimWithoutUid", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":[{"metadata":{}}]}}})",
     kUnanswerable, "a victim on node \"n\" has no UID"},
    {"NullVictim", R"({"Pod":{},"NodeNameToMetaVictims":{"n":{"Pods":[null]}}})", kUnanswerable,
     "a victim on node \"n\" has no UID"},
    {"NullVictims", R"({"Pod":{},"NodeNameToVictims":{"n":null}})", kInvalid,
     "NodeNameToVictims.n: expected an object, found null"},
    {"PodIsText", R"({"Pod":"p","NodeNameToVictims":{}})", kInvalid, "Pod: expected an object"},
    {"VictimsAreArray", R"({"Pod":{},"NodeNameToVictims":[]})", kInvalid,
     "NodeNameToVictims: expected an object, found an array"},
    {"MetaVictimsAreArray", R"({"Pod":{},"NodeNameToMetaVictims":[]})", kInvalid,
     "NodeNameToMetaVictims: expected an object, found an array"},
    {"NodeIsArray", R"({"Pod":{},"NodeNameToVictims":{"n":[]}})", kInvalid,
     "NodeNameToVictims.n: expected an object, found an array"},
    {"PodsAreObject", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":{}}}})", kInvalid,
     "NodeNameToVictims.n.Pods: expected an array, found an object"},
    {"VictimIsText", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":["u"]}}})", kInvalid,
     "NodeNameToVictims.n.Pods[0]: expected an object, found a string"},
    {"MetadataIsText", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":[{"metadata":"u"}]}}})",
     kInvalid, "NodeNameToVictims.n.Pods[0].metadata: expected an object"},
    {"UidIsNumber", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":[{"metadata":{"uid":1}}]}}})",
     kInvalid, "NodeNameToVictims.n.Pods[0].metadata.uid: expected a string, found a number"},
    {"MetaUidIsNumber", R"({"Pod":{},"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":1}]}}})",
     kInvalid, "NodeNameToMetaVictims.n.Pods[0].UID: expected a string, found a number"},
    {"CountIsFraction", R"({"Pod":{},"NodeNameToVictims":{"n":{"NumPDBViolations":1.5}}})",
     kInvalid, "NodeNameToVictims.n.NumPDBViolations: expected an integer of 64 bits, found 1.5"},
    {"PodsTwice", R"({"Pod":{},"NodeNameToVictims":{"n":{"Pods":[],"pods":[]}}})", kInvalid,
     "NodeNameToVictims.n.Pods: given twice"},
    {"FormTwice", R"({"Pod":{},"NodeNameToVictims":{},"NodeNameToVictims":{}})", kInvalid,
     "NodeNameToVictims: given twice"},
    {"Null", "null", kInvalid, "body: expected a JSON object"},
    {"Trailing", R"({"Pod":{},"NodeNameToVictims":{}} 1)", kInvalid, "body: broken JSON"},
};
INSTANTIATE_TEST_SUITE_P(Wire, RefusedPreemptCalls, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(PreemptArgs, RefusesTruncatedBodies) {
  for (const char* name : {"requests/preempt_victims.json", "requests/preempt_meta.json"}) {
    const std::string whole = GoldenBytes(name);
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(DecodePreempt(whole.substr(0, size)).code(), kInvalid) << size;
    }
  }
}

}  // namespace
}  // namespace outrigger::wire
