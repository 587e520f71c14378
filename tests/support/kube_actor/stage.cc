#include "stage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace outrigger::kube_actor {

Stage::Stage(const std::string& path) : descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}

Stage::~Stage() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Stage::Enter() {
  return flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
}

void Stage::Leave() {
  flock(descriptor_, LOCK_UN);
}

}  // namespace outrigger::kube_actor
