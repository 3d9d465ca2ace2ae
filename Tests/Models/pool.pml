/*
 * The pool of runners: does work that waits always have a worker, and is it taken in the end?
 *
 * Guarantees: G108
 *
 * Run by .ci/models. All events of the pool happen under its lock, so each is one step.
 *
 * THE CODE                                                        THE MODEL
 * WorkerTable.add, from RunnerState.add and RunnerPool.submit     Adder
 * RunnerPool.add, for a job of a suspended run                    Resumer
 * RunnerPool.work and startWorker: a worker has control           Worker, in STARTING, STEPPING and STEPPING_TO_JOB
 * WorkerTable.step, from RunnerState.step                         step
 * RunnerState.beginsRuns: a run is next, or a job                 jobMayBeNext, runMayBeNext
 * RunnerPool.makeRunner, performRuns and takeRun                  Worker, in TAKING
 * WorkerTable.take, from RunnerState.takeRun                      take
 * RunnerPool.waitForRuns, RunnerState.keep                        Worker, from TAKING to STEPPING
 * a run or a job that ends, suspends, or blocks its thread        Worker, in RUNNING
 * WorkerTable.check, from RunnerPool.armCheck and check           Checker
 * WorkerTable.updateWantedCount, findBlocked                      updateWanted, findBlocked
 * WorkerTable.noteControl, noteTaken, settle, start, arm          inlines of these names
 * RunnerPool.follow                                               settle changes `thread` and `armed` itself
 *
 * THE PROPERTIES
 *   looked after   While a run or a job waits, a check is armed, or a worker is starting or has control.
 *   kept           The last busy worker doesn't leave while work waits.
 *   width          No more workers are started than the width, besides blocked ones.
 *   taken          (with PROGRESS) In the end no work waits, if each worker and each check goes on in its time.
 *
 * THE BOUNDS. Two workers wide, three at most; four runs, of which two may block for ever, and two that are suspended may
 * go on. With PROGRESS none is suspended. Each check finds runs short or long, as it likes.
 *
 * LEFT OUT. The turns of 64 runs or 100 µs, for which either kind may be next whenever both wait. Runners that are kept
 * and resumed, which take runs as new ones do. Runners that are ended when no work is left. The delays of checks. The
 * report of the limit. The time from a decision under the lock until the worker is started or the check armed.
 *
 * THE SAME IN THE CODE. With -DTELL the model prints each transition of the worker table. All of them are in
 * pool-transitions.txt, and WorkerTableSearchTests compares them with those of the code: "i0b0x2-32t take b0 i0b0x2-22t"
 * says that with one worker idle, one busy and one blocked after two checks, three runs or jobs waiting and two workers
 * wanted, the busy one takes a run. The last letter is that of the check: not armed, armed, armed and something taken,
 * armed and All taken. The workers are sorted.
 */
#define WIDTH 2
#define LIMIT 3
#define RUNS 4
#define MOST_BLOCKED 2
#ifdef PROGRESS
#define MOST_RESUMED 0
#else
#define MOST_RESUMED 2
#endif

/* WorkerTable.Phase */
#define IDLE 0
#define STARTING 1
#define BUSY 2
#define BLOCKED 3
byte phase[LIMIT];
byte checkCount[LIMIT];
byte waiting, starting, busy, blocked;
byte wanted = WIDTH;
bool armed, hasTaken, hasTakenAll;

/* What a worker's thread does. */
#define NONE 0
#define BEGINNING 1
#define STEPPING 2
#define STEPPING_TO_JOB 3
#define TAKING 4
#define RUNNING 5
#define STUCK 6
byte thread[LIMIT];
byte runCount, jobCount, added, suspended, resumed, stuckCount;
byte w;

#define running (starting + busy)

#ifdef TELL
c_code {
  static int codes[3], old_codes[3];
  static char old_state[128];

  static int larger(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

  static void describe(char *text) {
    int i, sorted[3];
    for (i = 0; i < 3; i++) sorted[i] = codes[i] = now.phase[i] * 4 + now.checkCount[i];
    qsort(sorted, 3, sizeof(int), larger);
    sprintf(text, "%c%d%c%d%c%d-%d%d%c", "isbx"[sorted[0] / 4], sorted[0] % 4, "isbx"[sorted[1] / 4], sorted[1] % 4,
      "isbx"[sorted[2] / 4], sorted[2] % 4, now.waiting, now.wanted,
      !now.armed ? '-' : now.hasTakenAll ? 'A' : now.hasTaken ? 't' : 'a');
  }

  static void store_old(void) {
    describe(old_state);
    memcpy(old_codes, codes, sizeof codes);
  }

  /* Prints a transition once. The table has room for several times as many as there are. */
  static void print_line(const char *event, int worker) {
    static char *printed[1 << 15];
    char state[128], line[400], name[8] = "", *next;
    unsigned hash = 5381;
    describe(state);
    if (worker >= 0) sprintf(name, " %c%d", "isbx"[old_codes[worker] / 4], old_codes[worker] % 4);
    sprintf(line, "= %s %s%s %s", old_state, event, name, state);
    for (next = line; *next; next++) hash = hash * 33 + *next;
    for (hash %= 1 << 15; printed[hash]; hash = (hash + 1) % (1 << 15)) if (!strcmp(printed[hash], line)) return;
    printed[hash] = strdup(line);
    printf("%s\n", line);
  }
}
#define remember() c_code { store_old(); }
#define tell(event) c_code { print_line(event, -1); }
#define tellOf(event) c_code { print_line(event, PWorker->i); }
#else
#define remember() skip
#define tell(event) skip
#define tellOf(event) skip
#endif

/* MARK: WorkerTable */

inline arm() { armed = true; hasTaken = false; hasTakenAll = false }

inline start() {
  w = 0;
  do :: phase[w] != IDLE -> w++ :: else -> break od;
  phase[w] = STARTING;
  checkCount[w] = 0;
  starting++;
  assert(thread[w] == NONE);
  thread[w] = BEGINNING;
  w = 0;
  assert(running <= WIDTH)
}

inline settle(n) {
  if :: n > starting && running < wanted && running + blocked < LIMIT -> start() :: else fi;
  if :: n > starting && !armed -> arm() :: else fi
}

inline noteControl(i) {
  if
  :: phase[i] == STARTING -> starting--; busy++; phase[i] = BUSY; checkCount[i] = 0
  :: phase[i] == BLOCKED ->
#ifdef M_STILLBLOCKED
     skip
#else
     blocked--; busy++; phase[i] = BUSY; checkCount[i] = 0
#endif
  :: else
  fi
}

inline noteTaken(i) {
  checkCount[i] = 0;
  waiting--;
  hasTaken = true;
  if :: waiting == 0 -> hasTakenAll = true :: else fi
}

#ifdef M_STARTINGSTAYS
#define isOther (running > 1)
#else
#ifdef M_ALLLEAVE
#define isOther true
#else
#define isOther (busy > 1)
#endif
#endif

#define isCrowded (running > wanted && isOther)

inline step(i, isJobNext) {
  remember();
  noteControl(i);
  if
  :: waiting == 0 || isCrowded ->
     assert(waiting == 0 || busy > 1);
     phase[i] = IDLE;
     checkCount[i] = 0;
     busy--;
     thread[i] = NONE;
#ifndef M_LEAVESETTLE
     settle(waiting);
#endif
     tellOf("step-leave")
  :: else ->
     if
     :: isJobNext ->
        noteTaken(i);
        jobCount--;
        thread[i] = RUNNING;
        settle(waiting);
        tellOf("step-job")
     :: else ->
        thread[i] = TAKING;
        settle(waiting - 1);
        tellOf("step-runner")
     fi
  fi
}

inline take(i) {
  remember();
  noteControl(i);
  noteTaken(i);
  runCount--;
  thread[i] = RUNNING;
  settle(waiting);
  tellOf("take")
}

inline updateWanted(isShort) {
  if
  :: isShort && hasTaken -> wanted = 1
  :: (!isShort || !hasTaken) && !hasTakenAll -> wanted = WIDTH
  :: else
  fi
}

inline findBlocked() {
  w = 0;
  do
  :: w < LIMIT ->
     if
     :: phase[w] == BUSY ->
        checkCount[w]++;
        if
        :: checkCount[w] == 2 -> phase[w] = BLOCKED; busy--; blocked++
        :: else
        fi
     :: else
     fi;
     w++
  :: else -> break
  od;
  w = 0
}

/* MARK: The threads */

#define jobMayBeNext (jobCount > 0)
#define runMayBeNext(i) (jobCount == 0 || runCount > 0 && thread[i] != STEPPING_TO_JOB)
#define hasControl(i) (thread[i] == BEGINNING || thread[i] == STEPPING || thread[i] == STEPPING_TO_JOB)

proctype Worker(byte i) {
end:
  do
  :: d_step { hasControl(i) && jobMayBeNext -> step(i, true) }
  :: d_step { hasControl(i) && runMayBeNext(i) -> step(i, false) }
  :: d_step { thread[i] == TAKING && runCount > 0 && !isCrowded -> take(i) }
  :: d_step { thread[i] == TAKING && isCrowded -> thread[i] = STEPPING }
  :: d_step {
       thread[i] == TAKING && (runCount == 0 || jobCount > 0) ->
       thread[i] = (jobCount > 0 -> STEPPING_TO_JOB : STEPPING)
     }
  :: d_step { thread[i] == RUNNING -> thread[i] = TAKING }
  :: d_step { thread[i] == RUNNING -> thread[i] = STEPPING }
  :: d_step { thread[i] == RUNNING && suspended < MOST_RESUMED -> suspended++; thread[i] = STEPPING }
  :: d_step { thread[i] == RUNNING && stuckCount < MOST_BLOCKED -> stuckCount++; thread[i] = STUCK }
  od
}

inline add(n) { waiting = waiting + n; settle(waiting) }

proctype Adder() {
end:
  do
  :: d_step { added < RUNS -> remember(); added++; runCount++; add(1); tell("add-1") }
  :: d_step { added < RUNS - 1 -> remember(); added = added + 2; runCount = runCount + 2; add(2); tell("add-2") }
  od
}

proctype Resumer() {
end:
  do
  :: d_step { suspended > resumed -> remember(); resumed++; jobCount++; add(1); tell("add-1") }
  od
}

inline check(isShort) {
  remember();
  armed = false;
  updateWanted(isShort);
#ifndef M_FINDBLOCKED
  if :: waiting > 0 -> findBlocked() :: else fi;
#endif
#ifndef M_CHECKSETTLE
  settle(waiting);
#endif
}

proctype Checker() {
end:
  do
  :: d_step { armed -> check(true); tell("check-short") }
  :: d_step { armed -> check(false); tell("check-long") }
  od
}

#define isLookedAfter(i) (hasControl(i) || thread[i] == TAKING)

#ifdef PROGRESS
ltl taken { <> [] (waiting == 0) }
#else
proctype Observer() {
end:
  if
  :: atomic { waiting > 0 && !armed && !isLookedAfter(0) && !isLookedAfter(1) && !isLookedAfter(2) ->
       printf("not looked after\n"); assert(false) }
  :: atomic { waiting != runCount + jobCount -> printf("miscounted\n"); assert(false) }
  fi
}
#endif

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Worker(2);
    run Adder();
    run Resumer();
    run Checker();
#ifndef PROGRESS
    run Observer()
#endif
  }
}
