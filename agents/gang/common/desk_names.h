#pragma once

#include "outrigger/desk/board.h"
#include "outrigger/desk/desk.h"
#include "outrigger/desk/leadership.h"
#include "outrigger/desk/participant.h"
#include "outrigger/desk/reasons.h"
#include "outrigger/desk/time.h"
#include "outrigger/desk/write_permit.h"

// Names of the desk that this agent uses throughout.

namespace outrigger::gang {

using desk::Board;
using desk::BoardPod;
using desk::BoardUnit;
using desk::BoundMember;
using desk::Desk;
using desk::kPointer;
using desk::MayWrite;
using desk::NextLook;
using desk::Nomination;
using desk::Patience;
using desk::PodPtr;
using desk::Reservation;
using desk::ReservedNode;
using desk::Time;
using desk::TimedOut;
using desk::Waiting;
using desk::WaitingText;
using desk::Waits;

}  // namespace outrigger::gang
