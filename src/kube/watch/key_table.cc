#include "kube/watch/key_table.h"

namespace outrigger::kube {

const std::string& KeyTable::Key(std::string_view namespace_, std::string_view name) {
  key_.assign(namespace_);
  key_ += '/';
  key_ += name;
  return key_;
}

void KeyTable::See(std::string_view namespace_, std::string_view name, bool readable) {
  Entry& entry = keys_[Key(namespace_, name)];
  entry.round = round_;
  if (entry.readable != readable) unreadable_ += readable ? size_t{0} - 1 : size_t{1};
  entry.readable = readable;
}

bool KeyTable::Forget(std::string_view namespace_, std::string_view name) {
  const auto found = keys_.find(Key(namespace_, name));
  if (found == keys_.end()) return false;
  if (!found->second.readable) --unreadable_;
  keys_.erase(found);
  return true;
}

void KeyTable::EndReplace(OnGone on_gone) {
  for (auto entry = keys_.begin(); entry != keys_.end();) {
    const auto at = entry++;
    if (at->second.round == round_) continue;
    const std::string_view key = at->first;
    const size_t slash = key.find('/');
    on_gone(key.substr(0, slash), key.substr(slash + 1));
    if (!at->second.readable) --unreadable_;
    keys_.erase(at);
  }
  if (keys_.capacity() > 4 * keys_.size()) keys_.rehash(0);
}

}  // namespace outrigger::kube
