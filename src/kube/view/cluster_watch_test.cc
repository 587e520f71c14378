#include "kube/view/cluster_watch.h"

#include "gmock/gmock.h"
#include "kube/errors.h"
#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;

const ReflectorState::TimePoint kNow{std::chrono::hours(1000)};

ReflectorState Good() {
  ReflectorState state;
  state.resource = "nodes";
  state.synced = true;
  state.followed = true;
  state.as_of = kNow - seconds(30);
  return state;
}

struct UsableRow {
  const char* name;
  void (*change)(ReflectorState& state);
  const char* text;  // empty: usable
};

class ClusterIsUsable : public ::testing::TestWithParam<UsableRow> {};

TEST_P(ClusterIsUsable, OrSaysWhatIsBehind) {
  ReflectorState state = Good();
  GetParam().change(state);
  const absl::Status status = UsableAt(state, seconds(90), kNow);
  EXPECT_EQ(std::string(MessageOf(status)), GetParam().text);
  EXPECT_EQ(status.ok(), *GetParam().text == 0);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  }
}

const UsableRow kUsableRows[] = {
    {"WhenFresh", [](ReflectorState&) {}, ""},
    {"AtTheLimit", [](ReflectorState& state) { state.as_of = kNow - seconds(90); }, ""},
    {"WhileFailingButFresh", [](ReflectorState& state) { state.last_error = "no route"; }, ""},
    {"TooOld", [](ReflectorState& state) { state.as_of = kNow - seconds(91); },
     "the nodes of the cluster are older than 90s (--max-staleness)"},
    {"TooOldAndWhy",
     [](ReflectorState& state) {
       state.as_of = kNow - seconds(500);
       state.last_error = "no route";
     },
     "the nodes of the cluster are older than 90s (--max-staleness): no route"},
    {"NotSynced", [](ReflectorState& state) { state.synced = false; },
     "the nodes of the cluster are not known yet"},
    {"NotSyncedAndWhy",
     [](ReflectorState& state) {
       state.resource = "pods";
       state.synced = false;
       state.last_error = "403";
     },
     "the pods of the cluster are not known yet: 403"},
    {"ListedButNeverWatched",
     [](ReflectorState& state) {
       state.followed = false;
       state.last_error = "403";
     },
     "the nodes of the cluster cannot be watched: 403"},
    {"ListedAndQuietSoFar", [](ReflectorState& state) { state.followed = false; }, ""},
};
INSTANTIATE_TEST_SUITE_P(Of, ClusterIsUsable, ::testing::ValuesIn(kUsableRows),
                         [](const auto& row) { return std::string(row.param.name); });

// How long a watch may be silent where what is known may be so old.
seconds SilenceFor(seconds max_staleness) {
  ScriptedApi api;
  VirtualTime time;
  cluster::Cluster cluster({});
  api.Answer({InitialEnd(5)});
  ClusterWatchOptions options;
  options.max_staleness = max_staleness;
  options.reflector.timing = time.timing();
  ClusterWatch watch(&api, &cluster, options);
  watch.Start(Needs());
  EXPECT_TRUE(api.AwaitIdle());
  watch.Stop();
  return std::chrono::duration_cast<seconds>(api.seen().back().silence);
}

TEST(ClusterWatch, ListsWhatIsSilentBeforeItIsTooOld) {
  EXPECT_EQ(SilenceFor(seconds(60)), seconds(45));
  EXPECT_EQ(SilenceFor(seconds(90)), seconds(75));
  EXPECT_EQ(SilenceFor(seconds(600)), seconds(75));
}

}  // namespace
}  // namespace outrigger::kube
