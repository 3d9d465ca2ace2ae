/*
 * A cluster's store: is each date of a job run once, or accounted for in another way, whatever fails?
 *
 * Guarantees: G164
 *
 * Run by .ci/models. One job with the dates 1 to 3, two replicas, one store. Each request is one step of the store,
 * apart from the steps in which the replica sends it and receives the answer, so a replica may be stopped between any
 * two of them for longer than its lease. A moment is a third of a lease.
 *
 * THE PROTOCOL                                                    THE MODEL
 * the row of the job: definition, and what is due                 the variables from exists to number
 * the row of a session: lease, last number, over                  leaseEnd, lastNumber, isOver
 * claim: renews the session, takes rows that are due              claim, take
 * end: what became of a range of moments                          end_
 * renew: extends the session's lease                              renew
 * close: a session gives up what it holds                         close
 * register: the job's schedule, as the replica's program has it   register
 * pause, resume, remove, put                                      Operator
 * the replica: asks, runs, renews, is cut off, ends               Replica
 * which date of its range the holder runs                         choose
 *
 * `from` is the first moment that isn't accounted for, and never decreases. `at` is the moment from which the row may
 * be claimed: the next date, a retry's moment, or the moment of a change. A claim fixes the range from `from` to
 * `until`, the store's time, and a later attempt has the same range. The holder runs the newest date of the range or,
 * in a burst, the oldest that isn't older than `until` by more than the time to catch up. Its end accounts for the
 * moments up to there. Changes of the job write `floor` and `at`, and never the fields of a run.
 *
 * A pause leaves out its own moments. If the job was due before it, the next range ends with its beginning, and the row
 * keeps its moments until then.
 *
 * A claim has a number, with which it is sent again until it is answered. It then brings the same. A claim that was sent
 * once and brings nothing isn't numbered, as no copy of it is under way.
 *
 * THE PROPERTIES
 *   one holder    No row is taken from a replica that may still believe it holds it. A replica that is told that it
 *                 holds its row holds it.
 *   attempts      A date is begun at most ATT times if an attempt was abandoned, and at most RET times if they failed.
 *   asked         What was asked for is begun, each at most as often as a date, and nothing of it is left when nothing
 *                 can go on.
 *   accounted     Each moment is accounted for once, in order: as run, missed, or abandoned. What was begun isn't
 *                 missed.
 *   same answer   A numbered claim that is sent again brings what it brought before, unless its session is over.
 *   fenced        A run that isn't the row's writes nothing.
 *   owed          A pause leaves out no date from before it, and a schedule that is back none since it was changed.
 *   not early     No date is run before the store's clock shows it.
 *   not forgotten When nothing can go on, and a replica lives: no row is due, nor held by a session that is over, nor
 *                 by one of a living replica, which has no run then. So attempts that are left are used.
 *   gone          When nothing can go on, a removed job has no row, or a run that is still within its lease.
 *
 * THE BOUNDS. The moments up to END; LOSSES, DEATHS and so on are the numbers of such faults, at any point. A request is
 * lost after it was done, or is done later: a late copy that comes at any time. One that is never done is one that is
 * sent later. Renewals are lost without a limit. A replica is as slow as it likes. Where the replicas are alike, the one
 * that fails is the first.
 *
 * USED AGAIN. Tokens and sessions are compared for equality only, so their numbers are used again when nothing refers
 * to them; the numbers of claims begin again with each answer, and older copies get the number 0. The lease of a
 * session without a row is forgotten where nothing asks for it.
 *
 * ASKED. The row has a list of what was asked for, here its length. A range without a date is used for the first of it.
 *
 * LEFT OUT. Batches: the rows of one claim don't touch each other, except by their session, whose rows are all taken
 * over or all renewed. A retry's back-off of more than a moment. Which date was asked for. Handlers, which are like texts. Retention. That a
 * replica with a cancelled run that goes on claims other jobs. The time from a replica's last look at its clock to the
 * action's first step. The order of tokens. When replicas ask: each does at each moment, and after each change. The locks
 * within a database, by which each request is one step. An overlap after the store's clock was set ahead.
 * A store's clock that is set back by more than a second: rows that are accounted for beyond now then begin at now, and
 * dates that have a record end a range before them. `StoreClockTests` and the traces of `check` have it. That the range of a
 * job that was put has the handler and the payload of its first claim, and no other attempt after a put with others.
 *
 * THE SAME IN THE CODE. With -DTELL the model prints each step of the store once. All of them are in
 * cluster-transitions.txt, and trace.py does them, too. In "2 1,2,-,0,0,0,0,.,free claim/0/0/0 new rows 1,2,2,1,0,0,0,.,this"
 * a claim with a new number takes the row at the moment 2. A row is from, at, until, attempt, floor, text, fixedBy,
 * Paused, Removed or Locked, with the beginning and the end of its pause, and who holds it: this claim, the sender's own session, one that is over, or another with
 * the time that is left to its lease. A request has the sender's text, what it says, and the date.
 *
 * SWITCHES
 *   ATT=n       how often a date may be begun: 1 is .leave, 2 is .runAgain(attempts: 2)
 *   BURST       .missedTicks(.burst), with a time to catch up of one moment
 *   LOSSES=n    requests and answers that are lost or late
 *   DEATHS=n    replicas that die, at any point
 *   FAILS=n     runs that fail and are tried again a moment later
 *   RET=n       how often a date may be begun if its attempts have failed and none was abandoned, ATT unless given
 *   ASKS=n      runs that an operator asks for: now, of a date again, or of a range
 *   USER        the action ends its run within a transaction of its own, which is committed or rolled back
 *   REFUSE=n    ends that the store refuses for good, as it can't hold a text
 *   LOCKS=n     locks that others hold on the row, for any time
 *   BACK=n      the store's clock is set back by two moments
 *   AHEAD=n     the store's clock is set ahead by two moments, which may let runs overlap, as nothing can know
 *   PAUSES=n    an operator pauses the job, and may resume it
 *   REMOVALS=n  an operator removes the job, and may put it again, with another schedule if there are VERSIONS
 *   VERSIONS    the second replica has a version of the program that has the dates 1 and 3
 *   DRAINS=n    replicas that are shut down: they end their runs and give up their sessions
 *   END=n       the last moment
 *   TELL        prints the store's steps
 *   M_...       a mutant, which must break a property; see .ci/models
 */
#ifndef ATT
#define ATT 1
#endif
#ifndef END
#define END 6
#endif
#ifndef DATES
#define DATES 3
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef FAILS
#define FAILS 0
#endif
#ifndef RET
#define RET ATT
#endif
#ifndef ASKS
#define ASKS 0
#endif
#ifndef REFUSE
#define REFUSE 0
#endif
#ifndef LOCKS
#define LOCKS 0
#endif
#ifndef BACK
#define BACK 0
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#ifndef PAUSES
#define PAUSES 0
#endif
#ifndef REMOVALS
#define REMOVALS 0
#endif
#ifndef DRAINS
#define DRAINS 0
#endif
#if PAUSES > 0 || REMOVALS > 0 || LOCKS > 0 || ASKS > 0
#define OPERATOR
#endif

#define LEASE 3
#define CUT 2
#define CATCHUP 1
#define NEVER 14
#define NONE 15

/* The time of the replicas, which is never set, and that of the store. */
byte elapsed, now;

/* The job and what is due of it. `fixedBy` is the text of the schedule by which the range was fixed. */
bool exists = true;
bool isRemoved, isPaused, isLocked;
/* The beginning of the job's pause, and its end as long as the row keeps them. */
byte pausedAt, resumedAt;
bit text, fixedBy;
byte floor;
byte from = 1, at = 1, until = NONE;
byte attempt, token, session, number;
/* Whether an attempt of the range was abandoned, and how many runs were asked for. */
bool isLost;
byte wanted;

/* The sessions. At most four are referred to: two of replicas, that of the row, that of a late copy. */
#define SESSIONS 4
byte leaseEnd[SESSIONS], lastNumber[SESSIONS];
bool isOver[SESSIONS];

/* The replicas: session, number of the next claim, whether its answer is missing, token of the run, its end by the
   replica's own clock, and whether there is nothing to ask for. */
byte sessionOf[2], next[2], held[2], deadline[2];
bool isOpen[2], isRunning[2], waits[2], isDead[2];

/* A request that will be done late. */
#define CLAIM 1
#define ENDING 2
byte lateKind, lateSession, lateNumber, lateToken, lateOutcome, lateDate;
bit lateReplica;
bool lateIsAgain;

/* For the properties: what became of each moment, how often each date was begun, whether a token's end was written, and
   what the open claim of each replica has brought. */
#define OPEN 0
#define RUN 1
#define MISSED 2
#define ABANDONED 3
byte accounted[DATES + 1], begun[DATES + 1];
byte endedTokens;
/* Whether an attempt of a date that was begun was abandoned, and how many runs that were asked for were begun and
   accounted for. */
bool wasCutOff[DATES + 1];
byte askedBegun, askedEnded;
byte brought[2], broughtToken[2];

byte losses = LOSSES, deaths = DEATHS, fails = FAILS, refusals = REFUSE, locks = LOCKS;
byte asks = ASKS, back = BACK, ahead = AHEAD, pauses = PAUSES, removals = REMOVALS, drains = DRAINS;

/* What a step of the store answers. */
#define NOTHING 1
#define ROWS 2
#define OVER 3
#define OTHERS 4
#define UNSERVED 5
#define WRITTEN 6
#define BEFORE 7
#define REFUSED 8
#define NOTHING_THEN 9
byte reply, x, y;

#ifdef VERSIONS
#define textOf(r) r
#define has(schedule, moment) (moment == 1 || moment == 2 && schedule == 0 && DATES >= 2 || moment == 3 && DATES >= 3)
#else
#define textOf(r) 0
#define has(schedule, moment) (moment >= 1 && moment <= DATES)
#endif
/* Where replicas are alike, the one that dies is the first; if none dies, the one that loses something is. */
#ifdef VERSIONS
#define mayDie(r) true
#define mayLose(r) true
#else
#define mayDie(r) (r == 0)
#if DEATHS + DRAINS > 0
#define mayLose(r) true
#else
#define mayLose(r) (r == 0)
#endif
#endif
#define least(a, b) (a < b -> a : b)
#define greatest(a, b) (a > b -> a : b)

#ifdef TELL
#include "tell.pml"
hidden byte tellSession, tellNumber, tellToken, tellText, tellWhat, tellDate;
c_code {
  static char old_row[80], old_view[40];
  static int old_now;

  static void describe_row(char *text) {
    char until[8] = "-", held[16] = "free", pause[16] = "";
    if (!now.exists) { strcpy(text, "none"); return; }
    if (now.until != 15) sprintf(until, "%d", now.until);
    if (now.token) {
      if (tellToken ? now.token == tellToken : tellSession < 4 && now.session == tellSession)
        strcpy(held, !tellToken && now.number == tellNumber ? "this" : "own");
      else if (now.isOver[now.session]) strcpy(held, "over");
      else sprintf(held, "left%d", now.leaseEnd[now.session] - now.now);
    }
    if (now.isPaused) sprintf(pause, "%d/-", now.pausedAt);
    else if (now.resumedAt) sprintf(pause, "%d/%d", now.pausedAt, now.resumedAt);
    sprintf(text, "%d,%d,%s,%d,%d,%d,%d,%s%s%s%s,%s", now.from, now.at, until, now.attempt, now.floor, now.text, now.fixedBy,
      now.isPaused ? "P" : "", now.isRemoved ? "R" : "", now.isLocked ? "L" : ".", pause, held);
  }

  static void store_old(void) {
    old_now = now.now;
    describe_row(old_row);
    if (tellToken) strcpy(old_view, now.endedTokens & (1 << tellToken) ? "ended" : "open");
    else if (tellSession > 3) strcpy(old_view, "-");
    else if (now.isOver[tellSession]) strcpy(old_view, "over");
    else strcpy(old_view, tellNumber > now.lastNumber[tellSession] ? "new" : tellNumber == now.lastNumber[tellSession] ? "again" : "late");
  }

  static void print_step(const char *request) {
    static const char *const replies[] = {"-", "nothing", "rows", "over", "others", "unserved", "written", "before", "refused", "then"};
    char row[80], line[300];
    describe_row(row);
    sprintf(line, "= %d %s %s/%d/%d/%d %s %s %s", old_now, old_row, request, tellText, tellWhat, tellDate, old_view,
      replies[now.reply], row);
    print_once(line);
  }
}
#define rememberRequest(s, n, t, schedule, outcome, moment) \
  tellSession = s; tellNumber = n; tellToken = t; tellText = schedule; tellWhat = outcome; tellDate = moment; \
  c_code { store_old(); }
#define tell(request) c_code { print_step(request); }
#else
#define rememberRequest(s, n, t, schedule, outcome, moment) skip
#define tell(request) skip
#endif

/* MARK: The store */

inline wakeAll() { waits[0] = false; waits[1] = false }

/* The moments from `first` to `last` get what became of `date`, and the others `rest`. */
inline account(first, last, date, result, rest) {
  x = first;
  do
  :: x <= last && x <= DATES ->
     assert(accounted[x] == OPEN && (x == 1 || accounted[x - 1] != OPEN));
     accounted[x] = (x == date -> result : rest);
     assert(accounted[x] != MISSED || begun[x] == 0);
     assert(accounted[x] != RUN || begun[x] > 0);
     x++
  :: else -> break
  od;
  x = 0
}

#define isReferred(s) (s == sessionOf[0] || s == sessionOf[1] || token > 0 && s == session || \
  lateKind == CLAIM && s == lateSession)

inline forgetSessions() {
  x = 0;
  do
  :: x < SESSIONS ->
     if :: !isReferred(x) -> leaseEnd[x] = 0; lastNumber[x] = 0; isOver[x] = false :: else fi;
#ifndef VERSIONS
     if :: token == 0 || x != session -> leaseEnd[x] = 0 :: else fi;
#endif
     x++
  :: else -> break
  od;
  x = 0
}

inline clearRun() {
  token = 0;
  session = 0;
  number = 0;
  forgetSessions()
}

inline clearPause() {
  pausedAt = 0;
  resumedAt = 0
}

inline clearRange() {
  until = NONE;
  attempt = 0;
  isLost = false;
  fixedBy = 0
}

/* A row of which nothing is left to know. */
inline delete() {
  exists = false;
  isRemoved = false;
  isPaused = false;
  clearPause();
  clearRun();
  clearRange();
  at = 0;
  wanted = 0;
  floor = 0
}

#define isReferredToken(t) (t == token || t == held[0] || t == held[1] || t == broughtToken[0] || \
  t == broughtToken[1] || lateKind == ENDING && t == lateToken)

/* Whether the job was due before its pause. */
#ifdef M_OWED
#define isOwed false
#else
#define isOwed (at <= pausedAt && from <= pausedAt && floor < pausedAt)
#endif

/* Leaves out the dates of a pause that has ended, before a range begins, or keeps them for the range after it. */
inline leaveOut() {
  if
  :: resumedAt > 0 && resumedAt < from -> clearPause()
  :: resumedAt >= from && resumedAt > 0 && !isOwed ->
     x = from;
     do
     :: x <= pausedAt && x <= DATES -> assert(x <= floor || !has(text, x)); x++
     :: else -> break
     od;
     x = 0;
     floor = greatest(floor, resumedAt);
     clearPause()
  :: else
  fi
}

/* The range of a claim, and its token. */
inline take(s, n, schedule) {
  if
  :: until == NONE ->
     leaveOut();
     /* A floor in the future, after the clock was set back, ends now. */
     y = least(floor, now);
     if :: y >= from -> account(from, y, 0, MISSED, MISSED); from = y + 1 :: else fi;
     y = 0;
     floor = 0;
     until = greatest((resumedAt > 0 -> least(now, pausedAt) : now), from - 1);
     attempt = 1;
     fixedBy = schedule
  :: else ->
     attempt++;
     if
     :: token > 0 ->
        isLost = true;
        x = from;
        do
        :: x <= until && x <= DATES -> wasCutOff[x] = wasCutOff[x] || begun[x] > 0; x++
        :: else -> break
        od;
        x = 0
     :: else
     fi
#ifdef M_RANGE
     ; until = greatest(now, from - 1)
#endif
  fi;
  x = 1;
  do :: isReferredToken(x) -> x++ :: else -> break od;
  token = x;
  x = 0;
  endedTokens = endedTokens & ~(1 << token);
  session = s;
  number = n;
  leaseEnd[s] = now + LEASE;
  reply = ROWS
}

/* Ends the session of the row if its lease has ended, and cuts a lease that reaches too far, as the clock was set back. */
inline judgeHolder(s) {
  if
  :: token > 0 && session != s && !isOver[session] ->
     if
     :: leaseEnd[session] <= now -> isOver[session] = true
#ifndef M_LONGLEASE
     :: leaseEnd[session] > now + LEASE -> leaseEnd[session] = now + LEASE
#endif
     :: else
     fi
  :: else
  fi
}

#ifdef M_NOTOVER
#define isLeft(s) (session != s && leaseEnd[session] <= now)
#else
#define isLeft(s) isOver[session]
#endif

/* Whether the session of a replica lives, as far as the store knows. */
#define isLive(r) (!isOver[sessionOf[r]] && leaseEnd[sessionOf[r]] > now)

inline claim(s, n, r, isAgain) {
  d_step {
    rememberRequest(s, n, 0, textOf(r), 0, 0);
    reply = NOTHING;
    if
    :: isOver[s] -> reply = OVER
    :: !isOver[s] && n <= lastNumber[s] -> /* Repeated, or a late copy. */
       leaseEnd[s] = now + LEASE;
       if
#ifdef M_LOCKEDREPEAT
       :: n == lastNumber[s] && token > 0 && session == s && number == n && !isLocked -> reply = ROWS
#else
       :: n == lastNumber[s] && token > 0 && session == s && number == n -> reply = ROWS
#endif
       :: else -> reply = NOTHING_THEN
       fi
    :: else ->
       /* A claim that was sent once and brings nothing writes nothing of its session. */
       if
#ifndef M_EMPTYNUMBER
       :: isAgain -> leaseEnd[s] = now + LEASE; lastNumber[s] = n
#endif
       :: else
       fi;
#ifdef VERSIONS
       /* But that its replica lives. */
       leaseEnd[s] = now + LEASE;
#endif
#ifndef M_NOTOVER
       judgeHolder(s);
#endif
       if
       :: exists && !isLocked && isRemoved && token > 0 && isLeft(s) ->
          printf("  the row is removed, and its run abandoned\n");
          account(from, until, 0, ABANDONED, ABANDONED);
          from = until + 1;
          delete();
          wakeAll()
       :: exists && !isLocked && !isRemoved && !isPaused && text == textOf(r) &&
            (token == 0 && at <= now || token > 0 && isLeft(s)) ->
          /* Nobody who may still believe to hold the row has it. */
          assert(AHEAD > 0 || token == 0 || !isRunning[0] || held[0] != token || elapsed >= deadline[0]);
          assert(AHEAD > 0 || token == 0 || !isRunning[1] || held[1] != token || elapsed >= deadline[1]);
          lastNumber[s] = n;
          take(s, n, textOf(r))
#ifdef VERSIONS
       :: exists && !isRemoved && text != textOf(r) -> reply = OTHERS
#endif
       :: else
       fi;
       forgetSessions()
    fi;
#ifdef VERSIONS
#ifndef M_UNSERVED
    if
    :: reply == OTHERS && !isLive(1 - r) -> reply = UNSERVED
    :: else
    fi;
#endif
#endif
    tell("claim");
    /* A request of the replica's present session and number has brought this. */
    if
    :: s == sessionOf[r] && n == next[r] && isOpen[r] && reply != OVER ->
       y = (reply == ROWS -> ROWS : (n == lastNumber[s] -> NOTHING : 0));
       assert(brought[r] == 0 || brought[r] == y && (y == NOTHING || broughtToken[r] == token));
       brought[r] = y;
       broughtToken[r] = (reply == ROWS -> token : 0);
       y = 0
    :: else
    fi
  }
}

/* What an end says: `date` was run; the range has no date; attempts are used up; the range was fixed by another text; it
   is tried again; it was never begun. */
#define IS_RUN 1
#define IS_EMPTY 2
#define IS_ABANDONED 3
#define IS_FOREIGN 4
#define IS_RETRIED 5
#define IS_RELEASED 6
#define IS_ASKED 7

/* How often a range may be begun. */
#define limitOf(lost) (lost -> ATT : greatest(ATT, RET))

#ifdef M_ASKEDLATE
#define isAskedNext false
#else
#define isAskedNext (wanted > 0)
#endif
#define firstAfter(schedule, moment) \
  (moment < 1 && has(schedule, 1) -> 1 : (moment < 2 && has(schedule, 2) -> 2 : (moment < 3 && has(schedule, 3) -> 3 : NEVER)))

inline end_(t, what, date, r) {
  d_step {
    rememberRequest(SESSIONS, 0, t, textOf(r), what, date);
    if
#ifdef M_NOFENCE
    :: exists && token > 0 && !(endedTokens & (1 << t)) ->
#else
    :: exists && token == t ->
#endif
       assert(exists && token == t);
       reply = WRITTEN;
       endedTokens = endedTokens | (1 << t);
       if
       :: what == IS_RETRIED && !isRemoved -> at = now + 1; clearRun()
       :: what == IS_RELEASED && !isRemoved ->
          clearRun();
          attempt--;
#ifdef M_FORGETLOST
          isLost = false;
#endif
          if :: attempt == 0 -> clearRange() :: else fi
       :: else ->
          y = until;
          if
          :: what == IS_EMPTY || what == IS_ASKED || what == IS_RELEASED && attempt == 1 -> account(from, y, 0, MISSED, MISSED)
          :: what != IS_EMPTY && date == 0 -> account(from, y, 0, ABANDONED, ABANDONED)
          :: else ->
#ifdef BURST
             if :: !isRemoved -> y = date :: else fi;
#endif
             account(from, y, date, (what == IS_RUN || what == IS_RETRIED -> RUN : ABANDONED), MISSED)
          fi;
          from = y + 1;
          clearRun();
          clearRange();
#if ASKS > 0
          if
          :: (what == IS_ASKED || what == IS_ABANDONED && date == 0) && wanted > 0 ->
             askedEnded++;
#ifdef M_DROPASKED
             wanted = 0
#else
             wanted--
#endif
          :: else
          fi;
#endif
          if
          :: isRemoved -> delete()
          :: !isRemoved && text == textOf(r) -> at = firstAfter(text, y)
          :: else ->
             /* The next date isn't known. */
#ifdef M_CHANGEDNEXT
             at = firstAfter(textOf(r), y)
#else
             at = least(greatest(from, floor + 1), now)
#endif
          fi;
          if :: !isRemoved && isAskedNext -> at = least(at, now) :: else fi;
          y = 0
       fi;
       wakeAll()
    :: else -> reply = (endedTokens & (1 << t) -> BEFORE : REFUSED)
    fi;
    tell("end")
  }
}

/* The replica that is told that it holds its row holds it. */
inline renew(r) {
  d_step {
    if
#ifdef M_RENEWOVER
    :: true ->
#else
    :: !isOver[sessionOf[r]] ->
#endif
       leaseEnd[sessionOf[r]] = now + LEASE;
       reply = WRITTEN;
       assert(token == held[r] || endedTokens & (1 << held[r]))
    :: else -> reply = OVER
    fi
  }
}

inline close(r) {
  d_step {
    isOver[sessionOf[r]] = true;
    wakeAll()
  }
}

/* Sets the job. A row that was to go with its run stays, as that of a new job. */
inline setJob(schedule) {
  if
  :: !exists ->
     exists = true;
     if :: now >= from -> account(from, now, 0, MISSED, MISSED); from = now + 1 :: else fi;
     at = now
  :: else ->
     if :: isRemoved -> isRemoved = false; isPaused = false; clearPause(); wanted = 0 :: else fi;
     if :: resumedAt > 0 -> clearPause() :: else fi;
     floor = greatest(floor, now);
     at = least(at, now)
  fi;
  text = schedule;
  wakeAll()
}

/* A replica takes its schedule back if that of another version is no replica's any more. It owes the dates since then. */
inline register(schedule, resumes) {
  d_step {
    rememberRequest(SESSIONS, 0, 0, schedule, resumes, 0);
    if
#ifndef M_RESUMELATE
    :: resumes && exists && !isRemoved && text != schedule ->
       text = schedule;
       at = least(at, greatest(from, floor + 1));
       at = least(at, now);
       wakeAll();
       printf("schedule %d is back\n", schedule)
#endif
    :: !exists || isRemoved || text != schedule ->
       assert(!resumes || !exists || isRemoved || floor >= now);
#ifdef M_REGISTERRUN
       clearRange();
#endif
       setJob(schedule);
       printf("registered schedule %d\n", schedule)
    :: else
    fi;
    tell("register")
  }
}

/* MARK: A replica */

inline answered(r) {
  isOpen[r] = false;
  brought[r] = 0;
  broughtToken[r] = 0
}

/* Another session, if the run of the old one has returned. The old one is given up, if that request arrives. */
inline changeSession(r) {
  if :: close(r) :: skip fi;
  d_step {
    x = 0;
    do
    :: x == sessionOf[1 - r] || token > 0 && x == session || lateKind == CLAIM && x == lateSession -> x++
    :: else -> break
    od;
    assert(x < SESSIONS);
    sessionOf[r] = x;
    leaseEnd[x] = 0;
    lastNumber[x] = 0;
    isOver[x] = false;
    x = 0;
    next[r] = 1;
    answered(r);
    forgetSessions();
    waits[r] = false
  }
}

/* The next claim has the next number. The numbers begin again, as all copies of earlier claims are late for ever. */
inline countNumber(r) {
#ifdef M_EMPTYNUMBER
  next[r]++
#else
  if :: lateKind == CLAIM && lateSession == sessionOf[r] -> lateNumber = 0 :: else fi;
  if :: token > 0 && session == sessionOf[r] -> number = 0 :: else fi;
  lastNumber[sessionOf[r]] = 0;
  next[r] = 1
#endif
}

inline forget(r) {
  answer = 0;
  reply = 0;
  f = 0;
  u = 0;
  tries = 0;
  by = 0;
  lost = false;
  q = false;
  date = 0;
  what = 0;
  isAgain = false;
  asked = 0
}

inline receive(r) {
  answer = reply;
  reply = 0;
  if
  :: answer == ROWS ->
     f = from;
     u = until;
     tries = attempt;
     by = fixedBy;
     lost = isLost;
     q = wanted > 0;
     printf("replica %d: claim brings moments %d to %d, attempt %d\n", r, f, u, tries)
#ifdef M_OLDANSWER
  :: answer == NOTHING || answer == NOTHING_THEN || answer == OTHERS -> waits[r] = true
#else
  /* A repeated answer says what was due then, so the replica asks again. */
  :: answer == NOTHING || answer == OTHERS -> waits[r] = true
#endif
  :: else
  fi
}

inline stopRun(r) {
  isRunning[r] = false;
  held[r] = 0;
  deadline[r] = 0
}

/* Which date of its range a holder runs, and what it does if there is none. */
#ifdef M_NOWCHOICE
#define judgedAt now
#else
#define judgedAt u
#endif
inline choose(r) {
  d_step {
    x = f;
    do
    :: x <= judgedAt && x <= DATES ->
#ifdef BURST
       if :: has(textOf(r), x) && date == 0 && x + CATCHUP >= judgedAt -> date = x :: else fi;
#else
       if :: has(textOf(r), x) -> date = x :: else fi;
#endif
       x++
    :: else -> break
    od;
    x = 0;
    if
#ifndef M_FOREIGN
    :: by != textOf(r) -> what = IS_FOREIGN; date = 0
#endif
    :: else ->
       if
       :: date == 0 && !q -> what = IS_EMPTY
       :: date == 0 && q && tries <= limitOf(lost) -> what = IS_ASKED
       :: tries > limitOf(lost) && (date > 0 || q) -> what = IS_ABANDONED
       :: else -> what = IS_RUN
       fi
    fi
  }
}

inline die(r) {
  atomic {
    deaths > 0 && mayDie(r) ->
    printf("replica %d dies\n", r);
    deaths--;
    isDead[r] = true;
    stopRun(r);
    answered(r);
    forget(r);
    goto gone
  }
}

proctype Replica(bit r) {
  byte asked, answer, f, u, tries, date, what;
  bit by;
  bool isDraining, isAgain, lost, q;
#ifdef VERSIONS
  if :: atomic { r == 1 -> register(1, 0); leaseEnd[sessionOf[1]] = now + LEASE } :: r == 0 fi;
#endif
endIdle:
  if
#ifdef M_WATCHDATES
  :: atomic { isOpen[r] || !waits[r] && !isDraining && token == 0 && at <= now -> isAgain = isOpen[r]; isOpen[r] = true; asked = elapsed }
#else
  :: atomic { isOpen[r] || !waits[r] && !isDraining -> isAgain = isOpen[r]; isOpen[r] = true; asked = elapsed }
#endif
#if DRAINS > 0
  :: atomic { drains > 0 && (DEATHS > 0 || mayDie(r)) -> drains--; isDraining = true; goto endIdle }
  :: atomic {
       isDraining && !isOpen[r] ->
       printf("replica %d has shut down\n", r);
       isDead[r] = true;
       isDraining = false;
       if :: close(r) :: skip fi;
       goto gone
     }
#endif
#if DEATHS > 0
  :: die(r)
#endif
  fi;

  /* The claim, at the store. An answer without rows changes nothing but the replica, so it arrives at once. */
  if
  :: atomic {
       claim(sessionOf[r], next[r], r, isAgain);
       receive(r);
       if
       :: answer == ROWS
       :: answer == OVER -> printf("replica %d: session is over\n", r); changeSession(r); forget(r); goto endIdle
#ifdef VERSIONS
       :: answer == UNSERVED ->
          printf("replica %d: no replica has the schedule, registers its own\n", r);
          answered(r);
          countNumber(r);
          forget(r);
          register(textOf(r), 1);
          goto endIdle
#endif
       :: else -> answered(r); countNumber(r); forget(r); goto endIdle
       fi
     }
#if LOSSES > 0
  :: atomic {
       losses > 0 && mayLose(r) ->
       losses--;
       claim(sessionOf[r], next[r], r, isAgain);
       printf("replica %d: claim, its answer is lost\n", r);
       forget(r);
       goto endIdle
     }
  :: atomic {
       losses > 0 && mayLose(r) && lateKind == 0 ->
       printf("replica %d: claim, will be done late\n", r);
       losses--;
       lateKind = CLAIM;
       lateSession = sessionOf[r];
       lateNumber = next[r];
       lateReplica = r;
       lateIsAgain = isAgain;
       forget(r);
       goto endIdle
     }
#endif
#if DEATHS > 0
  :: die(r)
#endif
  fi;

  /* The answer, at the replica. */
  if
#ifndef M_FROMANSWER
  :: atomic { elapsed - asked >= CUT -> printf("replica %d: too late to begin\n", r); forget(r); goto endIdle }
  :: atomic {
       elapsed - asked < CUT ->
#else
  :: atomic {
#endif
       held[r] = broughtToken[r];
       answered(r);
       countNumber(r);
#ifdef M_FROMANSWER
       deadline[r] = elapsed + CUT;
#else
       deadline[r] = asked + CUT;
#endif
       answer = 0;
       choose(r);
#if DRAINS > 0
       if :: isDraining && (what == IS_RUN || what == IS_ASKED || what == IS_ABANDONED) -> what = IS_RELEASED :: else fi;
#endif
       if
       :: what != IS_RUN && what != IS_ASKED -> goto ending
       :: what == IS_ASKED ->
          askedBegun++;
          assert(askedBegun <= ASKS * greatest(ATT, RET));
          isRunning[r] = true
       :: else ->
          printf("replica %d: begins date %d, attempt %d\n", r, date, tries);
          begun[date]++;
          assert(begun[date] <= (wasCutOff[date] -> ATT : greatest(ATT, RET)));
          assert(date <= u && accounted[date] != MISSED);
          isRunning[r] = true
       fi
     }
#if DEATHS > 0
  :: die(r)
#endif
  fi;

running:
  if
  :: atomic {
       elapsed >= deadline[r] ->
       printf("replica %d: cut off\n", r);
       stopRun(r);
#ifdef M_KEEPSESSION
       waits[r] = false;
#else
       changeSession(r);
#endif
       forget(r);
       goto endIdle
     }
  :: atomic { elapsed > asked && elapsed < deadline[r] -> asked = elapsed };
     atomic { renew(r); answer = reply; reply = 0 };
     if
     :: atomic { answer == WRITTEN -> answer = 0; deadline[r] = greatest(deadline[r], asked + CUT); goto running }
     :: atomic {
          answer != WRITTEN ->
          printf("replica %d: renewal refused\n", r);
          stopRun(r);
          changeSession(r);
          forget(r);
          goto endIdle
        }
     :: atomic { elapsed >= deadline[r] -> answer = 0; goto running } /* The answer hasn't come in time. */
     fi
  :: atomic { if :: what != IS_ASKED -> what = IS_RUN :: else fi; isRunning[r] = false; goto ending }
#ifdef M_CLOSEEARLY
  :: atomic { drains > 0 -> drains--; close(r); printf("replica %d: gives up its session\n", r); goto running }
#endif
#if FAILS > 0
  :: atomic {
       fails > 0 && tries < limitOf(lost) && tries < greatest(RET, ATT) ->
       printf("replica %d: fails, and will be tried again\n", r);
       fails--;
       what = IS_RETRIED;
       isRunning[r] = false;
       goto ending
     }
#endif
#ifdef USER
  :: atomic { exists && token == held[r] && !isLocked -> isLocked = true; printf("replica %d: transaction ends its run\n", r) };
     if
     :: atomic {
          isLocked = false;
          end_(held[r], (what == IS_ASKED -> IS_ASKED : IS_RUN), date, r);
          printf("replica %d: transaction committed\n", r);
          assert(reply == WRITTEN);
          reply = 0;
          if :: what != IS_ASKED -> what = IS_RUN :: else fi;
          isRunning[r] = false;
          goto ending
        }
     :: atomic {
          isLocked = false;
          wakeAll();
          printf("replica %d: transaction rolled back\n", r);
#ifdef M_TRUSTFINISH
          stopRun(r);
          forget(r);
          goto endIdle
#else
          goto running
#endif
        }
     fi
#endif
#if DEATHS > 0
  :: die(r)
#endif
  fi;

ending:
  if
  :: atomic {
       !isLocked ->
       end_(held[r], what, date, r);
       if
       :: reply == REFUSED -> printf("replica %d: end refused\n", r); stopRun(r); changeSession(r)
       :: else -> printf("replica %d: ends, as %d\n", r, what); stopRun(r); waits[r] = false
       fi;
       forget(r);
       goto endIdle
     }
#if REFUSE > 0
  :: atomic {
       refusals > 0 ->
       printf("replica %d: the store refuses the end for good\n", r);
       refusals--;
       stopRun(r);
#ifdef M_KEEPREFUSED
       waits[r] = false;
#else
       changeSession(r);
#endif
       forget(r);
       goto endIdle
     }
#endif
#if LOSSES > 0
  :: atomic {
       losses > 0 && mayLose(r) && !isLocked ->
       losses--;
       end_(held[r], what, date, r);
       printf("replica %d: ends, the answer is lost\n", r);
       reply = 0;
       goto ending
     }
  :: atomic {
       losses > 0 && mayLose(r) && lateKind == 0 ->
       printf("replica %d: end, will be done late\n", r);
       losses--;
       lateKind = ENDING;
       lateToken = held[r];
       lateOutcome = what;
       lateDate = date;
       lateReplica = r;
       goto ending
     }
  /* It has tried for longer than its lease. */
  :: atomic { elapsed > deadline[r] -> stopRun(r); changeSession(r); forget(r); goto endIdle }
#endif
#if DEATHS > 0
  :: die(r)
#endif
  fi;
gone:
  skip
}

/* MARK: Late copies, operators and time */

inline clearLate() {
  d_step {
    lateKind = 0;
    lateSession = 0;
    lateNumber = 0;
    lateReplica = 0;
    lateIsAgain = false;
    lateToken = 0;
    lateOutcome = 0;
    lateDate = 0;
    reply = 0;
    forgetSessions()
  }
}

proctype Late() {
end:
  do
  :: atomic {
       lateKind == CLAIM ->
       claim(lateSession, lateNumber, lateReplica, lateIsAgain);
       printf("late claim done\n");
       clearLate()
     }
  :: atomic {
       lateKind == ENDING && !isLocked ->
       end_(lateToken, lateOutcome, lateDate, lateReplica);
       printf("late end done\n");
       clearLate()
     }
  od
}

#ifdef OPERATOR
inline remove() {
  d_step {
    rememberRequest(SESSIONS, 0, 0, 0, 0, 0);
    if
#ifndef M_REMOVERUN
    :: token > 0 -> isRemoved = true
#endif
    :: else ->
       if
       :: until != NONE -> account(from, until, 0, ABANDONED, ABANDONED); from = until + 1
       :: else
       fi;
       if :: now >= from -> account(from, now, 0, MISSED, MISSED); from = now + 1 :: else fi;
       delete()
    fi;
    tell("remove")
  }
}

inline put(schedule) {
  d_step {
    rememberRequest(SESSIONS, 0, 0, schedule, 0, 0);
    setJob(schedule);
    tell("put")
  }
}

proctype Operator() {
  bool isHolding;
end:
  do
#if PAUSES > 0
  :: atomic {
       pauses > 0 && exists && !isPaused && !isLocked ->
       d_step {
         rememberRequest(SESSIONS, 0, 0, 0, 0, 0);
         pauses--;
         isPaused = true;
         pausedAt = now;
         resumedAt = 0;
         tell("pause")
       };
       printf("paused\n")
     }
  :: atomic {
       isPaused && !isLocked ->
       d_step {
         rememberRequest(SESSIONS, 0, 0, 0, 0, 0);
         isPaused = false;
#ifdef M_RESUMERUN
         if :: token == 0 -> clearRange() :: else fi;
#endif
         resumedAt = now;
         if :: until == NONE -> leaveOut() :: else fi;
         if :: resumedAt == 0 -> clearPause() :: else fi;
         tell("resume");
         wakeAll()
       };
       printf("resumed\n")
     }
#endif
#if REMOVALS > 0
  :: atomic { removals > 0 && exists && !isRemoved && !isLocked -> removals--; remove(); printf("removed\n") }
  :: atomic { (!exists || isRemoved) && !isLocked -> put(0); printf("put again\n") }
#ifdef VERSIONS
  :: atomic { (!exists || isRemoved) && !isLocked -> put(1); printf("put again, changed\n") }
#endif
#endif
#if ASKS > 0
  :: atomic {
       asks > 0 && exists && !isRemoved && !isLocked ->
       d_step {
         asks--;
         wanted++;
         /* A retry keeps its moment. */
         if :: token == 0 && until != NONE :: else -> at = least(at, now) fi;
         wakeAll()
       };
       printf("asked\n")
     }
#endif
#if LOCKS > 0
  :: atomic { locks > 0 && exists && !isLocked -> locks--; isLocked = true; isHolding = true }
  :: atomic { isHolding -> isHolding = false; isLocked = false; wakeAll() }
#endif
  od
}
#endif

proctype Time() {
end:
  do
  :: atomic { elapsed < END -> elapsed++; now++; wakeAll(); printf("moment %d\n", elapsed) }
#if BACK > 0
  :: atomic { back > 0 && now >= 2 -> back--; now = now - 2; wakeAll(); printf("the clock is set back\n") }
#endif
#if AHEAD > 0
  :: atomic { ahead > 0 -> ahead--; now = now + 2; wakeAll(); printf("the clock is set ahead\n") }
#endif
  od
}

/* MARK: What must hold when nothing can go on */

#define isLeftBehind(r) (!isDead[r] && token > 0 && session == sessionOf[r])
#define isHeld (token > 0 && !isOver[session] && leaseEnd[session] > now && leaseEnd[session] <= now + LEASE)
#ifdef VERSIONS
/* The replica with the row's schedule has died, and its lease hasn't ended yet. */
#define isUnserved (isDead[text] && isLive(text))
#else
#define isUnserved false
#endif

proctype Observer() {
  byte i;
end:
  atomic {
    timeout ->
    assert(!isLeftBehind(0) && !isLeftBehind(1));
    if
    :: isDead[0] && isDead[1]
    :: !(isDead[0] && isDead[1]) && exists && !isHeld && !isUnserved && !(isPaused && !isRemoved) ->
       assert(!isRemoved);
       assert(token == 0 && at > now && (wanted == 0 || until != NONE));
#if ASKS > 0
       assert(REMOVALS > 0 || askedEnded + wanted == ASKS - asks);
#endif
       i = from;
       do
       :: i <= DATES && i <= now -> assert(!has(text, i) || i <= floor || until != NONE || i >= at); i++
       :: else -> break
       od
    :: else
    fi;
    i = 1;
    do
    :: i <= DATES -> assert((accounted[i] != OPEN) == (i < from)); i++
    :: else -> break
    od
  }
}

init {
  atomic {
    sessionOf[1] = 1;
    next[0] = 1;
    next[1] = 1;
    run Replica(0);
    run Replica(1);
    run Late();
#ifdef OPERATOR
    run Operator();
#endif
    run Time();
    run Observer()
  }
}
