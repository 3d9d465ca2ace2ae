/*
 * A job that was put: does it do its work once and leave the list, whatever operators and clocks do with it?
 *
 * Guarantees: G164
 *
 * Run by .ci/models. One job, two replicas, one store. A claim and the beginning of its run are one step, and an end is
 * another: which requests are lost or late, and which sessions are over, is cluster.pml's question.
 *
 * THE PROTOCOL                                                    THE MODEL
 * the row of the job                                              the variables from exists to ahead
 * claim: takes the row, whose range may be outdated               claim, take
 * which date of its range a replica runs                          choose
 * end: done, failed, to be tried again, settled, released         end_
 * put, with another schedule, handler or payload                  put
 * retry, give up, cancel, ask, withdraw, pause, resume, remove    Operator
 * a replica finds that the store's clock was set back             notice
 *
 * A range is from `from` to `until`, and has the schedule, the handler and the payload of its first claim. Its later attempts
 * have them, too. `at` is the moment from which the row may be claimed. Of what was asked for, the row has the numbers from
 * `asked`, `wanted` of them.
 *
 * THE PROPERTIES
 *   once          Each date has one record at most: of a run that is done, that has failed for good, or whose attempts are used
 *                 up. A date with a record isn't begun again, unless an operator asks for it.
 *   attempts      A date is begun ATT times at most if an attempt was abandoned, and RET times if they failed. It is given up only
 *                 when they are used up.
 *   by hand       What was given up or cancelled isn't begun again. A retry by hand begins at once, as far as the store knows.
 *   withdrawn     What was withdrawn isn't begun, and its run isn't tried again.
 *   paused        No run begins while its job, its handler or the cluster is paused. To resume one of them resumes no other. Dates
 *                 of a pause don't come later, but the only date of a job does. A date from before a pause isn't left out by it.
 *                 If a pause follows another one without a claim between them, that of the first count as from before the second.
 *   readable      A replica that can't read the schedule settles nothing, and uses up no attempt.
 *   of one put    A run has the handler, the schedule and the payload of its range's first claim. No attempt follows after a put with
 *                 another schedule or handler.
 *   list          A job whose last date is done isn't in the list. A job leaves it only then, or when it is removed.
 *   not forgotten When nothing can go on, and a replica can run the job: its row is neither due nor held, and each date has a
 *                 record, was missed, or waits. A clock that was ahead has accounted for a date to come only by a record.
 *
 * LEFT OUT. What cluster.pml has. Bursts, ranges that were asked for, and which date was asked for. Several jobs. A put of an
 * only date that has passed, and a run now in the place of one to come. A clock that is set back after the last date. That a
 * run learns that it was cancelled.
 *
 * THE SAME IN THE CODE. With -DTELL the model prints each step of the store once, and each claim that brings nothing. All of
 * them are in put-transitions.txt, without those of a clock that was set back, whose moments are seconds in the code. In
 * "1 1,1,-,0,0,0,0,.,free,0/0,-/-,.,0 0/-,-,- claim/2 nothing 1,1,-,0,0,0,0,.,free,0/0,-/-,.,0 0/-,-,-" a replica with both handlers
 * claims nothing, as the first handler is paused. A row is from, at, until, attempt, floor, text, fixedBy, Paused or Removed,
 * with the beginning and the end of its pause, who holds it, as in cluster-transitions.txt, handler and payload, those of the range if others were put, Lost, Cancelled,
 * Failed or failed as it was Asked for, and how many runs were asked for. A text of 3 or 4 has one date. After the row are the
 * pauses of the two handlers and of the cluster: when they began, and ended. A claim has the handlers, and its answer
 * has handler, payload, and whether the run was asked for. An end has its outcome, the next moment, its schedule, and whether
 * the run is the first that was asked for (1) or a withdrawn one (2).
 *
 * SWITCHES
 *   ATT=n       how often a date may be begun if an attempt was abandoned
 *   RET=n       how often a date may be begun if its attempts have failed
 *   FAILS=n     runs that fail
 *   CUTS=n      replicas that lose the row: their end comes late, or never
 *   ONCE        the job has one date, otherwise two
 *   EVERY       the job has a date at each moment
 *   UNREAD      the first replica can't read the second schedule
 *   HANDLERS    each replica has another handler, otherwise both have both
 *   LONG        the back-off goes on beyond the last moment
 *   RETRIES, GIVEUPS, ASKS, WITHDRAWS, PAUSES, PUTS, REMOVES=n   what operators do
 *   BACK=n      the store's clock is set back by two moments
 *   END=n       the last moment
 *   TELL        prints the store's steps
 *   M_...       a mutant, which must break a property; see .ci/models
 */
#ifndef ATT
#define ATT 2
#endif
#ifndef RET
#define RET 2
#endif
#ifndef END
#define END 4
#endif
#ifndef FAILS
#define FAILS 0
#endif
#ifndef CUTS
#define CUTS 0
#endif
#ifndef RETRIES
#define RETRIES 0
#endif
#ifndef GIVEUPS
#define GIVEUPS 0
#endif
#ifndef ASKS
#define ASKS 0
#endif
#ifndef WITHDRAWS
#define WITHDRAWS 0
#endif
#ifndef PAUSES
#define PAUSES 0
#endif
#ifndef PUTS
#define PUTS 0
#endif
#ifndef REMOVES
#define REMOVES 0
#endif
#ifndef BACK
#define BACK 0
#endif

#if RETRIES + GIVEUPS + ASKS + WITHDRAWS + PAUSES + PUTS + REMOVES > 0
#define OPERATOR
#endif

#define NEVER 14
#define NONE 15
#ifdef EVERY
#define LAST 6
#else
#define LAST 3
#endif
/* No schedule, whose next date nobody knows. */
#define NO_TEXT 2

#ifdef EVERY
#define has(schedule, moment) (moment > 0)
#define firstAfter(schedule, moment) (moment + 1)
#else
#ifdef ONCE
#define has(schedule, moment) (moment == schedule + 1)
#else
#define has(schedule, moment) (moment == schedule + 1 || moment == schedule + 2)
#endif
#define firstAfter(schedule, moment) \
  (moment < 1 && has(schedule, 1) -> 1 : (moment < 2 && has(schedule, 2) -> 2 : (moment < 3 && has(schedule, 3) -> 3 : NEVER)))
#endif
#define least(a, b) (a < b -> a : b)
#define greatest(a, b) (a > b -> a : b)
#ifdef LONG
#define BACKOFF 9
#else
#define BACKOFF 1
#endif

/* The row. `rangeHandler` and `rangePayload` are those of the range if the job was put with others since then. */
bool exists = true, isRemoved, isPaused;
bit text, handler, payload;
byte floor, from = 1, until = NONE, at = 1;
byte attempt;
bool isLost, isCancelled, hasFailed, failedAsked;
byte fixedBy = NO_TEXT, rangeHandler = NONE, rangePayload = NONE;
byte asked, wanted, ahead;
/* The claim that holds it, and whether its replica has lost it. */
byte token;
bool isGone;

/* The pauses of the two handlers and of the cluster, which last. When they and that of the job began and ended, the last as
   long as the row keeps it. With which moment the next range ends, as the job was due before a pause. */
#define OWN 3
bool pauses[3];
byte pausedAt[4], resumedAt[4], bound;

byte now;
bool isNews;

/* A replica's run, and why it has none. */
#define IS_RUN 1
#define IS_ASKED 2
#define IS_EMPTY 3
#define IS_USED_UP 4
#define IS_UNREADABLE 5
byte mine[2], what[2], date[2], number[2], tries[2], limit[2], rangeText[2];
/* Whether a replica leaves the job to others, as it couldn't read it. */
bool leaves[2];

/* What an end says. */
#define DONE 1
#define FAILED 2
#define RETRIED 3
#define RELEASED 4
#define SETTLED 5

/* For the properties. */
byte begun[LAST + 1];
bool isRecorded[LAST + 1], isAccounted[LAST + 1], wasCutOff[LAST + 1], isGivenUp[LAST + 1], isLeftOut[LAST + 1];
/* What was asked for up to this number is withdrawn or given up. */
byte withdrawn;
bool isPressed, hasPausedJob, isDoneLast;
byte firstText = NO_TEXT, firstHandler, firstPayload;
byte x, y, z;

byte fails = FAILS, cuts = CUTS, retries = RETRIES, giveUps = GIVEUPS, asks = ASKS, withdraws = WITHDRAWS;
byte pausings = PAUSES, changes = PUTS, removes = REMOVES, backs = BACK;

#ifdef TELL
#include "tell.pml"
hidden byte tellToken, tellReplica, tellOutcome, tellNext, tellText, tellNumber, tellHandler, tellPayload;
c_code {
#ifdef ONCE
  enum { FIRST_TEXT = 3 };
#else
  enum { FIRST_TEXT = 0 };
#endif
  static char old_row[100], old_view[40];
  static int old_now;

  static char *value(char *text, int value, int none) {
    if (value == none) strcpy(text, "-"); else sprintf(text, "%d", value);
    return text;
  }

  /* `keeps` says whether a pause is noted that lasts. */
  static int describe_pause(char *text, int of, int keeps) {
    if (keeps) return sprintf(text, "%d/-", now.pausedAt[of]);
    return now.resumedAt[of] ? sprintf(text, "%d/%d", now.pausedAt[of], now.resumedAt[of]) : 0;
  }

  static void describe_row(char *text, int claimed) {
    static const char *const holders[] = {"left3", "over", "own", "this"};
    char until[8], handler[8], payload[8], pause[16] = "";
    int i, length;
    describe_pause(pause, OWN, now.isPaused);
    if (!now.exists) strcpy(text, "none");
    else sprintf(text, "%d,%d,%s,%d,%d,%d,%d,%s%s.%s,%s,%d/%d,%s/%s,%s%s%s%s.,%d", now.from, now.at,
      value(until, now.until, 15), now.attempt, now.floor, FIRST_TEXT + now.text,
      now.until == 15 ? 0 : FIRST_TEXT + now.fixedBy, now.isPaused ? "P" : "", now.isRemoved ? "R" : "", pause,
      !now.token ? "free" : holders[claimed ? 3 : now.token == tellToken ? 2 : now.isGone], now.handler, now.payload,
      value(handler, now.rangeHandler, 15), value(payload, now.rangePayload, 15), now.isLost ? "L" : "",
      now.isCancelled ? "C" : "", now.hasFailed ? "F" : "", now.failedAsked ? "A" : "", now.wanted);
    length = strlen(text);
    for (i = 0; i < 3; i++) {
      int added;
      text[length++] = i ? ',' : ' ';
      added = describe_pause(text + length, i, now.pauses[i]);
      if (!added) strcpy(text + length, "-");
      length += added ? added : 1;
    }
  }

  static void store_old(void) {
    old_now = now.now;
    describe_row(old_row, 0);
  }

  static void print_step(const char *request, const char *reply, int claimed) {
    char row[100], line[300];
    describe_row(row, claimed);
    sprintf(line, "= %d %s %s %s %s", old_now, old_row, request, reply, row);
    print_once(line);
  }

  static void print_request(const char *request) { print_step(request, "-", 0); }

  static void print_claim(int brings) {
    char request[20], reply[20] = "nothing";
#ifdef HANDLERS
    sprintf(request, "claim/%d", tellReplica);
#else
    strcpy(request, "claim/2");
#endif
    if (brings) sprintf(reply, "rows/%d/%d/%d", now.rangeHandler == 15 ? now.handler : now.rangeHandler,
      now.rangePayload == 15 ? now.payload : now.rangePayload, now.wanted > 0);
    print_step(request, reply, brings);
  }

  static void print_end(int isWritten) {
    static const char *const outcomes[] = {"", "done", "failed", "retried", "released", "settled"};
    char request[40];
    sprintf(request, "end/%s/%d/%d/%d", outcomes[tellOutcome], tellNext, FIRST_TEXT + tellText, tellNumber);
    print_step(request, isWritten ? "written" : "refused", 0);
  }

  static void print_put(void) {
    char request[40];
    sprintf(request, "put/%d/%d/%d", FIRST_TEXT + tellText, tellHandler, tellPayload);
    print_request(request);
  }

  static void print_pause(const char *request, int of) {
    char text[20];
    sprintf(text, "%s/%c", request, of == 2 ? 'c' : '0' + of);
    print_request(text);
  }
}
#define remember c_code { tellToken = 0; store_old(); }
#define tell(request) c_code { print_request(request); }
#define tellPause(request) c_code { print_pause(request, now.handler); }
#define tellClusterPause(request) c_code { print_pause(request, 2); }
#define rememberPut(schedule, to, content) tellText = schedule; tellHandler = to; tellPayload = content; remember
#define tellPut c_code { print_put(); }
#define rememberClaim(r) tellReplica = r; remember
#define tellClaim(brings) c_code { print_claim(brings); }
#define rememberEnd(r, outcome, next) tellToken = mine[r]; tellOutcome = outcome; tellNext = next; tellText = rangeText[r]; \
  tellNumber = (number[r] == 0 -> 0 : (number[r] == asked + 1 && wanted > 0 -> 1 : 2)); c_code { store_old(); }
#define tellEnd(isWritten) c_code { print_end(isWritten); }
#else
#define remember skip
#define tell(request) skip
#define tellPause(request) skip
#define tellClusterPause(request) skip
#define rememberPut(schedule, to, content) skip
#define tellPut skip
#define rememberClaim(r) skip
#define tellClaim(brings) skip
#define rememberEnd(r, outcome, next) skip
#define tellEnd(isWritten) skip
#endif

/* MARK: The row */

/* Moments that are accounted for. */
inline account(first, last) {
  x = first;
  do :: x <= last && x <= LAST -> isAccounted[x] = true; x++ :: else -> break od;
  x = 0
}

inline clearPause() {
  pausedAt[OWN] = 0;
  resumedAt[OWN] = 0
}

inline closeRange() {
  until = NONE;
  attempt = 0;
  isLost = false;
  isCancelled = false;
  hasFailed = false;
  failedAsked = false;
  fixedBy = NO_TEXT;
  rangeHandler = NONE;
  rangePayload = NONE;
  firstText = NO_TEXT;
  firstHandler = 0;
  firstPayload = 0
}

inline delete() {
  exists = false;
  isRemoved = false;
  isPaused = false;
  clearPause();
  hasPausedJob = false;
  isPressed = false;
  closeRange();
  token = 0;
  isGone = false;
  at = NEVER;
  asked = asked + wanted;
  wanted = 0;
  floor = 0;
  ahead = 0;
  text = 0;
  handler = 0;
  payload = 0
}

/* From when on the job is due if its next date isn't known. */
#ifdef M_UNKNOWN
#define firstUnknown now
#else
#define firstUnknown least(greatest(from, floor + 1), now)
#endif

inline giveUpRange() {
  if
  :: until != NONE ->
     account(from, until);
     from = until + 1;
     closeRange();
     at = least(at, firstUnknown)
  :: else
  fi
}

#ifdef M_OUTDATED
#define isOutdated false
#else
#define isOutdated (until != NONE && (rangeHandler != NONE || wanted == 0 && fixedBy != text))
#endif

/* An attempt that waits is given up once its range is outdated. */
inline giveUpRetry() { if :: token == 0 && isOutdated -> giveUpRange() :: else fi }

/* An end of the row's run, or of the one that has failed and waits. */
inline end_(outcome, next, schedule, isAsked) {
  token = 0;
  isGone = false;
  if
  :: isRemoved && (outcome == RETRIED || outcome == RELEASED) -> account(from, until); from = until + 1; delete()
  :: !isRemoved && outcome == RETRIED -> at = next; hasFailed = true; failedAsked = isAsked
  :: !isRemoved && outcome == RELEASED ->
#ifndef M_UNREADATTEMPT
     attempt--;
#endif
     if :: attempt == 0 -> closeRange() :: else fi;
     if :: at != NEVER && at > now + 1 -> at = now :: else fi
  :: else ->
     account(from, until);
     from = until + 1;
     closeRange();
     if :: isAsked && wanted > 0 -> asked++; wanted-- :: else fi;
#ifdef M_ENDNEXT
     at = next;
#else
     at = (schedule == text -> next : firstUnknown);
#endif
     if :: wanted > 0 -> at = least(at, now) :: else fi;
     if :: at != NEVER && from > now + 1 -> at = least(at, now) :: else fi;
     isDoneLast = outcome == DONE && at == NEVER;
     isPressed = false;
     if
#ifndef M_STAYS
#ifdef M_LEAVESFAILED
     :: isRemoved || at == NEVER && outcome != SETTLED ->
#else
     :: isRemoved || isDoneLast ->
#endif
        assert(isRemoved || isDoneLast && firstAfter(text, from - 1) == NEVER);
        delete()
#else
     :: isRemoved -> delete()
#endif
     :: else
     fi
  fi
}

/* MARK: Claims */

#ifdef HANDLERS
#define handles(r) (handler == r)
#else
#define handles(r) true
#endif

#ifdef M_PAUSELATER
/* A pause that is noted in the row. */
#define isHandlerPaused (isHeldBack)
bool isHeldBack;
#else
#define isHandlerPaused pauses[handler]
#endif

#define isHeld (token > 0 && !isGone)
#define isFree (exists && !isRemoved && !isPaused && !isHandlerPaused && !pauses[2] && (token == 0 && at <= now || token > 0 && isGone))
#define canClaim(r) (isFree && mine[r] == 0 && !leaves[r] && handles(r))

#ifdef M_OWED
#define isOwed(p) false
#else
#define isOwed(p) (at <= pausedAt[p] && from <= pausedAt[p] && floor < pausedAt[p])
#endif

/* Leaves out the dates of a pause that has ended, unless the job was due before it, or before one that began earlier. */
inline leaveOut(p) {
#if !defined(ONCE) && !defined(M_LEAVEOUT)
  if
  :: until == NONE && resumedAt[p] >= from && resumedAt[p] > 0 && bound == 0 && isOwed(p) -> bound = pausedAt[p]
  :: until == NONE && resumedAt[p] >= from && resumedAt[p] > 0 && bound == 0 && !isOwed(p) ->
     y = from;
     do :: y <= pausedAt[p] && y <= LAST -> assert(y <= floor || !has(text, y)); y++ :: else -> break od;
     y = 0;
     floor = greatest(floor, resumedAt[p])
  :: else
  fi
#else
  skip
#endif
}

/* All pauses that concern the job, in the order in which they began. */
inline leaveOutAll() {
  x = 0;
  do
  :: x <= now ->
     if :: pausedAt[handler] == x -> leaveOut(handler) :: else fi;
     if :: pausedAt[2] == x -> leaveOut(2) :: else fi;
     if :: pausedAt[OWN] == x -> leaveOut(OWN) :: else fi;
     x++
  :: else -> break
  od;
  x = 0
}

/* Dates that a clock has accounted for which was ahead are owed again. */
inline owe() {
  if
  :: until == NONE && from > now + 1 ->
     x = now + 1;
     do :: x <= LAST -> isAccounted[x] = isRecorded[x] || x <= floor; x++ :: else -> break od;
     x = 0
  :: else
  fi
}

/* Begins at now if a clock that was ahead has accounted for moments beyond that, and passes dates with a record. */
inline followClock() {
#ifndef M_AHEAD
  if
  :: until == NONE && from > now + 1 ->
     ahead = greatest(ahead, from);
     from = (floor > 0 -> least(floor, now) : now) + 1
  :: else
  fi;
#endif
  if
  :: until == NONE ->
     from = greatest(from, least(floor, now) + 1);
     if
     :: from >= ahead -> ahead = 0
     :: else ->
#ifndef M_TWICE
        do :: from <= LAST && isRecorded[from] -> from++ :: else -> break od
#endif
     fi
  :: else
  fi
}

inline take(r) {
  if :: token > 0 -> isLost = until != NONE :: else fi;
  if
  :: until == NONE ->
     y = least(floor, now);
     account(1, y);
     y = 0;
     floor = 0;
     until = greatest((bound > 0 -> least(now, bound) : now), from - 1);
     if :: bound == 0 && resumedAt[OWN] > 0 -> clearPause() :: else fi;
     bound = 0;
     /* It ends before the next date that has a record. */
     if
     :: ahead > 0 ->
        x = from;
#ifndef M_TWICE
        do :: x <= until && x <= LAST && !isRecorded[x] -> x++ :: x <= until && x <= LAST && isRecorded[x] -> until = x - 1 :: else -> break od;
#endif
        x = 0
     :: else
     fi;
     attempt = 1;
     fixedBy = text;
     firstText = text;
     firstHandler = handler;
     firstPayload = payload
  :: else -> attempt++
  fi;
  x = 1;
  do :: x == token || x == mine[0] || x == mine[1] -> x++ :: else -> break od;
  token = x;
  mine[r] = x;
  x = 0;
  isGone = false
}

#ifdef M_CANCELLOST
#define isCancelledNow false
#else
#define isCancelledNow isCancelled
#endif
#define limitNow (isCancelledNow -> 0 : (isLost -> ATT : greatest(ATT, RET)))

/* What the replica does with its range. */
inline choose(r) {
  x = from;
  do :: x <= until && x <= LAST -> if :: has(fixedBy, x) -> date[r] = x :: else fi; x++ :: else -> break od;
  x = 0;
  tries[r] = attempt;
  limit[r] = limitNow;
  rangeText[r] = fixedBy;
  if
#ifdef UNREAD
  :: r == 0 && fixedBy == 1 -> what[r] = IS_UNREADABLE; leaves[r] = true; date[r] = 0
#endif
  :: else ->
     if
     :: date[r] > 0 -> what[r] = (attempt <= limitNow -> IS_RUN : IS_USED_UP)
     :: date[r] == 0 && wanted > 0 -> what[r] = (attempt <= limitNow -> IS_ASKED : IS_USED_UP); number[r] = asked + 1
     :: else -> what[r] = IS_EMPTY
     fi
  fi
}

/* What must hold as a run begins. */
inline checkBegin(r) {
  assert(!hasPausedJob && !pauses[handler] && !pauses[2]);
  assert(firstText == fixedBy && (attempt == 1 || text == firstText || wanted > 0));
  assert(attempt == 1 || firstHandler == handler && rangeHandler == NONE);
#ifdef M_NEWPAYLOAD
  assert(firstPayload == payload);
#else
  assert(firstPayload == (rangePayload == NONE -> payload : rangePayload));
#endif
  isPressed = false;
  if
  :: what[r] == IS_RUN ->
     begun[date[r]]++;
     assert(!isRecorded[date[r]] && !isGivenUp[date[r]] && !isLeftOut[date[r]]);
     assert(begun[date[r]] <= (wasCutOff[date[r]] -> ATT : greatest(ATT, RET)))
  :: else -> assert(number[r] > withdrawn)
  fi
}

inline forget(r) {
  mine[r] = 0;
  what[r] = 0;
  date[r] = 0;
  number[r] = 0;
  tries[r] = 0;
  limit[r] = 0;
  rangeText[r] = 0
}

inline claim(r) {
  d_step {
    rememberClaim(r);
    if
    :: token > 0 && until != NONE ->
       x = from;
       do :: x <= until && x <= LAST -> wasCutOff[x] = wasCutOff[x] || begun[x] > 0; x++ :: else -> break od;
       x = 0
    :: else
    fi;
#ifndef M_LEAVEOUTEARLY
    if :: isOutdated -> giveUpRange() :: else fi;
#endif
    leaveOutAll();
#ifdef M_LEAVEOUTEARLY
    if :: isOutdated -> giveUpRange() :: else fi;
#endif
    owe();
    followClock();
    take(r);
    tellClaim(1);
    choose(r);
    if :: what[r] == IS_RUN || what[r] == IS_ASKED -> checkBegin(r) :: else fi
  }
}

/* Of a run that is to be tried again, the store may know better. */
#ifdef M_CANCELRETRY
#define isOver(r) (isOutdated || number[r] > 0 && number[r] <= asked)
#elif defined(M_WITHDRAWNRETRY)
#define isOver(r) (isCancelled || isOutdated)
#else
#define isOver(r) (isCancelled || isOutdated || number[r] > 0 && number[r] <= asked)
#endif

inline record(r) {
  if
  :: date[r] > 0 ->
     assert(!isRecorded[date[r]]);
     isRecorded[date[r]] = true
  :: else
  fi
}

inline report(r, outcome) {
  d_step {
    z = (outcome == RETRIED -> now + BACKOFF : (outcome == RELEASED -> NEVER : firstAfter(rangeText[r], until)));
    rememberEnd(r, outcome, z);
    z = 0;
    if
    :: exists && token == mine[r] ->
       /* What has failed was begun. */
       assert(outcome != FAILED || date[r] > 0 || number[r] > 0);
       y = (number[r] > 0 && number[r] == asked + 1);
       if
       :: outcome == RETRIED && isOver(r) -> record(r); end_(FAILED, NEVER, NO_TEXT, y)
       :: outcome == RETRIED && !isOver(r) -> end_(RETRIED, now + BACKOFF, rangeText[r], number[r] > 0)
       :: outcome == RELEASED -> end_(RELEASED, NEVER, NO_TEXT, false)
       :: else ->
#ifdef M_NORECORD
          if :: outcome != SETTLED -> record(r) :: else fi;
#else
          record(r);
#endif
          z = firstAfter(rangeText[r], until);
          end_(outcome, z, rangeText[r], y)
       fi;
       y = 0;
       z = 0;
       tellEnd(1)
    :: else -> tellEnd(0)
    fi;
    forget(r)
  }
}

proctype Replica(bit r) {
end:
  do
  :: atomic { canClaim(r) -> claim(r); printf("replica %d claims %d to %d, attempt %d: %d\n", r, from, until, attempt, what[r]) }
  /* What is left of a removed job whose replica has lost it. */
  :: atomic { exists && isRemoved && isGone && mine[r] == 0 -> d_step { rememberClaim(r); account(from, until); from = until + 1; delete(); tellClaim(0) } }
#ifdef TELL
  :: atomic { exists && !(isRemoved && isGone) && mine[r] == 0 && !leaves[r] && !canClaim(r) -> d_step { rememberClaim(r); tellClaim(0) } }
#endif
  :: atomic { what[r] == IS_RUN || what[r] == IS_ASKED -> printf("replica %d is done\n", r); report(r, DONE) }
#if FAILS > 0
  :: atomic {
       fails > 0 && (what[r] == IS_RUN || what[r] == IS_ASKED) ->
       fails--;
       printf("replica %d fails\n", r);
       if :: tries[r] < limit[r] -> report(r, RETRIED) :: else -> report(r, FAILED) fi
     }
#endif
  :: atomic { what[r] == IS_EMPTY -> report(r, SETTLED) }
  :: atomic {
       what[r] == IS_USED_UP ->
       /* An attempt that was cut off before it could be released was never begun. */
#if !defined(UNREAD) || CUTS == 0
       assert(limit[r] == 0 || date[r] == 0 || begun[date[r]] >= limit[r]);
#endif
       printf("replica %d settles, attempts are used up\n", r);
       report(r, SETTLED)
     }
#ifdef UNREAD
#ifdef M_UNREADSETTLES
  :: atomic { what[r] == IS_UNREADABLE -> report(r, FAILED) }
#else
  :: atomic { what[r] == IS_UNREADABLE -> printf("replica %d can't read it\n", r); report(r, RELEASED) }
#endif
#endif
#if CUTS > 0
  :: atomic { cuts > 0 && mine[r] > 0 && token == mine[r] && !isGone -> cuts--; isGone = true; printf("replica %d loses the row\n", r) }
  :: atomic { mine[r] > 0 && (token != mine[r] || isGone) -> forget(r) }
#endif
#if BACK > 0
  :: atomic {
       isNews ->
       isNews = false;
       if :: token == 0 && at != NEVER -> owe() :: else fi;
#ifndef M_NOTICE
       if
       :: token == 0 && at != NEVER && at > now && (until == NONE -> from : until + 1) > now + 1 -> at = now
       :: else
       fi
#endif
     }
#endif
  od
}

/* MARK: Operators */

#define isWaiting (exists && token == 0 && until != NONE)

/* What is given up by hand isn't begun again. */
inline noteGivenUp() {
  x = from;
  do :: x <= until && x <= LAST -> isGivenUp[x] = isGivenUp[x] || begun[x] > 0; x++ :: else -> break od;
  x = 0;
  if :: isWaiting && failedAsked && wanted > 0 -> withdrawn = asked + 1 :: else fi
}

/* The range's last run has failed, and no other follows. */
inline endWaiting() {
  x = from;
  do :: x <= until && x <= LAST -> y = (has(fixedBy, x) -> x : y); x++ :: else -> break od;
  x = 0;
  if :: y > 0 && begun[y] > 0 -> isRecorded[y] = true :: else fi;
#ifdef M_GIVENUPASKED
  y = false;
#else
  /* The range forgets it. */
  y = failedAsked;
#endif
  end_(FAILED, NEVER, NO_TEXT, y);
  y = 0
}

/* The dates of a pause, but for a range that was begun before. */
inline noteLeftOut(p) {
#ifndef ONCE
  x = greatest((until == NONE -> from : until + 1), pausedAt[p] + 1);
  do :: x <= now && x <= LAST -> isLeftOut[x] = true; x++ :: else -> break od;
  x = 0
#else
  skip
#endif
}

/* A pause begins. The moments of the one before it count as from before this one, if the job wasn't claimed since. */
inline beginPause(p) {
  x = pausedAt[p] + 1;
  do :: x <= resumedAt[p] && x <= LAST -> isLeftOut[x] = false; x++ :: else -> break od;
  x = 0;
  pausedAt[p] = now;
  resumedAt[p] = 0
}

inline put(schedule, to, content) {
  d_step {
    rememberPut(schedule, to, content);
    if
    :: !exists ->
       exists = true;
       account(from, now);
       from = greatest(from, now + 1);
       at = now;
#ifdef M_PAUSELATER
       isHeldBack = false;
#endif
       text = schedule
    :: exists && (isRemoved || text != schedule) ->
       floor = greatest(floor, now);
       if :: resumedAt[OWN] > 0 -> clearPause() :: else fi;
       text = schedule;
       at = least(at, now)
    :: exists && !isRemoved && text == schedule && handler != to ->
       at = (at == NEVER -> NEVER : least(at, now))
    :: else
    fi;
    if
    :: isRemoved ->
       isRemoved = false;
       isPaused = false;
       clearPause();
       hasPausedJob = false;
       asked = asked + wanted;
       wanted = 0;
       /* No other attempt of the removed job follows. */
       firstHandler = NONE;
#ifndef M_RESTORED
       if :: until != NONE && rangeHandler == NONE -> rangeHandler = handler :: else fi
#endif
    :: else
    fi;
    if
    :: until != NONE ->
       if :: handler != to && rangeHandler == NONE -> rangeHandler = handler :: else fi;
       if :: payload != content && rangePayload == NONE -> rangePayload = payload :: else fi
    :: else
    fi;
    /* The other handler's pauses leave out other dates. */
    if :: handler != to -> x = 1; do :: x <= LAST -> isLeftOut[x] = false; x++ :: else -> break od; x = 0 :: else fi;
    handler = to;
    payload = content;
#ifndef M_PUTRETRY
    giveUpRetry();
#endif
    tellPut;
    /* No other attempt waits then. */
    assert(token > 0 || until == NONE || fixedBy == text || wanted > 0);
    isPressed = false;
    isDoneLast = false;
    leaves[0] = false;
    leaves[1] = false
  }
}

#ifdef OPERATOR
proctype Operator() {
end:
  do
#if RETRIES > 0
  :: atomic {
       retries > 0 && exists && !isRemoved && token == 0 && (until != NONE || at == NEVER) ->
       printf("retry by hand\n");
       d_step {
         remember;
         retries--;
         isPressed = true;
         if
#ifdef M_RETRYLATE
         :: until != NONE
#else
         :: until != NONE -> at = least(at, now)
#endif
         :: else -> wanted++; at = now
         fi;
         tell("retry")
       }
     }
#endif
#if GIVEUPS > 0
  :: atomic {
       giveUps > 0 && exists && (isHeld || isWaiting && hasFailed) ->
       printf("given up\n");
       d_step {
         remember;
         giveUps--;
         noteGivenUp();
         if
         :: isHeld -> isCancelled = true
#ifdef M_GIVENUPLASTS
         :: else -> hasFailed = false
#else
         :: else -> endWaiting()
#endif
         fi;
         tell("cancel")
       }
     }
#endif
#if ASKS > 0
  :: atomic {
       asks > 0 && exists && !isRemoved ->
       printf("asked\n");
       d_step {
         remember;
         asks--;
         wanted++;
         if :: until == NONE || token > 0 -> at = least(at, now) :: else fi;
         tell("ask")
       }
     }
#endif
#if WITHDRAWS > 0
  :: atomic {
       withdraws > 0 && exists && !isRemoved && wanted > 0 ->
       printf("withdrawn\n");
       d_step {
         remember;
         withdraws--;
         withdrawn = asked + wanted;
#ifndef M_WITHDRAWWAITS
         if :: isWaiting && hasFailed && failedAsked -> endWaiting() :: else fi;
#endif
#ifdef M_WITHDRAWFIRST
         asked++;
         wanted--;
#else
         asked = withdrawn;
         wanted = 0;
#ifndef M_WITHDRAWOUTDATED
         giveUpRetry();
#endif
#endif
         tell("withdraw")
       }
     }
#endif
#if PAUSES > 0
  :: atomic {
       pausings > 0 && exists && !isRemoved && !isPaused ->
       printf("job paused\n");
       d_step { remember; pausings--; isPaused = true; hasPausedJob = true; beginPause(OWN); tell("pause/j") }
     }
  :: atomic {
       exists && !isRemoved && isPaused ->
       printf("job resumed\n");
       d_step {
         remember;
         noteLeftOut(OWN);
         isPaused = false;
         hasPausedJob = false;
         resumedAt[OWN] = now;
         if
         :: until == NONE -> leaveOut(OWN); if :: bound == 0 -> clearPause() :: else -> bound = 0 fi
         :: until != NONE && now == 0 -> clearPause()
         :: else
         fi;
         tell("resume/j")
       }
     }
  :: atomic {
       pausings > 0 && !pauses[handler] ->
       printf("handler paused\n");
       d_step {
         remember;
         pausings--;
         pauses[handler] = true;
         beginPause(handler);
#ifdef M_PAUSELATER
         isHeldBack = exists;
#endif
         tellPause("pause")
       }
     }
  :: atomic {
       pausings > 0 && !pauses[2] ->
       printf("cluster paused\n");
       d_step { remember; pausings--; pauses[2] = true; beginPause(2); tellClusterPause("pause") }
     }
  :: atomic {
       pauses[handler] ->
       printf("handler resumed\n");
       d_step {
         remember;
         if :: exists -> noteLeftOut(handler) :: else fi;
         pauses[handler] = false;
         resumedAt[handler] = now;
#ifdef M_PAUSELATER
         isHeldBack = false;
#endif
#ifdef M_HANDLERRESUME
         isPaused = false;
#endif
         tellPause("resume")
       }
     }
  :: atomic {
       pauses[2] ->
       printf("cluster resumed\n");
       d_step {
         remember;
         if :: exists -> noteLeftOut(2) :: else fi;
         pauses[2] = false;
         resumedAt[2] = now;
         tellClusterPause("resume")
       }
     }
#endif
#if PUTS > 0
#ifndef ONCE
  :: atomic { changes > 0 && text == 0 -> changes--; put(1, handler, payload); printf("put with another schedule\n") }
#endif
  :: atomic { changes > 0 && exists -> changes--; put(text, 1 - handler, payload); printf("put with another handler\n") }
  :: atomic { changes > 0 && exists -> changes--; put(text, handler, 1 - payload); printf("put with another payload\n") }
#endif
#if REMOVES > 0
  :: atomic {
       removes > 0 && exists && !isRemoved ->
       printf("removed\n");
       d_step {
         remember;
         removes--;
         if
         :: token > 0 -> isRemoved = true
         :: else ->
            if :: until != NONE -> account(from, until); from = until + 1 :: else fi;
            delete()
         fi;
         tell("remove")
       }
     }
#ifndef ONCE
  :: atomic { removes < REMOVES && (!exists || isRemoved) -> put(0, 0, 0); printf("put again\n") }
#endif
#endif
  od
}

#endif

proctype Time() {
end:
  do
#if BACK > 0
  /* A replica finds a clock that was set back, and claims, before the next date. */
  :: atomic { now < END && !isNews && !canClaim(0) && !canClaim(1) -> now++; printf("moment %d\n", now) }
#else
  :: atomic { now < END -> now++; leaves[0] = false; leaves[1] = false; printf("moment %d\n", now) }
#endif
#if BACK > 0
  :: atomic {
       backs > 0 && now >= 2 ->
       printf("the clock is set back\n");
       d_step {
         backs--;
         now = now - 2;
         isNews = true
       }
     }
#endif
  od
}

/* MARK: What must hold when nothing can go on */

#ifdef UNREAD
#define canRead(r) (r == 1 || text == 0)
#else
#define canRead(r) true
#endif
#define isRunnable (handles(0) && canRead(0) || handles(1) && canRead(1))
#define isStopped (isPaused || pauses[handler] || pauses[2])

proctype Observer() {
end:
  atomic {
    timeout ->
    assert(mine[0] == 0 && mine[1] == 0);
    assert(!exists || !isDoneLast || wanted > 0);
    if
    :: exists && isRunnable && !isStopped ->
       assert(!isRemoved && token == 0 && at > now && !isPressed);
       assert(wanted == 0 || until != NONE);
       /* No attempt waits that isn't begun any more, nor do dates for its back-off. */
       assert(!isOutdated);
       assert(until == NONE || !isCancelled && (!failedAsked || wanted > 0));
       x = 1;
       do
       :: x <= LAST && x <= now ->
          assert(!has(text, x) || isAccounted[x] || x <= floor || until != NONE || x >= at);
          x++
       :: else -> break
       od;
       /* A date to come is accounted for only by its record. */
       x = now + 2;
       do
       :: x < from && x <= LAST && until == NONE && at != NEVER -> assert(isRecorded[x]); x++
       :: else -> break
       od;
       x = 0
    :: else
    fi
  }
}

init {
  atomic {
    run Replica(0);
    run Replica(1);
#ifdef OPERATOR
    run Operator();
#endif
    run Time();
    run Observer()
  }
}
