/*
 * Filing and waking: is every deadline that is filed also fired, and is nothing left behind in an empty scheduler?
 *
 * Guarantees: G19 (SETCLOCK), G82 and G83 (OWNER), G87 (ABANDON), G99 (SHUTDOWN), G111
 *
 * Run by .ci/models. Each access to an atomic value is one step, and so is each part of the code under a shard's lock.
 * A change of a timer and the filing that follows are one step, as the lock of the timer covers both. The order of the
 * blocks on the driver's queue is arbitrary.
 *
 * THE CODE                                                         THE MODEL
 * DeadlineQueue.add: the first shard, or another if it is locked   chooseShard
 * LazyObject.get, for DeadlineQueue.Others                         othersMade = true
 * Shard.add, under the shard's lock                                add
 * Shard.file: earlier filings stay                                 fileAgain
 * Shard.file without a deadline, Shard.remove, and their .disarm   takeBack
 * Shard.close and DeadlineQueue.close, TimerEntry.driverClosed     closeShard, closeAll
 * Shard.takeExpired, through DeadlineQueue.takeDue                 takeExpired
 * Shard.publishFirst                                               publish
 * DeadlineQueue.first, TimerDriver.earliest                        readEarliest
 * TimerDriver.wake(before:on:), AtomicMoments.exchange             wakeBefore
 * TimerDriver.postDisarm, and the block that it posts              postDisarm, the label disarm
 * DeadlineQueue.add, WakeupTimer.arm                               isHeld in Filer, the label release
 * TimerDriver.announcePass, through TimerDriver.watchOwners        wakeBefore(ANNOUNCED, MONOTONIC)
 * TimerDriver.makeTimer for an owner; TimerEntry.perform           Owner
 * TimerDriver.shutdown, TimerDriver.close                          Shutdown, the label close
 * Lifeline.deinit, TimerDriver.abandon                             Abandon
 * TimerDriver.runPass and fireDue                                  from the label look to the label release
 * TimerDriver.checkOwners, missesOwnerCheck                        the label checkOwners, missesCheck
 * WallClockWatch.look, misses in TimerDriver.runPass               noticeSetBack, missesSetBack
 * WallClockWatch.note, through read and TimerDriver.noteAgain      note
 * wakeup in TimerDriver.runPass                                    wakeup in Driver
 * TimerEntry.fire(at:) and register                                fire
 * TimerEntry.change, as in cancel, reschedule, pause and resume    Canceller, Changer
 * TimerDriver.nextLook                                             armed
 * WakeupTimer.arm, DispatchWakeupSource                            arm, source
 *
 * THE PROPERTIES. A state is quiet if the queue is idle, no block is posted, and no thread is inside a call.
 *   missed     In a quiet state, a source is armed no later than each deadline. One on the wall clock also has a wakeup
 *              on the monotonic clock, in case the wall clock was set back.
 *   unfired    When all time has passed and nothing can go on, no deadline is left.
 *   left       In a quiet state without deadlines and watched owners, nothing is armed, and no disarm counts as posted.
 *              After the last owner, one check may still be planned, an interval later at the most.
 *   unclosed   In a quiet state after the shutdown or the end of the lifeline, no timer is left.
 *   unchecked  In a quiet state with a watched owner, a check is planned and a source armed for it.
 *   unheld     In a quiet state, the clock holds the lifeline if and only if there are timers.
 *
 * THE BOUNDS. Two or three timers, two threads that file them, one that cancels or changes the first; two shards, the
 * second of which stands for all that are made later; the moments from START = 2 to END, which is 3 or 4, and each deadline
 * is 3 or END. A configuration is a set of the switches below.
 *
 * LEFT OUT. Weaker orders of memory: all accesses are sequentially consistent, which .ci/rules checks. Tolerances: the
 * deadline is the latest moment. The wheel's early wakeups, which only add passes. The batches of a pass. Retired
 * memory. Virtual time, whose passes are made by its clock. The delay of a disarm, which may come at any time here. The
 * balance of calls to the dispatch source, which has a search of its own (DispatchWakeupSourceTests). A closed shard's
 * timers end in one step, and post one disarm. A wall clock that is set back between a thread's reading and its filing:
 * the timer then waits for the next pass, which notices it (TimerDriver.noteAgain), and that may come late. Steps within
 * a d_step aren't checked for being done.
 *
 * THE SAME IN THE CODE. With -DTELL the model prints what each sequence of four calls does, one after the other. All of
 * it is in filing-transitions.txt, and FilingModelTests compares it with a scheduler on a clock of its own: in
 * "2 - - . . file-0-m3 2 m3 - 3 ." a first timer is made at the moment 2, for 3 on the monotonic clock, and then the
 * source of the monotonic clock is armed for 3. An `e` is a timer that has ended.
 *
 * SWITCHES
 *   NT=n       the number of timers
 *   WALL       deadlines on both clocks
 *   SETCLOCK   the wall clock is set once, forward or back; its timers are aligned to even moments
 *   OTHERS     a thread may find the first shard's lock taken
 *   CHANGE     a thread gives the first timer another deadline or clock, or pauses and resumes it
 *   REPEAT     the first timer has a second deadline
 *   KEEP       no thread cancels
 *   LASTLOOK   a pass may end at any look that finds it has to look again
 *   SPIN       a pass may spin until the next deadline
 *   OWNER      a watched owner comes, and goes
 *   SHUTDOWN   a thread shuts the scheduler down
 *   ABANDON    the clock holds a lifeline, whose last reference is released
 *   TELL       one thread makes calls, each when the one before has had its effects, and each transition is printed
 *   M_...      a mutant, which must break a property; see .ci/models
 */
#define MONOTONIC 0
#define WALLCLOCK 1
#define PAST 0
#define ANNOUNCED 1
#define START 2
#define NEVER 15
#ifndef END
#define END 4
#endif

#define UNMADE 0
#define LIVE 1
#define ENDED 2

/* The clocks. */
byte now = START;
#ifdef SETCLOCK
byte lead = 1;
byte greatestLead;
byte byMonotonic[NT] = NEVER;
#else
#define lead 0
#endif
#define time(clock) (clock == MONOTONIC -> now : now + lead)

/* Each timer: its state, its deadline, and how it is filed. A timer taken by a pass isn't filed until it is fired. */
byte life[NT];
byte due[NT] = NEVER;
byte filed[NT] = NEVER;
bit filedOn[NT];
bit home[NT];
bool isTaken[NT];
bool isLocked[NT];
#ifdef REPEAT
bool hasSecond = true;
#endif

/* The shards. The moments of a shard on both clocks lie side by side. */
bool othersMade;
bool isClosed[2];
byte earliest[4] = NEVER;
#define moment(shard, clock) earliest[2 * (shard) + (clock)]

/* The context, the driver's queue and its sources. */
byte armed[2] = NEVER;
byte source[2] = NEVER;
bool isDisarmPosted;
byte passBlocks;
bool disarmBlock, closeBlock;
bool isBusy;
byte insideCount;
bool isOver;
bool isHeld;
byte watchedCount, lastLeft;
bool checksOwners;
byte nextCheck = NEVER;

#define isLockedTimer(k) isLocked[k]
#define isTakenAndLocked(k) (isTaken[k] && isLocked[k])
#define isIn(k, s) (life[k] == LIVE && home[k] == s)
#define isFiledIn(k, s) (filed[k] != NEVER && home[k] == s)
#if NT == 2
#define liveIn(s) (isIn(0, s) || isIn(1, s))
#define filedIn(s) (isFiledIn(0, s) || isFiledIn(1, s))
#define any(condition) (condition(0) || condition(1))
#else
#define liveIn(s) (isIn(0, s) || isIn(1, s) || isIn(2, s))
#define filedIn(s) (isFiledIn(0, s) || isFiledIn(1, s) || isFiledIn(2, s))
#define any(condition) (condition(0) || condition(1) || condition(2))
#endif

#ifdef ABANDON
#define HOLDER
#endif

/* MARK: Threads that file */

inline lower(d, c) { /* The end of Shard.file, under the lock. */
#ifdef M_NOLOWERING
  isEarliest = d < moment(s, c)
#else
  if
  :: d < moment(s, c) -> moment(s, c) = d; isEarliest = true
  :: else -> isEarliest = false
  fi
#endif
}

inline add(k) { /* Under the lock of the shard and of the timer. */
  d_step {
    if
#ifndef M_OPENSHARD
    :: isClosed[s] -> life[k] = ENDED
#endif
    :: else ->
#ifdef HOLDER
       isFirst = !liveIn(s);
       isLocked[k] = true;
#endif
       life[k] = LIVE;
       home[k] = s;
       due[k] = d;
       filed[k] = d;
       filedOn[k] = c;
       lower(d, c)
    fi
  }
}

inline fileAgain(k) { /* TimerEntry.change, then Shard.file: a filing for an earlier moment of the clock stays. */
  d_step {
    s = home[k];
    if
    :: isClosed[s] -> life[k] = ENDED; due[k] = NEVER
    :: !isClosed[s] && filed[k] != NEVER && filedOn[k] == c && filed[k] <= d -> due[k] = d
    :: else ->
       due[k] = d;
       filed[k] = d;
       filedOn[k] = c;
       lower(d, c)
    fi
  }
}

/* The last step of a call, which ends with it. */
inline wakeBefore(d, c) {
#ifdef M_CLAIMSWAP
  /* Claims without a comparison. */
  atomic { if :: d < armed[c] -> passBlocks++ :: else fi; armed[c] = PAST; insideCount-- }
#else
  do
  :: atomic { d < armed[c] -> current = armed[c] };
     if
     :: atomic { armed[c] == current -> armed[c] = PAST; passBlocks++; current = 0; insideCount--; break }
     :: atomic { armed[c] != current -> current = 0 }
     fi
  :: atomic { d >= armed[c] -> insideCount--; break }
  od
#endif
}

/* The last step of a call as well. */
inline postDisarm() {
#ifdef M_NODISARM
  insideCount--
#else
#ifndef HOLDER
  if
  :: armed[MONOTONIC] != NEVER
  :: atomic { armed[MONOTONIC] == NEVER -> isIdle = true }
  fi;
#ifdef WALL
  if :: isIdle && armed[WALLCLOCK] != NEVER -> isIdle = false :: else fi;
#endif
#endif
  atomic {
    if :: !isIdle && !isDisarmPosted -> isDisarmPosted = true; disarmBlock = true :: else fi;
    isIdle = false;
    insideCount--
  }
#endif
}

inline note(l) { atomic { if :: l > greatestLead -> greatestLead = l :: else fi } }

inline chooseShard() {
  s = 0;
#ifdef OTHERS
  if
  :: true
  :: othersMade = true; s = 1
  fi
#endif
}

inline chooseDeadline() {
#ifdef SETCLOCK
  /* TimerDriver.read: both clocks are read, and the reading is noted. */
  if
  :: c = MONOTONIC; d = now + 1
  :: c = WALLCLOCK; d = ((now + lead) / 2 + 1) * 2; by = d - lead; l = lead
  fi
#else
  if :: d = START + 1 :: d = END fi;
#ifdef WALL
  if :: c = MONOTONIC :: c = WALLCLOCK fi
#endif
#endif
}

/* Ends a call that wakes nothing. */
inline endUnless(wakes) { if :: !wakes -> insideCount-- :: else fi }

proctype Filer(byte k; byte last) {
  byte d, by, l, current;
  bit s, c;
  bool isEarliest, isFirst;
  do
  :: atomic { k <= last -> insideCount++; chooseDeadline(); chooseShard() };
#ifdef SETCLOCK
     note(l);
#endif
     atomic {
       add(k);
#ifdef SETCLOCK
       byMonotonic[k] = (l == lead && l < 2 -> by : NEVER);
       by = 0;
#endif
#ifndef HOLDER
       endUnless(isEarliest)
#endif
     };
#ifdef HOLDER
     atomic {
       if :: isFirst -> isHeld = true; isFirst = false :: else fi;
       isLocked[k] = false;
       endUnless(isEarliest)
     };
#endif
     if :: isEarliest -> isEarliest = false; wakeBefore(d, c) :: else fi;
#ifdef SETCLOCK
     /* TimerDriver.noteAgain */
     atomic { note(l); l = 0 };
#endif
     atomic { k++; d = 0; s = 0; c = 0 }
  :: atomic { k > last -> break }
  od
}

/* MARK: Threads that change timers */

inline takeBack(k) { /* Shard.remove, and Shard.file without a deadline. */
  due[k] = NEVER;
  filed[k] = NEVER;
  isEmptied = !filedIn(home[k])
}

proctype Canceller(byte k) {
  bool isEmptied, isIdle;
  atomic {
    life[k] != UNMADE && !isLocked[k];
    insideCount++;
    if :: life[k] == LIVE -> life[k] = ENDED; takeBack(k) :: else fi;
    endUnless(isEmptied)
  };
  if :: isEmptied -> isEmptied = false; postDisarm() :: else fi
}

#ifdef CHANGE
proctype Changer(byte k) {
  byte d, current;
  bit s, c;
  bool isEarliest, isEmptied, isIdle;
  atomic {
    life[k] != UNMADE && !isLocked[k];
    if
    :: life[k] == LIVE -> insideCount++; takeBack(k); endUnless(isEmptied)
    :: true
    fi
  };
  if :: isEmptied -> isEmptied = false; postDisarm() :: else fi;
  atomic {
    if :: d = START + 1 :: d = END fi;
#ifdef WALL
    if :: c = MONOTONIC :: c = WALLCLOCK fi;
#endif
    insideCount++;
    if :: life[k] == LIVE -> fileAgain(k) :: else fi;
    endUnless(isEarliest)
  };
  if :: isEarliest -> isEarliest = false; wakeBefore(d, c) :: else fi;
  atomic { d = 0; s = 0; c = 0 }
}
#endif

#ifdef OWNER
proctype Owner() {
  byte current;
  bool isEmptied, isIdle;
  /* The owner enters with a timer that is paused. */
  atomic { insideCount++; watchedCount++ };
  if
  :: !checksOwners -> wakeBefore(ANNOUNCED, MONOTONIC)
  :: atomic { checksOwners -> insideCount-- }
  fi;
  /* The timer ends: it is removed from its shard, and then from its owner. */
  atomic { insideCount++; isEmptied = !filedIn(0) };
  atomic { watchedCount--; lastLeft = now; endUnless(isEmptied) };
  if :: isEmptied -> isEmptied = false; postDisarm() :: else fi
}
#endif

/* MARK: The end */

inline closeShard(s) {
  d_step {
    isClosed[s] = true;
    i = 0;
    do :: i < NT -> if :: isIn(i, s) -> filed[i] = NEVER :: else fi; i++ :: else -> break od;
    i = 0
  };
  /* Each timer ends under its lock, and so after the clock holds it. */
  atomic {
    !any(isLockedTimer);
    i = 0;
    do
    :: i < NT ->
       if :: isIn(i, s) -> life[i] = ENDED; due[i] = NEVER; hasEnded = true :: else fi;
       i++
    :: else -> break
    od;
    i = 0
  };
  if :: hasEnded -> hasEnded = false; insideCount++; postDisarm() :: else fi
}
inline closeAll() {
#ifdef OTHERS
#ifdef M_UNMADE
  made = othersMade;
#else
  othersMade = true;
  made = true;
#endif
#endif
  closeShard(0);
#ifdef OTHERS
  if :: made -> closeShard(1) :: else fi;
  made = false
#endif
}

#ifdef SHUTDOWN
proctype Shutdown() { closeBlock = true }
#endif

#ifdef ABANDON
proctype Abandon() {
  byte i;
  bool made, hasEnded, isIdle;
  insideCount++;
  closeAll();
  atomic { passBlocks++; isOver = true; insideCount-- }
}
#endif

/* MARK: The driver */

inline takeExpired(s, c) {
  d_step {
    i = 0;
    do
    :: i < NT ->
       if
       :: isFiledIn(i, s) && filedOn[i] == c && filed[i] <= (c == MONOTONIC -> monotonic : wall) ->
          filed[i] = NEVER;
          isTaken[i] = true
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0
  }
}

inline lowerQuietly(s, c, d) { if :: d < moment(s, c) -> moment(s, c) = d :: else fi }

inline fire() {
  /* A timer that was changed meanwhile may be due later. The pass computes the wakeup itself. */
  atomic {
    !any(isTakenAndLocked);
    i = 0;
    do
    :: i < NT ->
       if
       :: !isTaken[i] || life[i] != LIVE || due[i] == NEVER
       :: isTaken[i] && life[i] == LIVE && due[i] != NEVER && due[i] > (filedOn[i] == MONOTONIC -> monotonic : wall) ->
          if
          :: filed[i] == NEVER && !isClosed[home[i]] ->
             filed[i] = due[i];
             lowerQuietly(home[i], filedOn[i], due[i])
          :: else
          fi
       :: isTaken[i] && life[i] == LIVE && due[i] <= (filedOn[i] == MONOTONIC -> monotonic : wall) ->
          filed[i] = NEVER;
          if
#ifdef REPEAT
          :: i == 0 && hasSecond && monotonic < END && !isClosed[home[i]] ->
             hasSecond = false;
             due[i] = monotonic + 1;
             filed[i] = due[i];
             lowerQuietly(home[i], filedOn[i], due[i])
#endif
          :: else -> life[i] = ENDED; due[i] = NEVER
          fi
       fi;
       isTaken[i] = false;
       i++
    :: else -> break
    od;
    i = 0
  }
}

inline publish(s) {
  d_step {
    first = NEVER;
    firstWall = NEVER;
    i = 0;
    do
    :: i < NT ->
       if
       :: isFiledIn(i, s) && filedOn[i] == MONOTONIC && filed[i] < first -> first = filed[i]
       :: isFiledIn(i, s) && filedOn[i] == WALLCLOCK && filed[i] < firstWall -> firstWall = filed[i]
       :: else
       fi;
       i++
    :: else -> break
    od;
    moment(s, MONOTONIC) = first;
    moment(s, WALLCLOCK) = firstWall;
    first = 0;
    firstWall = 0;
    i = 0
  }
}

inline readEarliest(result, c) {
  result = moment(0, c);
#ifdef OTHERS
  if :: othersMade && moment(1, c) < result -> result = moment(1, c) :: else fi
#endif
}

inline readBoth(result, resultWall) {
  readEarliest(result, MONOTONIC);
#ifdef WALL
  readEarliest(resultWall, WALLCLOCK)
#else
  resultWall = NEVER
#endif
}

inline arm(c, wanted, reading) {
  d_step {
    if :: wanted <= reading -> first = reading + 1 :: else -> first = wanted fi;
    if
    :: first >= NEVER -> source[c] = NEVER
    :: first < NEVER && source[c] != NEVER && source[c] > reading && source[c] <= first
    :: else -> source[c] = first
    fi;
    first = 0
  }
}

inline noticeSetBack() {
  if
  :: wallLead < oldLead ->
     /* The comparison fails if a thread has noted another lead. */
     atomic { if :: greatestLead == oldLead -> greatestLead = wallLead :: else fi };
#ifndef M_SETBACK
     /* Each timer on the wall clock computes its deadline again, under its lock, and is filed for it. */
     d_step {
       i = 0;
       do
       :: i < NT ->
          if
          :: life[i] == LIVE && filed[i] != NEVER && filedOn[i] == WALLCLOCK ->
             due[i] = (wall / 2 + 1) * 2;
             byMonotonic[i] = monotonic + due[i] - wall;
             if
             :: filed[i] > due[i] ->
                filed[i] = due[i];
                lowerQuietly(home[i], WALLCLOCK, due[i])
             :: else
             fi
          :: else
          fi;
          i++
       :: else -> break
       od;
       i = 0
     }
#endif
  :: else -> note(wallLead)
  fi
}

inline forget() {
  monotonic = 0; wall = 0; next = 0; nextWall = 0; wakeup = 0; latest = 0; latestWall = 0;
  isDue = false; missesCheck = false; missesSetBack = false; wallLead = 0
}

proctype Driver() {
  byte monotonic, wall, next, nextWall, wakeup, latest, latestWall, first, firstWall, i, current, oldLead, wallLead;
  bool made, hasEnded, isIdle, isDue, missesCheck, missesSetBack;
idle:
end:
  atomic {
    if
    :: passBlocks > 0 -> passBlocks--; isBusy = true
    :: source[MONOTONIC] <= now -> source[MONOTONIC] = NEVER; isBusy = true
    :: source[WALLCLOCK] <= time(WALLCLOCK) -> source[WALLCLOCK] = NEVER; isBusy = true
    :: disarmBlock -> disarmBlock = false; isBusy = true; goto disarm
    :: closeBlock -> closeBlock = false; isBusy = true; goto close
    fi
  };
  goto look;

disarm:
#ifndef M_FLAGLATE
  isDisarmPosted = false;
#endif
#ifndef M_DISARMBLIND
  isDue = filedIn(0);
#ifdef OTHERS
  if :: !isDue && othersMade -> isDue = filedIn(1) :: else fi;
#endif
#ifdef M_FLAGLATE
  isDisarmPosted = false;
#endif
  if
  :: atomic { isDue -> isDue = false; isBusy = false; goto idle }
  :: atomic { else -> goto look }
  fi;
#else
  /* Disarms without a pass. */
  atomic { armed[MONOTONIC] = NEVER; armed[WALLCLOCK] = NEVER };
  atomic { source[MONOTONIC] = NEVER; source[WALLCLOCK] = NEVER; isBusy = false; goto idle };
#endif

close:
  closeAll();
  isOver = true;

look:
#ifdef M_NOPAST
  skip;
#else
  armed[MONOTONIC] = PAST;
#ifdef WALL
  armed[WALLCLOCK] = PAST;
#endif
#endif
#ifdef SETCLOCK
  oldLead = greatestLead;
#endif
  atomic {
    monotonic = now;
    wall = time(WALLCLOCK);
#ifdef SETCLOCK
    wallLead = lead
#endif
  };
#ifdef SETCLOCK
  readEarliest(nextWall, WALLCLOCK);
  if :: nextWall < NEVER -> noticeSetBack() :: else fi;
  atomic { nextWall = 0; oldLead = 0 };
#endif
  takeExpired(0, MONOTONIC);
#ifdef OTHERS
  if :: othersMade -> takeExpired(1, MONOTONIC) :: else fi;
#endif
  fire();
#ifdef WALL
  readEarliest(nextWall, WALLCLOCK);
  if
  :: nextWall < NEVER ->
     takeExpired(0, WALLCLOCK);
#ifdef OTHERS
     if :: othersMade -> takeExpired(1, WALLCLOCK) :: else fi;
#endif
     fire()
  :: else
  fi;
  nextWall = 0;
#endif
#ifdef OWNER
checkOwners:
  checksOwners = true;
  if
  :: watchedCount > 0 ->
     if :: nextCheck > monotonic && nextCheck != NEVER :: else -> nextCheck = monotonic + 1 fi
  :: watchedCount == 0 ->
     checksOwners = false;
     if
     :: atomic { watchedCount > 0 -> insideCount++ }; wakeBefore(ANNOUNCED, MONOTONIC); goto checkOwners
     :: else -> nextCheck = NEVER
     fi
  fi;
#endif
#ifdef M_PUBLISHSTALE
  /* Publishes in `armed` what the shards told before they were visited. */
  readBoth(latest, latestWall);
  if :: latest <= monotonic -> latest = monotonic + 1 :: else fi;
  armed[MONOTONIC] = latest;
#endif
  publish(0);
#ifdef OTHERS
  if :: othersMade -> publish(1) :: else fi;
#endif
  readBoth(next, nextWall);
#ifdef SPIN
  if
  :: next == monotonic + 1 -> now >= next; goto again
  :: true
  fi;
#endif
  atomic {
#ifdef M_HASDUE
    isDue = false;
#else
    isDue = next <= monotonic || nextWall <= wall;
#endif
    wakeup = next;
#ifndef M_BESIDES
    if :: nextWall < NEVER && monotonic + nextWall - wall < wakeup -> wakeup = monotonic + nextWall - wall :: else fi;
#endif
    if :: nextCheck < wakeup -> wakeup = nextCheck :: else fi
  };
#ifdef M_LOOKEARLY
  readBoth(latest, latestWall);
#endif
  if
  :: !isDue ->
#ifdef M_PUBLISHSTALE
     skip
#else
     armed[MONOTONIC] = wakeup
#endif
#ifdef WALL
     ;
     armed[WALLCLOCK] = nextWall
#endif
  :: else
  fi;
#ifdef M_LOOKAGAIN
  atomic { latest = next; latestWall = nextWall };
#else
#ifndef M_LOOKEARLY
  readBoth(latest, latestWall);
#endif
#endif
#ifdef OWNER
#ifndef M_MISSEDCHECK
  missesCheck = nextCheck == NEVER && watchedCount > 0;
#endif
#endif
#ifdef SETCLOCK
#ifndef M_MISSEDLEAD
  missesSetBack = nextWall < NEVER && wallLead < greatestLead;
#endif
#endif
  if
  :: isDue || latest < next || latestWall < nextWall || missesCheck || missesSetBack ->
     if
     :: goto again
#ifdef LASTLOOK
     :: armed[MONOTONIC] = PAST; passBlocks++
#endif
     fi
  :: else ->
#ifdef WALL
     arm(WALLCLOCK, nextWall, wall);
#endif
     arm(MONOTONIC, wakeup, monotonic)
  fi;
#ifdef HOLDER
release:
  isDue = liveIn(0);
#ifdef OTHERS
  if :: !isDue && othersMade -> isDue = liveIn(1) :: else fi;
#endif
  if
  :: !isDue ->
     isHeld = false;
#ifndef M_HOLDAGAIN
     isDue = liveIn(0);
#ifdef OTHERS
     if :: !isDue && othersMade -> isDue = liveIn(1) :: else fi;
#endif
     if :: isDue -> isHeld = true :: else fi
#endif
  :: else
  fi;
#endif
  atomic { forget(); isBusy = false; goto idle };
again:
  atomic { forget(); goto look }
}

/* MARK: Time, and what must hold */

proctype Clock() {
  do :: atomic { now < END -> now++ } :: now == END -> break od
}

#ifdef SETCLOCK
proctype ClockSetter() { if :: lead = 0 :: lead = 2 fi }
#endif

#define isQuiet (!isBusy && insideCount == 0 && passBlocks == 0 && !disarmBlock && !closeBlock)
#define hasDeadline(k) (due[k] != NEVER)
#define isAlive(k) (life[k] == LIVE)
#ifdef SETCLOCK
#define isLate(k) (hasDeadline(k) && \
  (source[filedOn[k]] > due[k] || filedOn[k] == WALLCLOCK && source[MONOTONIC] > byMonotonic[k]))
#else
#define isLate(k) (hasDeadline(k) && (source[filedOn[k]] > due[k] || source[MONOTONIC] > due[k]))
#endif
#define isArmed (source[MONOTONIC] != NEVER || source[WALLCLOCK] != NEVER || \
  armed[MONOTONIC] != NEVER || armed[WALLCLOCK] != NEVER || isDisarmPosted)

#ifdef OWNER
/* A pass may plan a check between the end of the last owner's timer and that of the owner. It is the only one. */
#define isCheckPlanned (watchedCount > 0 || nextCheck <= lastLeft + 1 && armed[MONOTONIC] == nextCheck && \
  armed[WALLCLOCK] == NEVER && source[MONOTONIC] <= nextCheck)
#else
#define isCheckPlanned false
#endif

proctype Observer() {
end:
  if
  :: atomic { isQuiet && any(isLate) -> printf("missed\n"); assert(false) }
  :: atomic { isQuiet && isArmed && !isCheckPlanned && !any(hasDeadline) -> printf("left\n"); assert(false) }
#ifdef SHUTDOWN
  :: atomic { isQuiet && isOver && any(isAlive) -> printf("unclosed\n"); assert(false) }
#endif
#ifdef ABANDON
  :: atomic { isQuiet && isOver && any(isAlive) -> printf("unclosed\n"); assert(false) }
  :: atomic { isQuiet && isHeld != any(isAlive) -> printf("unheld\n"); assert(false) }
#endif
#ifdef OWNER
  :: atomic { isQuiet && watchedCount > 0 && source[MONOTONIC] > nextCheck -> printf("unchecked\n"); assert(false) }
  :: atomic { isQuiet && watchedCount > 0 && nextCheck == NEVER -> printf("unchecked\n"); assert(false) }
#endif
#if !defined(SETCLOCK) && !defined(TELL)
  :: atomic { timeout && any(hasDeadline) -> printf("unfired\n"); assert(false) }
#endif
  fi
}

#ifdef TELL
#define LENGTH 4
byte callCount, callTimer, callMoment, madeCount;
bit callClock;
byte call;
byte old[9];

c_code {
  static char *moment_text(char *text, int value) {
    if (value == 15) strcpy(text, "."); else sprintf(text, "%d", value);
    return text;
  }

  static char *timer_text(char *text, int state, int deadline, int clock) {
    if (state != 1) strcpy(text, state ? "e" : "-"); else sprintf(text, "%c%d", clock ? 'w' : 'm', deadline);
    return text;
  }

  /* Prints a transition once. The table has room for several times as many as there are. */
  static void print_call(void) {
    static const char *const calls[] = {"file", "cancel", "change", "tick"};
    static char *printed[1 << 15];
    char line[200], name[40], texts[8][8], *next;
    unsigned hash = 5381;
    if (now.call == 3) strcpy(name, "tick");
    else if (now.call == 1) sprintf(name, "cancel-%d", now.callTimer);
    else sprintf(name, "%s-%d-%c%d", calls[now.call], now.callTimer, now.callClock ? 'w' : 'm', now.callMoment);
    sprintf(line, "= %d %s %s %s %s %s %d %s %s %s %s", now.old[0],
      timer_text(texts[0], now.old[1], now.old[2], now.old[3]), timer_text(texts[1], now.old[4], now.old[5], now.old[6]),
      moment_text(texts[2], now.old[7]), moment_text(texts[3], now.old[8]), name, now.now,
      timer_text(texts[4], now.life[0], now.due[0], now.filedOn[0]), timer_text(texts[5], now.life[1], now.due[1], now.filedOn[1]),
      moment_text(texts[6], now.source[0]), moment_text(texts[7], now.source[1]));
    for (next = line; *next; next++) hash = hash * 33 + *next;
    for (hash %= 1 << 15; printed[hash]; hash = (hash + 1) % (1 << 15)) if (!strcmp(printed[hash], line)) return;
    printed[hash] = strdup(line);
    printf("%s\n", line);
  }
}

inline begin(name, k) {
  d_step {
    callCount++;
    call = name;
    callTimer = k;
    callMoment = d;
    callClock = c;
    old[0] = now;
    old[1] = life[0];
    old[2] = due[0];
    old[3] = filedOn[0];
    old[4] = life[1];
    old[5] = due[1];
    old[6] = filedOn[1];
    old[7] = source[MONOTONIC];
    old[8] = source[WALLCLOCK]
  }
}

inline chooseAny() {
  if :: d = now + 1 :: now + 2 <= END -> d = now + 2 fi;
  if :: c = MONOTONIC :: c = WALLCLOCK fi
}

proctype Caller() {
  byte d, current, k;
  bit s, c;
  bool isEarliest, isEmptied, isIdle;
end:
  do
  :: atomic {
       isQuiet && source[MONOTONIC] > now && source[WALLCLOCK] > now ->
       if :: callCount > 0 -> c_code { print_call(); } :: else fi;
       if
       :: callCount < LENGTH && madeCount < NT && now < END ->
          chooseAny();
          k = madeCount;
          madeCount++;
          insideCount++;
          begin(0, k);
          add(k);
          endUnless(isEarliest)
       :: callCount < LENGTH && madeCount > 0 ->
          if :: k = 0 :: madeCount == 2 -> k = 1 fi;
          insideCount++;
          begin(1, k);
          if :: life[k] == LIVE -> life[k] = ENDED; takeBack(k) :: else fi;
          endUnless(isEmptied)
       :: callCount < LENGTH && madeCount > 0 && now < END ->
          if :: k = 0 :: madeCount == 2 -> k = 1 fi;
          chooseAny();
          insideCount++;
          begin(2, k);
          if :: life[k] == LIVE -> fileAgain(k) :: else fi;
          endUnless(isEarliest)
       :: callCount < LENGTH && now < END -> begin(3, 0); now++
       :: else -> break
       fi
     };
     if
     :: isEarliest -> isEarliest = false; wakeBefore(d, c)
     :: isEmptied -> isEmptied = false; postDisarm()
     :: else
     fi;
     atomic { d = 0; s = 0; c = 0; k = 0 }
  od
}
#endif

init {
  atomic {
    run Driver();
#ifdef TELL
    run Caller();
#else
    run Filer(0, NT - 2);
    run Filer(NT - 1, NT - 1);
#ifndef KEEP
    run Canceller(0);
#endif
#ifdef CHANGE
    run Changer(0);
#endif
#ifdef OWNER
    run Owner();
#endif
#ifdef SHUTDOWN
    run Shutdown();
#endif
#ifdef ABANDON
    run Abandon();
#endif
#ifdef SETCLOCK
    run ClockSetter();
#endif
    run Clock();
#endif
    run Observer()
  }
}
