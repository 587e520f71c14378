#pragma once

#include "gang/desk/board.h"
#include "gang/desk/desk.h"
#include "gang/desk/leadership.h"
#include "gang/desk/participant.h"
#include "gang/desk/reasons.h"
#include "gang/desk/time.h"

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
