#include "desk/plan_pulse.h"

#include "fmt/format.h"

namespace outrigger::desk {

void PlanPulse::Begin(const char* what) {
  what_ = what;
  began_ = now_();
}

std::chrono::milliseconds PlanPulse::UnderWay() const {
  const Time began = began_;
  if (began == Time()) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(now_() - began);
}

absl::Status PlanPulse::Within(std::chrono::milliseconds longest) const {
  const std::chrono::milliseconds under_way = UnderWay();
  if (under_way <= longest) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "planning has been at work for {} s ({}), so what is planned is too old to answer by",
      std::chrono::duration_cast<std::chrono::seconds>(under_way).count(), what_.load()));
}

}  // namespace outrigger::desk
