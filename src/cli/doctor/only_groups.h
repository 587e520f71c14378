#pragma once

#include <cstdint>

#include "cli/doctor/case.h"

namespace outrigger::cli {

/// About which pods a configuration has an agent called.
enum class CalledAbout : uint8_t {
  kAllPods,  ///< no entry has managedResources
  kGroups,   ///< as scheduler-config --members-only writes it: pods that ask for both resources
  kOther,    ///< neither: its calls are about different pods
};

/// True for an entry in that form.
bool IsOnlyForGroups(const Entry& entry, const AgentInfo& agent);

/// For an agent that has entries.
CalledAbout CalledAboutOf(const DoctorCase& found, const AgentInfo& agent);

}  // namespace outrigger::cli
