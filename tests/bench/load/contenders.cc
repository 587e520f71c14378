#include <array>

#include "policy.h"

namespace outrigger::load_bench {

std::span<const Contender> Contenders() {
  static constexpr std::array kAll = {
      Contender{"the truth", false, &MakeClairvoyant},
      Contender{"requests alone", false, &MakeRequestsAlone},
      Contender{"safe", false, &MakeSafe},
      Contender{"safe, metrics-server", false, &MakeSafeByMetrics},
      Contender{"congestion", false, &MakeCongestion},
      Contender{"pigeon", false, &MakePigeon},
      Contender{"reward", false, &MakeReward},
      Contender{"TargetLoadPacking", true, &MakeTargetLoadPacking},
      Contender{"LowRiskOverCommitment", true, &MakeLowRiskOverCommitment},
      Contender{"Koordinator LoadAware", true, &MakeKoordinator},
  };
  return kAll;
}

}  // namespace outrigger::load_bench
