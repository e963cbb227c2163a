// The ranks of a run that mpirun, srun or another launcher of MPI has started.
//
// The launcher says in the environment how many there are. Commands that divide their rows load MPI
// and take part on every rank; all other commands run on rank 0, and the rest have nothing to do.
#pragma once

#include "program.h"
#include "session.h"

namespace pegasos::cli {

// Puts the ranks into the session, if there are several. Only rank 0 talks and writes files. False:
// this rank has nothing to do for the command.
bool join_ranks(const Program& program, Session& session);

// After an error on this rank: ends all others, which would wait for it. Does nothing where there
// are none.
void end_other_ranks(const Session& session, int exit_code);

// Whether something is so on any rank: what all must know before they go different ways.
bool on_any_rank(const Session& session, bool here);

}  // namespace pegasos::cli
