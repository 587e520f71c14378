#include "gang/plan/notes.h"

#include <iterator>

namespace outrigger::plan {

void NotesOnce::Add(NoteKind kind, std::string_view about, std::string_view text) {
  const auto [at, is_new] = told_.emplace(kind, about);
  if (!is_new) return;
  oldest_first_.push_back(at);
  untaken_.push_back({kind, std::string(about), std::string(text)});
  if (oldest_first_.size() > limit_) {
    told_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  if (untaken_.size() > limit_) untaken_.pop_front();
}

std::vector<Note> NotesOnce::Take() {
  std::vector<Note> taken(std::make_move_iterator(untaken_.begin()),
                          std::make_move_iterator(untaken_.end()));
  untaken_.clear();
  return taken;
}

}  // namespace outrigger::plan
