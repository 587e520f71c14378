#include "gang/plan/notes.h"

#include "groups_testing.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NotesOnce, KeepsTheFirstOfAKindAboutASubject) {
  NotesOnce notes;
  notes.Add(NoteKind::kPodMinimum, "default/a", "first");
  notes.Add(NoteKind::kPodMinimum, "default/a", "second");
  notes.Add(NoteKind::kPodMinimum, "default/b", "other subject");
  notes.Add(NoteKind::kTwoDialects, "default/a", "other kind");
  EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kPodMinimum, "default/a", "first"),
                                        IsNote(NoteKind::kPodMinimum, "default/b", "other subject"),
                                        IsNote(NoteKind::kTwoDialects, "default/a", "other kind")));
}

TEST(NotesOnce, TellsNothingAgainAfterItWasTaken) {
  NotesOnce notes;
  notes.Add(NoteKind::kPodMinimum, "default/a", "first");
  notes.Take();
  notes.Add(NoteKind::kPodMinimum, "default/a", "first");
  EXPECT_THAT(notes.Take(), IsEmpty());
}

TEST(NotesOnce, ForgetsTheOldestSubjectsBeyondItsLimit) {
  NotesOnce notes(2);
  for (const char* about : {"a", "b", "c"}) notes.Add(NoteKind::kGroupName, about, "");
  EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kGroupName, "b", ""),
                                        IsNote(NoteKind::kGroupName, "c", "")));
  for (const char* about : {"c", "b", "a"}) notes.Add(NoteKind::kGroupName, about, "");
  EXPECT_THAT(notes.Take(), ElementsAre(IsNote(NoteKind::kGroupName, "a", "")));
}

}  // namespace
}  // namespace outrigger::plan
