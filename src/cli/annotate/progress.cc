#include "cli/annotate/progress.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "fmt/format.h"

namespace outrigger::cli {

std::string Progress::Text(size_t pending) {
  if (pending == 0) most_ = 0;
  most_ = std::max(most_, pending);
  if (most_ < kLong) return "";
  return fmt::format("{} of {} nodes written, about {} s left", most_ - pending, most_,
                     std::ceil(static_cast<double>(pending) / qps_));
}

std::string AnsweredCalls::Text() const {
  const size_t done = done_;
  const size_t total = total_;
  return done < total ? fmt::format("{} of {} queries answered", done, total) : "";
}

void Progress::Show(size_t pending, const std::string& calls) {
  std::string text = Text(pending);
  if (!text.empty() && !calls.empty()) text += "; ";
  text += calls;
  if (text.empty() && !is_shown_) return;
  terminal_ << "\r\033[K" << text << std::flush;
  is_shown_ = !text.empty();
}

}  // namespace outrigger::cli
