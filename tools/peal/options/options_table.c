/* SPDX-License-Identifier: MIT */
/* The table of options. */
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "options/options_read.h"

/* ------------------------------------------------------------------ words that an option takes */

static const char *const switching_names[] = {"ideal", "wormhole", "store-forward", NULL};
static const char *const congestion_names[] = {"count", "volume", NULL};
static const char *const wake_names[] = {"one", "all", NULL};
static const char *const level_names[] = {"all", "summary", "none", NULL};
/* As typed; words that take a number after them are only for shells. */
static const char *const buffers_names[] = {"separate", "in-place", "both", NULL};
static const char *const delivery_names[] = {"rendezvous", "eager:", NULL};
static const char *const place_names[] = {"block", "cyclic", "random:", "file:", NULL};
static const char *const ports_names[] = {"all", NULL};
static const char *const carriers_names[] = {"auto", NULL};
static const char *const engine_names[] = {"threads", "fibers", "auto", "mpi", NULL};
static const char *const check_engine_names[] = {"threads", "fibers", "auto", NULL};
static const char *const solver_names[] = {"z3", "cvc5", NULL};
static const char *const lend_names[] = {"unlimited", NULL};
static const char *const clock_names[] = {"model", "host", NULL};
static const char *const compute_names[] = {"count", "measure", "sample", NULL};
static const char *const format_names[] = {"table", "osu", NULL};
static const char *const book_names[] = {"grama", NULL};
static const char *const allow_names[] = {"nothing", "leak", NULL};
static const char *const scaling_names[] = {"strong", "weak", NULL};
static const char *const run_execute_names[] = {"all", "none", NULL};
static const char *const execute_names[] = {"cheap", "all", "none", NULL};

/* ------------------------------------------------------------------ how a value is read */

/* A group is a member of the request, or a pointer to memory of its own; its struct bears its name. A member of a type
 * that the kind does not read fails to compile. */
#define machine_options peal_options
#define IS(type, what) __builtin_types_compatible_p(__typeof__(what), type)
#define MEMBER(group, member) ((struct group##_options *)NULL)->member
#define OWN(group) IS(struct group##_options *, ((struct command_request *)NULL)->group)
#define GROUP(name)                                                                                                    \
    .base = offsetof(struct command_request, name), .own_bytes = OWN(name) ? sizeof(struct name##_options) : 0
#define AT(type, group, member)                                                                                        \
    offsetof(struct group##_options, member) + 0 * sizeof(char[IS(type, MEMBER(group, member)) ? 1 : -1])
#define INTO(type, group, member) GROUP(group), .into = AT(type, group, member)
#define WORDS(list) .words = (list)
#define LIMITS(from, to, noun) .least = (from), .most = (to), .what = (noun)

#define FLAG(group, member) .kind = OPTION_FLAG, INTO(bool, group, member)
#define INTEGER(group, member, from, to, noun) .kind = OPTION_INTEGER, INTO(int, group, member), LIMITS(from, to, noun)
#define OR_WORD(list, value) WORDS(list), .word_value = (value)
#define SIZE(group, member) .kind = OPTION_SIZE, INTO(size_t, group, member)
#define RANGE(group, member, from, to)                                                                                 \
    .kind = OPTION_RANGE, INTO(struct range, group, member), .least = (from), .most = (to)
#define PARAMETER(member, noun) .kind = OPTION_PARAMETER, INTO(double, machine, parameters.member), .what = (noun)
#define RANKS(group, member) .kind = OPTION_RANKS, INTO(struct ranks, group, member)
#define SECONDS(group, member) .kind = OPTION_SECONDS, INTO(double, group, member)
#define WORD(type, group, member, list, first)                                                                         \
    .kind = OPTION_WORD, INTO(type, group, member), WORDS(list), .word_value = (first)
#define EITHER(group, member, list) .kind = OPTION_EITHER, INTO(bool, group, member), WORDS(list)
#define TEXT(group, member, expected) .kind = OPTION_TEXT, INTO(const char *, group, member), .what = (expected)
#define INPUT(group, member, expected) TEXT(group, member, expected), .is_input = true
#define DOCUMENT(group, file, flag)                                                                                    \
    .kind = OPTION_DOCUMENT, INTO(const char *, group, file), .alone = AT(bool, group, flag)
#define ODD(reader) .kind = OPTION_ODD, .read = (reader)
#define ODD_OF(group, reader) GROUP(group), ODD(reader)

/* ------------------------------------------------------------------ the table */

const struct option options_table[] = {
    {'p', OF_ONE | OF(compare) | OF(synthesize) | OF(app), "nodes", "P", "nodes (as many as -t says, else 8)", "Size",
     INTEGER(machine, nodes, 1, MAX_MACHINE_NODES, "the number of nodes")},
    {'m', OF_ONE | OF(compare) | OF(check), "block", "WORDS", "words of a block, for collectives of blocks (4)", "Size",
     SIZE(call, block_words)},
    {'n', OF_ONE | OF(compare) | OF(check), "words", "WORDS", "words of a vector, which P blocks share (m·P)", "Size",
     SIZE(call, vector_words)},
    {0, OF(import), "as", "COLLECTIVE", "of a schedule without data: can its messages deliver\nthis?", "Size",
     TEXT(import, as, "a collective, as in --as broadcast")},
    {0, OF(import), "bytes", "N", "the bytes of that collective's block or vector", "Size", SIZE(import, as_bytes)},
    {'n', OF(app), "size", "N", "how large: rows, cells, keys, ... (the application's\nown; peal app lists them)",
     "Size", SIZE(app, size)},
    {'p', OF(sweep), "nodes", "RANGE",
     "nodes: a number, FROM:TO:xF, FROM:TO:+S, FROM:TO,\nwhich is x2, or a list, as in 2,4,8 (8)", "Size",
     RANGE(sweep, nodes, 1, MAX_MACHINE_NODES)},
    {'m', OF(sweep), "block", "RANGE", "words of a block (1:1Mi:x4; 4 over several P)", "Size",
     RANGE(sweep, block, 0, SIZE_MAX)},
    {'n', OF(sweep), "words", "RANGE", "words of a vector, which P blocks share\n(1:1Mi:x4)", "Size",
     RANGE(sweep, words, 0, SIZE_MAX)},
    {'p', OF(fit), "nodes", "P", "processes of the job (2); of an algorithm, its nodes", "Size",
     INTEGER(machine, nodes, 1, MAX_MACHINE_NODES, "the number of nodes")},
    {'n', OF(fit), "words", "RANGE",
     "words of a message: a number, FROM:TO:xF, FROM:TO:+S,\nFROM:TO, which is x2, or a list (1:1Mi)", "Size",
     RANGE(fit, words, 0, SIZE_MAX)},
    {0, OF(fit), "ranks", "A,B", "the two ranks that measure (0 and P - 1)", "Size", RANKS(fit, ranks)},
    {'p', OF(lesson), "nodes", "P", "of a derivation: the nodes (8)", "Size",
     INTEGER(lesson, numbers.nodes, 1, 1024, "the number of nodes")},
    {'m', OF(lesson), "block", "WORDS", "of a derivation: the words of a block (4)", "Size",
     SIZE(lesson, numbers.words), LIMITS(1, 1 << 24, "the words of a block")},
    {0, OF(lesson), "ports", "K", "of a derivation: the ports of a node (2)", "Size",
     INTEGER(lesson, numbers.ports, 1, 1023, "the ports of a node")},
    {'p', OF(check), "nodes", "P|FROM:TO|LIST",
     "nodes: this number, all from FROM to TO, or a list,\nas in 2,4,8 (1:16; of a program 1,2,3,4,5,6,8)", "Size",
     ODD_OF(check, read_checked_nodes)},
    {'r', OF_CALLS | OF(import) | OF(synthesize), "root", "RANK", "the root (0)", "Size",
     INTEGER(call, root, 0, MAX_MACHINE_NODES - 1, "a rank")},
    {0, OF_CALLS, "op", "NAME", "operator of a reduction: sum, max, min, prod,\nsum-double, ..., affine (sum)", "Size",
     ODD(read_op), WORDS(op_names)},
    {0, OF_ONE | OF(check), "sizes", "LIST", "blocks of unequal lengths, as in 3,0,5, repeated", "Size",
     ODD(read_sizes)},
    {0, OF_CALLS, "by", "RANKS", "distance of a shift in ranks; -1 is one down (1)", "Size", ODD(read_by)},
    {0, OF_MADE, "messages", "LIST",
     "in place of a collective: messages at the same time, a\ncomma before the next ones: '1>6 4>7, 2>3:8w', each of\n"
     "-n words (1) or its own",
     "Size", TEXT(session, messages, "list messages, as in '1>6 4>7, 2>3:8w'")},
    {0, OF_CALLS, "to", "LIST", "receivers of a multicast, as in 0,3,5, or none (all)", "Size", RANKS(call, to)},

    {0, OF_RUNNING | OF(fit) | OF(price), "machine", "NAME|FILE",
     "a machine that exists (peal list machines), or a file\nof that form; other options change it", "Machine",
     INPUT(named, name, "name a machine, as peal list machines does")},
    {'t', OF_RUNNING | OF(fit) | OF(check) | OF(synthesize), "topology", "SPEC",
     "the network, as in hypercube:3; see below. Many take P\nwhere numbers are left out (full)", "Machine",
     ODD(read_topology), .is_input = true},
    {'t', OF(price), "topology", "SPEC",
     "a network, as in hypercube:3; see below. Again, or\nwith commas, for several (as recorded)", "Machine",
     ODD(read_topology), .is_input = true},
    {0, OF_RUNNING | OF(fit) | OF(price) | OF(check), "place", "ORDER",
     "the nodes on hosts of the network, which may be more:\nblock, cyclic, random:SEED, file:PATH (all, in order)",
     "Machine", INPUT(placing, order, "name an order, as in --place random:7"), WORDS(place_names)},
    {0, OF_RUNNING | OF(fit) | OF(price) | OF(check), "per-host", "N", "at most N nodes per host (1)", "Machine",
     INTEGER(placing, per_host, 1, MAX_MACHINE_NODES, "the nodes of a host")},
    {0, OF_RUNNING | OF(fit) | OF(price) | OF(synthesize), "routing", "NAME",
     "the routes of messages (the topology's default)", "Machine", TEXT(machine, routing, NULL)},
    {0, OF_MACHINE, "ports", "K|all", "sends and receives of a node per round (1)", "Machine",
     INTEGER(machine, ports, 1, 1 << 16, NULL), OR_WORD(ports_names, PEAL_PORTS_ALL)},
    {0, OF_MACHINE, "half-duplex", NULL, "sends and receives share the ports", "Machine", FLAG(machine, half_duplex)},
    {0, OF(synthesize), "direct", NULL, "messages between neighbours only (between any two\nnodes, along routes)",
     "Machine", FLAG(synthesis, direct)},
    {0, OF_CALLS | OF_RUNNING, "noncombining", NULL, "refuse messages that bundle packets", "Machine",
     FLAG(machine, noncombining)},
    {0, OF_CALLS | OF_RUNNING, "delivery", "HOW",
     "rendezvous, or eager:W: sends of at most W words\nare complete when posted (rendezvous)", "Machine",
     ODD(read_delivery), WORDS(delivery_names)},
    {0, OF_RUNNING | OF(price), "mailbox", "PLACES", "places in each box of a node (65536)", "Machine",
     INTEGER(machine, mailbox, 1, 1 << 30, "the number of places")},
    {0, OF_ONE | OF_MANY | OF(check), "word-bytes", "BYTES", "bytes of a word (8): 4 for a program of int or float",
     "Machine", SIZE(machine, word_bytes), LIMITS(1, 1 << 20, "the size of a word")},

    {0, OF_RUNNING | OF(fit), "alpha", "TIME", "α, a start-up (1000)", "Prices", PARAMETER(alpha, "the start-up time")},
    {0, OF_RUNNING | OF(fit), "beta", "TIME", "β, a word (1)", "Prices", PARAMETER(beta, "the time per word")},
    {0, OF_RUNNING | OF(fit), "hop", "TIME", "t_d, a hop (0)", "Prices", PARAMETER(hop, "the time per hop")},
    {0, OF_RUNNING | OF(fit), "tau", "TIME", "τ, an operation declared with peal_compute (0)", "Prices",
     PARAMETER(tau, "the time per operation")},
    {0, OF_RUNNING | OF(fit) | OF(check), "switching", "HOW", "ideal, wormhole or store-forward (ideal)", "Prices",
     WORD(enum peal_switching, machine, switching, switching_names, PEAL_IDEAL)},
    {0, OF_RUNNING | OF(fit) | OF(synthesize), "congestion", "HOW", "charge of a shared link: count or volume (count)",
     "Prices", WORD(enum peal_congestion, machine, congestion, congestion_names, PEAL_COUNT)},
    {0, OF(price), "alpha", "TIME", "α, a start-up (as recorded)", "Prices", PARAMETER(alpha, "the start-up time")},
    {0, OF(price), "beta", "TIME", "β, a word (as recorded)", "Prices", PARAMETER(beta, "the time per word")},
    {0, OF(price), "hop", "TIME", "t_d, a hop (as recorded)", "Prices", PARAMETER(hop, "the time per hop")},
    {0, OF(price), "tau", "TIME", "τ, an operation (as recorded)", "Prices", PARAMETER(tau, "the time per operation")},
    {0, OF(price), "switching", "HOW", "ideal, wormhole or store-forward (as recorded)", "Prices",
     WORD(enum peal_switching, machine, switching, switching_names, PEAL_IDEAL)},
    {0, OF(price), "congestion", "HOW", "charge of a shared link: count or volume\n(as recorded)", "Prices",
     WORD(enum peal_congestion, machine, congestion, congestion_names, PEAL_COUNT)},

    {0, OF(synthesize), "steps", "S", "a schedule of at most S steps; of a front, the most", "What is asked",
     INTEGER(synthesis, steps, 1, 1000, "the number of steps")},
    {0, OF(synthesize), "rounds", "R", "of at most R rounds, each of a chunk", "What is asked",
     INTEGER(synthesis, most_rounds, 1, 1000, "the number of rounds")},
    {0, OF(synthesize), "chunks", "C", "chunks that a block is cut into (1); of a front, the\nmost (4)",
     "What is asked", INTEGER(synthesis, chunks, 1, 1000, "the number of chunks")},
    {0, OF(synthesize), "least-steps", NULL, "the least number of steps, and the least R/C in them", "What is asked",
     FLAG(synthesis, least_steps)},
    {0, OF(synthesize), "pareto", NULL, "all (S, R/C) that nothing beats (without --rounds)", "What is asked",
     FLAG(synthesis, pareto)},
    {0, OF(synthesize), "from", "ALGORITHM", "find a schedule that beats this algorithm, or prove\nthat none does",
     "What is asked", TEXT(synthesis, from, "name an algorithm, as peal list does")},
    {0, OF(check), "file", "FILE", "a C file, of which a function is checked", "What is checked",
     INPUT(function, file, "name a file")},
    {0, OF(check), "symbol", "NAME", "the function", "What is checked", TEXT(function, symbol, "name a function")},
    {0, OF(check), "mpi", NULL, "the function is declared like MPI's collective", "What is checked",
     FLAG(function, mpi)},
    {0, OF(new), "mpi", NULL, "an algorithm or an assignment for MPI", "What is written", FLAG(function, mpi)},
    {0, OF(new), "fortran", NULL, "a program for MPI in Fortran", "What is written", FLAG(function, fortran)},
    {0, OF(new), "python", NULL, "a program in Python, with mpi4py", "What is written", FLAG(function, python)},
    {0, OF(new), "collective", "NAME", "the collective of an assignment (in its name, or\nbroadcast)",
     "What is written", TEXT(function, collective, "name a collective")},
    {'t', OF(new), "topology", "SPEC", "the network of an assignment, as in torus:3x3", "What is written",
     TEXT(machine, topology, "name a topology")},
    {0, OF(check), "arguments", "LIST",
     "the arguments that it takes, by MPI's names and in C:\n'recvbuf, count, comm', 'buffer, count, MPI_SUM, comm'",
     "What is checked", TEXT(function, arguments, NULL)},
    {0, OF(check), "elements", "TYPE",
     "numbers: int, float, long or double, for a function\nfor MPI that adds by itself (its elements: labels)",
     "What is checked", WORD(enum peal_check_element, function, element, peal_check_element_names, PEAL_ELEMENT_INT)},
    {0, OF(check), "long-counts", NULL, "its lists of counts and displacements are of size_t", "What is checked",
     FLAG(function, long_counts)},
    {0, OF(check), "program", "FILE", "a whole node program, with its arguments after --", "What is checked",
     INPUT(check, program, "name a file")},
    {0, OF(check), "all", NULL, "every algorithm of the catalogue", "What is checked", FLAG(check, all)},
    {0, OF(check), "choices", "LIST",
     "only this order of arrival: the ranks that receives\nfrom any source take from, as a finding lists them",
     "What is checked", ODD(read_choices)},
    {0, OF(run), "explore", NULL,
     "of an MPI program: all orders of arrival, a run each;\nthose that fail, and how to run them again",
     "What is explored", FLAG(step, explore)},
    {0, OF(run), "choices", "LIST", "of an MPI program: this order of arrival, as --explore\nlists it",
     "What is explored", ODD(read_choices)},
    {0, OF(run), "max-runs", "N", "runs of --explore at most (10000)", "What is explored", SIZE(orders, max_runs),
     LIMITS(1, SIZE_MAX, "the number of runs")},
    {'j', OF(run), "jobs", "N", "runs of --explore at a time (one per core)", "What is explored",
     INTEGER(orders, jobs, 1, 1024, "the number of processes")},
    {0, OF(run), "scale", "RANGE",
     "a run on each of these numbers of nodes, as in\n1:256:x2 or 1,4,9: time, speed-up, efficiency,\nserial fraction",
     "What is explored", RANGE(scale, nodes, 1, MAX_MACHINE_NODES)},
    {0, OF(run), "scale-args", "ARGUMENTS",
     "the program's arguments on P nodes, as in\n'{1000*P} 10', or a list for each P, as in\n\"4:'-i 2 -j 2';8:'-i 4 "
     "-j "
     "2'\"",
     "What is explored", TEXT(scale, arguments, "list the arguments, as in '{1000*P} 10'")},
    {0, OF(run), "scaling", "HOW",
     "strong: one problem for all P; weak: it grows with P\n(weak if --scale-args has {P})", "What is explored",
     WORD(enum scaling_kind, scale, scaling, scaling_names, SCALING_STRONG)},
    {0, OF(check), "call", "HOW",
     "only one way to call a function: once, twice (in a\nrow), group (one that is not the world, reversed); for\nMPI "
     "also spaced (extent above size), struct, gaps\n(between blocks) and comms (two in a row), "
     "halves\n(two at once), overlap, given (buffers that do not\ncount); roots, sizes (of the first of two calls); "
     "or\n"
     "several, as in group+gaps",
     "What is checked", ODD_OF(check, read_call), WORDS(peal_check_call_names)},
    {0, OF(check), "buffers", "HOW",
     "in and out: separate, in-place (a node's own block of\nthe larger is the smaller), or both; of a function,\n"
     "a fault in place only is a warning unless requested",
     "What is checked", WORD(enum peal_check_buffers, check, buffers, buffers_names, PEAL_BUFFERS_SEPARATE)},
    {0, OF(check), "identical", NULL,
     "of a reduction: is the result the same on every node,\nfor every root, size and order of arrival, where the\n"
     "operator is not associative, as with floating-point\nnumbers?",
     "What is checked", FLAG(check, identical)},
    {0, OF(check), "every", NULL,
     "prove it for every number of nodes, too, from the C\ncode of the algorithm or function", "What is checked",
     FLAG(proof, every)},
    {0, OF(check), "solver", "NAME", "of --every: z3 or cvc5 (z3)", "What is checked", TEXT(proof, solver, NULL),
     WORDS(solver_names)},
    {0, OF(check), "only", "CONDITION",
     "what the function expects: only cases in which it\nholds, as in 'P = 2^q' or 'n >= P, n % P = 0'",
     "Preconditions", TEXT(check, only, "write a comparison, as in 'P = 2^q'")},
    {0, OF(check), "divides", NULL, "P divides the words of a vector", "Preconditions", FLAG(check, divides)},
    {0, OF(check), "nonzero", NULL, "no vector and no block is empty", "Preconditions", FLAG(check, nonzero)},
    {0, OF(check), "contiguous", NULL, "datatypes of MPI without gaps alone: their extent is\ntheir size",
     "Preconditions", FLAG(check, contiguous)},
    {0, OF(check), "may-refuse", NULL,
     "all nodes may return an error code, or throw, or one\nends the run before it sends", "Preconditions",
     FLAG(check, may_refuse)},
    {0, OF(check), "allow", "leak", "memory and objects of MPI may be left", "Preconditions",
     EITHER(check, allows_leaks, allow_names)},
    {0, OF(check), "max-rounds", "EXPR",
     "rounds it may take, in P, m, n and q = ⌈log₂P⌉, as in\n'ceil(log2(P))' (no limit)", "Limits",
     TEXT(check, max_rounds, NULL)},
    {0, OF(check), "max-words", "EXPR",
     "words it may take: those of the rounds' longest\nmessages, as in 'm*(P-1)' (no limit)", "Limits",
     TEXT(check, max_words, NULL)},
    {0, OF(check), "max-hops", "EXPR",
     "links of the network that a message may take; 1: it\ngoes to a neighbour (no limit)", "Limits",
     TEXT(check, max_hops, NULL)},
    {0, OF(check), "max-messages", "EXPR", "messages it may send, as in 'P-1' (no limit)", "Limits",
     TEXT(check, max_messages, NULL)},
    {0, OF(check), "max-runs", "N",
     "runs to try orders of arrival in, before it ends\nwithout a proof (1M; of an MPI program 10000)", "Limits",
     SIZE(orders, max_runs), LIMITS(1, SIZE_MAX, "the number of runs")},
    {'j', OF(check), "jobs", "N", "checks at a time (two per core); of --every classes of\nP (one per core)", "Running",
     INTEGER(orders, jobs, 1, 1024, "the number of processes")},

    {0, OF(synthesize), "search-seconds", "SECONDS", "for the whole command; 0: no limit (60)", "Running",
     INTEGER(synthesis, limit, 0, 1 << 24, "the number of seconds")},
    {0, OF(synthesize), "jobs", "N", "searches at a time (1)", "Running",
     INTEGER(synthesis, jobs, 1, 64, "the number of searches")},
    {0, OF(synthesize), "plain", NULL, "without bounds by cuts and without symmetry breaking", "Running",
     FLAG(synthesis, unpruned)},
    {0, OF(grade), "jobs", "N", "processes that mark at the same time (two per core)", "Running",
     INTEGER(grade, jobs, 1, 1024, "the number of processes")},
    {0, OF(grade), "class", "FILE", "mark the class of this list: lines of\nid,name,file or folder", "Running",
     INPUT(grade, class, "name a file")},
    {0, OF(grade), "resume", NULL, "keep the marks in the gradebook of --json=FILE that\nstill hold", "Running",
     FLAG(grade, resume)},
    {0, OF(grade), "submission", "NAME",
     "mark only this one, and keep the others' marks in the\ngradebook of --json=FILE", "Running",
     TEXT(grade, submission, "name a submission")},

    {0, OF(price) | OF(report) | OF(export) | OF(import) | OF(fit), "max-document", "MIB",
     "the most that is read of a document, in MiB (64)", "Running",
     INTEGER(document, most_mebibytes, 1, 1 << 20, "the number of MiB")},

    {0, OF(sweep), "execute", "WHICH", "which schedules are run: cheap, all, none; the rest\nis computed (cheap)",
     "Running", WORD(enum execute, sweep, execute, execute_names, EXECUTE_CHEAP)},
    {0, OF_RUNS | OF(compare), "execute", "WHICH",
     "all, none: nothing is run, and the cost is computed\nfrom the closed form (all)", "Running",
     EITHER(session, computes, run_execute_names)},
    {0, OF_RUNNING | OF(price), "engine", "NAME",
     "run nodes as threads, fibers, or auto: threads up to\n16 nodes, else fibers (auto); mpi: as the processes\nof an "
     "MPI job",
     "Running", TEXT(machine, engine, NULL), WORDS(engine_names)},
    {0, OF(check), "engine", "NAME", "run nodes as threads, fibers, or auto, which is\nfibers (auto)", "Running",
     TEXT(machine, engine, NULL), WORDS(check_engine_names)},
    {0, OF(fit), "engine", "mpi", "measure between two processes of an MPI job", "Running", TEXT(machine, engine, NULL),
     WORDS(engine_names)},
    {0, OF_MPI, "launcher", "COMMAND",
     "with --engine mpi: what starts the processes, as in\n'srun -N 4' (the mpirun of the MPI)", "Running",
     TEXT(launch, launcher, "name a command, as in 'srun -N 4'")},
    {0, OF_RUNS | OF_MANY, "repetitions", "N", "with --engine mpi: how often a collective is measured\n(10)", "Running",
     INTEGER(launch, repetitions, 1, 1000000, "the number of repetitions")},
    {0, OF(fit), "repetitions", "N", "how often each size goes there and back (100)", "Running",
     INTEGER(launch, repetitions, 1, 1000000, "the number of repetitions")},
    {0, OF_RUNNING | OF(price), "carriers", "N|auto", "nodes that run at a time (auto)", "Running",
     INTEGER(machine, carriers, 1, 4096, NULL), OR_WORD(carriers_names, PEAL_CARRIERS_AUTO)},
    {0, OF_RUNNING | OF(price), "wake", "one|all", "all: release every runnable node at once, for\nstress tests (one)",
     "Running", EITHER(machine, wake_all, wake_names)},
    {0, OF_RUNNING | OF(price), "stack", "BYTES", "stack of a node (8 MiB; 64 KiB of a fiber)", "Running",
     ODD(read_stack)},
    {0, OF_RUNNING | OF(price) | OF(check), "seed", "NUMBER", "the seed of every random choice (0)", "Running",
     ODD(read_seed)},
    {0, OF_ONE | OF_MANY | OF(fit) | OF_RUNNING, "timeout", "SECONDS", "end a longer run; 0: never (0)", "Running",
     SECONDS(machine, timeout_seconds)},
    {0, OF(check), "timeout", "SECONDS", "end a longer run, as the finding timeout (10)", "Running",
     SECONDS(machine, timeout_seconds)},
    {0, OF(check), "total-timeout", "SECONDS",
     "end the runs of a program, which its numbers of nodes\nshare; 0: never (60; 0 with one number)", "Running",
     SECONDS(check, total_seconds)},

    {0, OF_RUNS, "input", "FILE",
     "the root's data; every node's, in order of the ranks,\nwhere all nodes have some (generated)", "Data and results",
     TEXT(session, input, "name a file")},
    {0, OF_RUNS, "output", "FILE", "where the bytes of --input arrive", "Data and results",
     TEXT(session, output, "name a file")},
    {'o', OF(report), "output", "FILE", "the page (standard output)", "Data and results",
     TEXT(report, output, "name a file")},
    {0, OF_RUNS | OF(price) | OF(app), "rounds", "LEVEL", "how much of the rounds: all, summary, none (all)",
     "Data and results", WORD(enum peal_rounds, machine, rounds, level_names, PEAL_ROUNDS_ALL)},
    {0, OF_RUNS | OF_MANY | OF(fit) | OF(price) | OF(import) | OF(check) | OF(synthesize) | OF(app), "json", "[=FILE]",
     "one JSON document instead of the table;\nwith =FILE beside it", "Data and results",
     DOCUMENT(document, json_file, json)},
    {0, OF_RUNS | OF(app), "trace", "FILE", "write a trace that Perfetto opens beside the table", "Data and results",
     TEXT(document, trace_file, "name a file")},
    {0, OF(run), "step", NULL, "step through the rounds on the terminal", "Data and results", FLAG(step, step)},
    {0, OF_RUNS | OF_MANY | OF(fit) | OF(check) | OF(app), "report", "FILE.html",
     "write a page for the browser beside the table", "Data and results", TEXT(document, report_file, "name a file")},
    {0, OF_RUNS | OF_MANY | OF(fit) | OF(lesson), "svg", "FILE.svg",
     "write the page's picture, which node draws: the\nspace-time diagram, the comparison", "Data and results",
     TEXT(document, svg_file, "name a file")},
    {0, OF_RUNS | OF_MANY | OF(fit) | OF(lesson), "png", "FILE.png", "the same picture in pixels, by rsvg-convert",
     "Data and results", TEXT(document, png_file, "name a file")},
    {0, OF_RUNS | OF(lesson), "view", "VIEW[:ROUND]",
     "of the picture: time, network, blocks or cost, and\nwhere the cursor is, as in network:2 (time)",
     "Data and results", ODD(read_view), WORDS(view_names)},
    {0, OF(export), "format", "NAME",
     "chrome: a trace that Perfetto opens; goal: a schedule\nfor LogGOPSim; msccl: one for MSCCL", "Data and results",
     ODD(read_trace_format)},
    {'o', OF(export), "output", "FILE", "where to write it (standard output)", "Data and results",
     TEXT(document, trace_file, "name a file")},
    {0, OF(synthesize), "c", "FILE", "write the schedule as a C file beside the table", "Data and results",
     TEXT(synthesis, c_file, "name a file")},
    {0, OF(synthesize), "msccl", "FILE", "write the schedule as MSCCL XML beside the table", "Data and results",
     TEXT(synthesis, msccl_file, "name a file")},
    {0, OF(synthesize), "keep", "NAME", "keep the formula in NAME.cnf, the proof in NAME.drat", "Data and results",
     TEXT(synthesis, keep, "name the files, as in --keep proof")},
    {0, OF(synthesize), "recheck", NULL, "check NAME.drat of --keep again, without a search", "Data and results",
     FLAG(synthesis, recheck)},
    {0, OF(price), "csv", "[=FILE]",
     "comma-separated values, a row a network, instead of\nthe table; with =FILE beside it", "Data and results",
     DOCUMENT(document, csv_file, csv)},
    {0, OF(run), "csv", "[=FILE]", "of --scale: comma-separated values instead of the\ntable; with =FILE beside it",
     "Data and results", DOCUMENT(document, csv_file, csv)},
    {0, OF_MANY, "csv", "[=FILE]", "comma-separated values instead of the table;\nwith =FILE beside it",
     "Data and results", DOCUMENT(document, csv_file, csv)},
    {0, OF_MANY, "format", "NAME", "table, or osu: size and time, as the OSU benchmarks\nprint them (table)",
     "Data and results", EITHER(compare, osu, format_names)},
    {0, OF(compare), "optimal", NULL,
     "also the optimum, where it is known: steps, rounds and\nchunks that nothing beats", "Data and results",
     FLAG(compare, optimal)},
    {0, OF(run) | OF(check) | OF(grade) | OF(import), "junit", "FILE",
     "write a JUnit report for test tools beside the table", "Data and results", TEXT(document, junit, "name a file")},
    {0, OF(run) | OF(check) | OF(grade) | OF(import), "sarif", "FILE",
     "write the findings as editors and forges read them:\nSARIF 2.1.0", "Data and results",
     TEXT(document, sarif, "name a file")},
    {0, OF(grade), "json", "[=FILE]", "one JSON document instead of the table;\nwith =FILE beside it",
     "Data and results", DOCUMENT(document, json_file, json)},
    {0, OF(grade), "csv", "[=FILE]",
     "comma-separated values, a row a submission, instead of\nthe table; with =FILE beside it", "Data and results",
     DOCUMENT(document, csv_file, csv)},
    {0, OF(grade), "classroom50", "FILE", "write the result.json of Classroom 50 beside the table", "Data and results",
     TEXT(grade, classroom50, "name a file")},
    {0, OF(grade), "gradescope", "FILE",
     "write the results.json of Gradescope beside the table;\nof several submissions into this folder",
     "Data and results", TEXT(grade, gradescope, "name a file")},
    {'o', OF(fit), "output", "FILE", "write α and β as a machine, for --machine", "Data and results",
     TEXT(fit, output, "name a file")},
    {0, OF(sweep), "rules", "FILE", "write the choices as rules for Open MPI's module\ntuned beside the table",
     "Data and results", TEXT(sweep, rules, "name a file")},
    {0, OF(sweep), "plot", "NAME", "write NAME.dat, the gnuplot script NAME.gp, and with\ngnuplot NAME.svg",
     "Data and results", TEXT(sweep, plot, "name the files, as in --plot scatter")},
    {0, OF(list), "book", "NAME", "the operations as a textbook names and prices them", "What is listed",
     WORD(unsigned, list, book, book_names, BOOK_GRAMA)},
    {0, OF(list) | OF(lesson) | OF(doctor), "json", NULL, "one JSON document instead of the table", "General",
     DOCUMENT(document, json_file, json)},

    {0, OF_RUNS, "fallback-buffer", "BYTES",
     "copy unmatched sends of so many bytes where nothing\nelse can move, or unlimited (0; 64Ki for MPI)",
     "Programs in files", ODD(read_lend), WORDS(lend_names)},
    {0, OF_RUNS, "livelock-after", "ROUNDS", "consecutive polling rounds until livelock (100;\n100000000 for MPI)",
     "Programs in files", INTEGER(machine, patience, 1, 1 << 30, "the number of rounds")},
    {0, OF(run), "strict", NULL, "a finding of a run fails it", "Programs in files", FLAG(step, strict)},
    {0, OF_RUNS, "coll", "COLLECTIVE=ALGORITHM,...",
     "of an MPI program: the algorithms of its\ncollectives (the cheapest)", "Programs in files",
     TEXT(session, coll, "say which, as in allreduce=ring")},
    {0, OF(price), "coll", "COLLECTIVE=ALGORITHM,...",
     "of a recorded MPI program: other algorithms of its\ncollectives (the recorded ones)", "Programs in files",
     TEXT(session, coll, "say which, as in allreduce=ring")},
    {0, OF_RUNS, "clock", "model|host", "of an MPI program: the clock that it reads (model)", "Programs in files",
     EITHER(session, host_clock, clock_names)},
    {0, OF_MADE, "compute", "count|measure|sample",
     "of an MPI program: the operations that it\ndeclares, or its processor time; sample: not\nrepeating the regions "
     "of PEAL_SAMPLE (count)",
     "Programs in files", WORD(enum peal_compute_source, session, compute, compute_names, PEAL_COMPUTE_COUNTED)},
    {0, OF_MADE, "speed", "S", "with these: processors S times as fast as this one (1)", "Programs in files",
     .kind = OPTION_PARAMETER, INTO(double, session, speed), .what = "the speed"},
    {0, OF_MADE, "sample", "FUNCTION,...",
     "of an MPI program: functions that each node runs\nthree times and skips later", "Programs in files",
     TEXT(session, sample, "say which, as in relax")},
    {0, OF(run), "profile", NULL, "after an MPI program: the time by call", "Programs in files", FLAG(step, profile)},
    {'q', OF(run), "quiet", NULL, "no line of summary after an MPI program", "Programs in files", FLAG(step, quiet)},
    {0, OF_RUNS, "tag-output", NULL, "begin every line a node prints with its rank", "Programs in files",
     FLAG(machine, tag_output)},
    {0, OF_ONE | OF_MANY, "file", "FILE", "a C file, of which a function is used as the\nalgorithm of the collective",
     "Programs in files", INPUT(function, file, "name a file")},
    {0, OF_ONE | OF_MANY, "symbol", "NAME", "the function of --file", "Programs in files",
     TEXT(function, symbol, "name a function")},
    {0, OF_ONE | OF_MANY | OF(check) | OF(grade), "cc", "COMPILER", "the C compiler ($CC, else cc)",
     "Programs in files", TEXT(function, compiler, "name a compiler")},
    {0, OF_ONE | OF_MANY | OF(check), "cflags", "FLAGS", "more flags for it ($CFLAGS)", "Programs in files",
     TEXT(function, flags, NULL)},

    {0, OF(lesson), "report", "FILE.html",
     "write a page for the browser beside the text: the\nlessons, and each of their runs", "General",
     TEXT(document, report_file, "name a file")},
    {0, OF(explain), "every", NULL, "why it is right for every number of nodes: the\ninvariant, and what is proved",
     "General", FLAG(proof, every)},
    {0, OF(lesson), "all", NULL, "every lesson, a line each", "General", FLAG(lesson, all)},
    {0, OF(lesson), "ask", NULL, "question and picture first, the answer on a key", "General", FLAG(lesson, ask)},
    {'h', OF_ALL, "help", NULL, "this help", "General", FLAG(document, help)},
    {.name = NULL},
};

bool
option_taken(const struct command *command, const struct option *option)
{
    return command_is(command, option->of);
}

enum words
option_words(const struct option *option, const char *const **words)
{
    *words = option->read == read_trace_format ? trace_formats() : option->words;
    if (*words)
        return WORDS_LISTED;
    if (strcmp(option->name, "topology") == 0)
        return WORDS_TOPOLOGY;
    if (strcmp(option->name, "routing") == 0)
        return WORDS_ROUTING;
    if (strcmp(option->name, "machine") == 0)
        return WORDS_MACHINE;
    return option->value && strstr(option->value, "FILE") ? WORDS_FILE : WORDS_NONE;
}

bool
option_given(const struct command_request *request, const char *name)
{
    for (const struct option *o = options_table; o->name; o++)
        if (strcmp(o->name, name) == 0 && request->given[o - options_table])
            return true;
    return false;
}

const char *
option_among(const struct command_request *request, const char *const *names)
{
    while (*names && !option_given(request, *names))
        names++;
    return *names;
}

const struct option *
option_besides(const struct command_request *request, const char *const *names)
{
    for (const struct option *o = options_table; o->name; o++)
        if (request->given[o - options_table] && !names_have(names, o->name))
            return o;
    return NULL;
}

enum peal_status
options_fit_recorded(const struct command_request *request, const char *const *names, const char *example,
                     struct peal_error *error)
{
    const struct option *other = option_besides(request, names);

    return other ? peal_refuse(error, PEAL_USAGE, "--%s is for a run that is made now, as in %s; %s is recorded",
                               other->name, example, request->arguments[0])
                 : PEAL_OK;
}
