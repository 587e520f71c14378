#pragma once

#include "board_testing.h"
#include "common/desk_names.h"

namespace outrigger::gang {

using desk::kBegin;
using desk::LabelsGang;
using desk::MakeBoard;

}  // namespace outrigger::gang
