/* SPDX-License-Identifier: MIT */
/* Many questions: the front of steps and rounds. */
#include "lib/base/grow.h"
#include "lib/base/process.h"
#include "lib/child/child.h"
#include "lib/synthesis/solver.h"
#include "lib/synthesis/synthesis.h"
#include <stdlib.h>
#include <string.h>

/* For each number of steps and of chunks the rounds go down from the best ratio so far until there is no schedule.
 * Fewer rounds are then impossible, too, so one proof closes a number of chunks.  Further proofs follow: a schedule of
 * C' chunks in R' rounds, done j times in parallel, is one of j·C' chunks in j·R' rounds, and some chunks can be left
 * out; so where C chunks in R rounds are impossible, C' in R' are if j·C' ≥ C and j·R' ≤ R for some j. */

enum { FURTHER_STEPS = 4, MAX_JOBS = 64, MIN_SECONDS = 1 };

struct front_search {
    struct peal_synthesis asked;
    const struct peal_front_limits *limits;
    const struct peal_synthesis_effort *effort;
    struct peal_front *front;
    struct peal_error *error;
    int unit; /* steps and rounds come in multiples of it: 2 for an all-reduce */
};

/* A worker that answers a question. */
struct front_job {
    struct peal_synthesis_question question;
    const struct front_search *search;
    struct child child;
};

void
peal_front_fini(struct peal_front *front)
{
    for (size_t i = 0; i < front->point_count; i++)
        free(front->points[i].moves);
    free(front->points);
    free(front->questions);
    *front = (struct peal_front){0};
}

static bool
front_search_is_over(const struct front_search *search)
{
    return deadline_is_over(&search->effort->deadline);
}

/* ------------------------------------------------------------------ one question, in this process or another */

static enum peal_status
answer_here(const struct front_search *search, struct peal_synthesis_question *question, struct peal_error *error)
{
    struct peal_synthesis asked = search->asked;
    struct peal_synthesis_effort effort = *search->effort;
    double *end = &effort.deadline.end, now = seconds_now(), half = (*end - now) / 2;

    if (*end > 0 && half > MIN_SECONDS)
        *end = now + half;
    asked.chunks = question->chunks;
    asked.steps = question->steps;
    asked.rounds = question->rounds;
    return peal_synthesize(&asked, &effort, &question->answer, error);
}

static int
answer_in_child(void *arg, struct child *child)
{
    struct front_job *job = arg;
    struct peal_error error = {PEAL_OK, ""};
    struct peal_synthesized *answer = &job->question.answer;
    const int to = child->report.to;

    error.status = answer_here(job->search, &job->question, &error);
    return peal_write_whole(to, &error, sizeof error) && peal_write_whole(to, answer, sizeof *answer) &&
                   peal_write_whole(to, answer->moves, answer->move_count * sizeof *answer->moves)
               ? 0
               : PEAL_RESOURCES;
}

static enum peal_status
job_start(const struct front_search *search, struct front_job *job)
{
    struct child_setup setup = {.what = "the synthesis", .body = answer_in_child, .arg = job};

    job->search = search;
    return peal_child_start(&job->child, &setup, search->error);
}

static enum peal_status
job_end(struct front_job *job, struct peal_error *error)
{
    struct peal_synthesized *answer = &job->question.answer;
    struct peal_error reported = {PEAL_RESOURCES, "a process of the synthesis ended without an answer"};
    char *text = job->child.report.text;
    const size_t bytes = job->child.report.bytes, head = sizeof reported + sizeof *answer;

    peal_child_end(&job->child);
    answer->move_count = 0;
    if (bytes >= head) {
        memcpy(answer, text + sizeof reported, sizeof *answer);
        answer->moves = NULL;
        if (bytes == head + answer->move_count * sizeof *answer->moves)
            memcpy(&reported, text, sizeof reported);
        if (reported.status == PEAL_OK && answer->move_count > 0) {
            memmove(text, text + head, bytes - head);
            answer->moves = (void *)text;
            text = NULL;
        }
    }
    free(text);
    return reported.status == PEAL_OK ? PEAL_OK : peal_refuse(error, reported.status, "%s", reported.text);
}

/* ------------------------------------------------------------------ earlier answers */

static bool
is_none(const struct peal_synthesized *answer)
{
    return answer->verdict == PEAL_SYNTHESIS_CUT || answer->verdict == PEAL_SYNTHESIS_PROOF;
}

/* Whether an earlier answer rules this out. */
static bool
is_ruled_out(const struct peal_front *front, int chunks, int steps, int rounds)
{
    for (size_t i = 0; i < front->question_count; i++) {
        const struct peal_synthesis_question *known = &front->questions[i];

        if (!is_none(&known->answer) || known->steps < steps)
            continue;
        if (known->rounds == PEAL_SYNTHESIS_ANY)
            return true;
        int times = (known->chunks + chunks - 1) / chunks; /* the least j with j·C' ≥ C */

        if (times * rounds <= known->rounds)
            return true;
    }
    return false;
}

/* Whether other answers make this question needless. */
static bool
is_settled(const struct peal_front *front, const struct peal_synthesis_question *question)
{
    const bool any = question->rounds == PEAL_SYNTHESIS_ANY;

    for (size_t i = 0; i < front->point_count; i++) {
        const struct peal_synthesis_point *point = &front->points[i];

        if (point->moves && point->steps <= question->steps &&
            (any || (int64_t)point->rounds * question->chunks <= (int64_t)question->rounds * point->chunks))
            return true;
    }
    for (size_t i = 0; i < front->question_count && any; i++)
        if (is_none(&front->questions[i].answer) && front->questions[i].rounds == PEAL_SYNTHESIS_ANY &&
            front->questions[i].steps >= question->steps)
            return true;
    return !any && is_ruled_out(front, question->chunks, question->steps, question->rounds);
}

/* Note which questions are open. */
static void
front_search_end(struct front_search *search)
{
    struct peal_front *front = search->front;

    front->late = front_search_is_over(search);
    for (size_t i = 0; i < front->question_count; i++) {
        struct peal_synthesis_question *question = &front->questions[i];

        question->open = question->answer.verdict == PEAL_SYNTHESIS_UNKNOWN && !is_settled(front, question);
        front->late = front->late || question->open;
    }
}

static enum peal_status
front_search_record(struct front_search *search, struct peal_synthesis_question *question)
{
    struct peal_front *front = search->front;

    if (search->limits->tell)
        search->limits->tell(question, search->limits->context);
    if (!grow_by_one(&front->questions, front->question_count, sizeof *question))
        return peal_refuse(search->error, PEAL_RESOURCES, "no memory for the questions");
    front->questions[front->question_count] = *question;
    front->questions[front->question_count++].answer.moves = NULL;
    return PEAL_OK;
}

/* Take the moves of an answer as the point, if it is better. */
static void
front_point_improve(struct peal_synthesis_point *point, struct peal_synthesis_question *question)
{
    struct peal_synthesized *answer = &question->answer;

    if (answer->verdict == PEAL_SYNTHESIS_HERE &&
        (point->chunks == 0 || (int64_t)answer->rounds * point->chunks < (int64_t)point->rounds * question->chunks)) {
        free(point->moves);
        *point = (struct peal_synthesis_point){.chunks = question->chunks,
                                               .steps = answer->steps,
                                               .rounds = answer->rounds,
                                               .closed = true,
                                               .moves = answer->moves,
                                               .move_count = answer->move_count};
    } else {
        free(answer->moves);
    }
    answer->moves = NULL;
}

/* Ask several questions, as many at a time as there are jobs; each answer goes to the point. */
static enum peal_status
front_search_ask(struct front_search *search, struct front_job *jobs, int count, struct peal_synthesis_point *point)
{
    enum peal_status status = PEAL_OK;

    if (count == 1) {
        status = answer_here(search, &jobs[0].question, search->error);
        if (status == PEAL_OK)
            status = front_search_record(search, &jobs[0].question);
        front_point_improve(point, &jobs[0].question);
        return status;
    }
    int started = 0;

    while (started < count && (status = job_start(search, &jobs[started])) == PEAL_OK)
        started++;
    for (int left = started; left > 0;) {
        peal_child_attend();
        left = 0;
        for (int i = 0; i < started; i++) {
            left += !jobs[i].child.over;
            if (!jobs[i].child.over && deadline_is_over(&search->effort->deadline))
                kill(jobs[i].child.process, SIGTERM); /* it then answers that it has not decided */
        }
    }
    for (int i = 0; i < started; i++) {
        enum peal_status ended = job_end(&jobs[i], status == PEAL_OK ? search->error : NULL);

        status = status == PEAL_OK ? ended : status;
        if (ended == PEAL_OK && status == PEAL_OK)
            status = front_search_record(search, &jobs[i].question);
        if (ended == PEAL_OK)
            front_point_improve(point, &jobs[i].question);
    }
    return status;
}

/* ------------------------------------------------------------------ the front */

/* The most rounds of C chunks that are below the point's ratio; 0 where the cut forbids any. */
static int
next_rounds(const struct front_search *search, const struct peal_synthesis_point *point, int chunks)
{
    int64_t below = ((int64_t)point->rounds * chunks + point->chunks - 1) / point->chunks - 1;
    int rounds = (int)(below - below % search->unit);
    const struct peal_synthesis_cut *cut = &search->front->cut;

    if (search->front->has_cut && (uint64_t)(rounds / search->unit) * cut->each_round < cut->chunks * (uint64_t)chunks)
        return 0;
    return rounds > 0 ? rounds : 0;
}

/* Lower the point's ratio as far as possible in `steps` steps. */
static enum peal_status
lower(struct front_search *search, int steps, struct peal_synthesis_point *point)
{
    int most = search->limits->chunks, *stuck = calloc((size_t)most + 1, sizeof *stuck);
    int jobs = search->limits->jobs < 1 ? 1 : search->limits->jobs > MAX_JOBS ? MAX_JOBS : search->limits->jobs;
    struct front_job job[MAX_JOBS];
    enum peal_status status =
        stuck ? PEAL_OK : peal_refuse(search->error, PEAL_RESOURCES, "no memory for the questions");

    while (status == PEAL_OK && !front_search_is_over(search)) {
        int count = 0;

        for (int chunks = 1; chunks <= most && count < jobs; chunks++) {
            int rounds = next_rounds(search, point, chunks);

            if (rounds == 0 || stuck[chunks] >= rounds || is_ruled_out(search->front, chunks, steps, rounds))
                continue;
            job[count++] = (struct front_job){.question = {.chunks = chunks, .steps = steps, .rounds = rounds}};
        }
        if (count == 0)
            break;
        status = front_search_ask(search, job, count, point);
        for (int i = 0; i < count && status == PEAL_OK; i++)
            if (job[i].question.answer.verdict == PEAL_SYNTHESIS_UNKNOWN)
                stuck[job[i].question.chunks] = job[i].question.rounds;
    }
    for (int chunks = 1; chunks <= most && status == PEAL_OK; chunks++) {
        int rounds = next_rounds(search, point, chunks);

        if (rounds > 0 && !is_ruled_out(search->front, chunks, steps, rounds))
            point->closed = false;
    }
    free(stuck);
    return status;
}

static enum peal_status
add_point(struct front_search *search, struct peal_synthesis_point *point)
{
    struct peal_front *front = search->front;

    /* after an undecided search, one with more steps may find a schedule of no more steps than that: it is better */
    while (front->point_count > 0 && front->points[front->point_count - 1].steps >= point->steps)
        free(front->points[--front->point_count].moves);
    if (!grow_by_one(&front->points, front->point_count, sizeof *point)) {
        free(point->moves);
        return peal_refuse(search->error, PEAL_RESOURCES, "no memory for the front");
    }
    front->points[front->point_count++] = *point;
    return PEAL_OK;
}

/* Find the least number of steps, in any number of rounds, for one chunk: schedules of several contain one of one. */
static enum peal_status
find_least(struct front_search *search, struct peal_synthesis_point *point, bool *open)
{
    int most =
        search->limits->steps == PEAL_SYNTHESIS_ANY ? search->unit * PEAL_SYNTHESIS_NODES : search->limits->steps;
    enum peal_status status = PEAL_OK;

    *open = false;
    for (int steps = search->unit;
         steps <= most && point->chunks == 0 && status == PEAL_OK && !front_search_is_over(search);
         steps += search->unit) {
        struct front_job job = {.question = {.chunks = 1, .steps = steps, .rounds = PEAL_SYNTHESIS_ANY}};

        status = front_search_ask(search, &job, 1, point);
        *open = *open || (status == PEAL_OK && job.question.answer.verdict == PEAL_SYNTHESIS_UNKNOWN);
    }
    return status;
}

static enum peal_status
front_search_begin(struct front_search *search, const struct peal_synthesis *asked)
{
    struct peal_synthesis one = *asked;

    one.chunks = 1;
    one.steps = one.rounds = search->unit;
    *search->front = (struct peal_front){0};
    if (search->limits->chunks < 1)
        return peal_refuse(search->error, PEAL_USAGE, "expected at least 1 chunk, got %d", search->limits->chunks);
    search->front->has_cut = peal_synthesis_bound(&one, &search->front->cut);
    return PEAL_OK;
}

static bool
reaches_cut(const struct front_search *search, const struct peal_synthesis_point *point)
{
    const struct peal_synthesis_cut *cut = &search->front->cut;

    return search->front->has_cut &&
           (uint64_t)(point->rounds / search->unit) * cut->each_round == cut->chunks * (uint64_t)point->chunks;
}

static struct front_search
front_search_of(const struct peal_synthesis *asked, const struct peal_front_limits *limits,
                const struct peal_synthesis_effort *effort, struct peal_front *front, struct peal_error *error)
{
    return (struct front_search){*asked, limits, effort, front, error, asked->collective == PEAL_ALLREDUCE ? 2 : 1};
}

enum peal_status
peal_synthesis_front(const struct peal_synthesis *asked, const struct peal_front_limits *limits,
                     const struct peal_synthesis_effort *effort, struct peal_front *front, struct peal_error *error)
{
    struct peal_error own;
    struct front_search search = front_search_of(asked, limits, effort, front, error ? error : &own);
    struct peal_synthesis_point point = {0};
    bool open = false;
    enum peal_status status = front_search_begin(&search, asked);

    if (status == PEAL_OK)
        status = find_least(&search, &point, &open);
    int last = limits->steps != PEAL_SYNTHESIS_ANY ? limits->steps : point.steps + FURTHER_STEPS * search.unit;

    if (limits->least)
        last = point.steps;
    for (int steps = point.steps; status == PEAL_OK && point.chunks > 0 && steps <= last && !front->reached &&
                                  !(front_search_is_over(&search) && front->point_count > 0);
         steps += search.unit) {
        struct peal_synthesis_point next = {.chunks = point.chunks, .rounds = point.rounds, .closed = true};

        if (steps == point.steps && front->point_count == 0) {
            next = point;
            point.moves = NULL;
        }
        status = lower(&search, steps, &next);
        next.closed = next.closed && !(open && front->point_count == 0);
        front->reached = reaches_cut(&search, &next);
        if (next.moves == NULL)
            continue; /* no better than with fewer steps */
        point.chunks = next.chunks;
        point.rounds = next.rounds;
        if (status == PEAL_OK)
            status = add_point(&search, &next);
        else
            free(next.moves);
    }
    free(point.moves);
    front_search_end(&search);
    if (status != PEAL_OK)
        peal_front_fini(front);
    return status;
}

enum peal_status
peal_synthesis_beat(const struct peal_synthesis *asked, const struct peal_front_limits *limits,
                    const struct peal_synthesis_effort *effort, struct peal_front *front, struct peal_error *error)
{
    struct peal_error own;
    struct front_search search = front_search_of(asked, limits, effort, front, error ? error : &own);
    int same_steps = asked->steps - asked->steps % search.unit,
        fewer_steps = asked->steps - 1 - (asked->steps - 1) % search.unit;
    struct peal_synthesis_point fewer = {0}, same = {.chunks = asked->chunks,
                                                     .steps = asked->steps,
                                                     .rounds = asked->rounds,
                                                     .closed = true};
    enum peal_status status = front_search_begin(&search, asked);

    /* fewer steps in no more rounds: every ratio below one just above its own is a candidate */
    if (status == PEAL_OK && fewer_steps > 0) {
        fewer = (struct peal_synthesis_point){.chunks = asked->chunks * (limits->chunks + 1),
                                              .rounds = asked->rounds * (limits->chunks + 1) + 1,
                                              .closed = true};
        struct peal_synthesis_point any = {0};
        struct front_job job = {.question = {.chunks = 1, .steps = fewer_steps, .rounds = PEAL_SYNTHESIS_ANY}};

        status = front_search_ask(&search, &job, 1, &any); /* one proof for all rounds, if these steps are too few */
        free(any.moves);
        if (status == PEAL_OK)
            status = lower(&search, fewer_steps, &fewer);
    }
    if (status == PEAL_OK && fewer.moves)
        status = add_point(&search, &fewer);
    else if (status == PEAL_OK)
        same.closed = fewer_steps == 0 || fewer.closed;
    if (status == PEAL_OK && same_steps > fewer_steps)
        status = lower(&search, same_steps, &same);
    if (status == PEAL_OK)
        status = add_point(&search, &same); /* without moves: nothing beats it */
    front_search_end(&search);
    if (status != PEAL_OK)
        peal_front_fini(front);
    return status;
}
