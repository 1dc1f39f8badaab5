#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `peal run --engine mpi` on the command line: its output, its exit codes, and that nothing hangs.
#   tests/cluster/command.sh PEAL openmpi|mpich
set -u
peal=$(realpath "$1") mpi=$2
command -v "mpirun.$mpi" >/dev/null || { echo "no mpirun.$mpi here"; exit 77; }
export PEAL_MPI=$mpi NO_COLOR=1 OMPI_MCA_btl=^tcp # as in job.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
wrong=0

same() { # what, expected, came
  [ "$2" = "$3" ] || { printf '%s: expected\n%s\ncame\n%s\n' "$1" "$2" "$3"; wrong=1; }
}

cat >hello.c <<'C'
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
static int mine;
void peal_main(struct peal_node *me, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    printf("node %d of %d, %s, %d\n", peal_rank(me), peal_size(me), what, ++mine);
    peal_barrier(me);
    if (strcmp(what, "kill") == 0 && peal_rank(me) == 1)
        raise(SIGKILL);
    if (strcmp(what, "exit") == 0 && peal_rank(me) == 1)
        exit(3);
    if (strcmp(what, "compute") == 0 && peal_rank(me) == 1)
        for (;;)
            ;
    peal_barrier(me);
    printf("bye from %d\n", peal_rank(me));
}
C
run() { timeout 60 "$peal" run hello.c -p 3 "$@" 2>"$folder/err"; echo "code $?"; }
same 'a program' "$(run -- one)" "$(run --engine mpi -- one)"
same 'exit(3)' "$(run -- exit)" "$(run --engine mpi -- exit)"
code=$(run --engine mpi -- kill | tail -n 1)
same 'a process that is killed' 'code 1 1' "$code $(grep -c '^peal: the job ended before' err)"
code=$(run --engine mpi --timeout 0.5 -- compute | tail -n 1)
same 'the time is up' 'code 124 1' "$code $(grep -c '^peal: timeout: after 0.5 seconds node 1 is still computing' err)"
# Output appears while the program runs: it goes on until its reader has made a file.
cat >seen.c <<'C'
#include <peal/peal.h>
#include <stdio.h>
#include <unistd.h>
void peal_main(struct peal_node *me, int argc, char **argv)
{
    int64_t seen = 0;
    printf("node %d", peal_rank(me));
    printf(" is here\n");
    for (int i = 0; i < 20000 && !seen; i++) {
        usleep(1000);
        seen = peal_rank(me) == 0 && access("seen", F_OK) == 0;
        peal_broadcast(me, &seen, 1, 0);
    }
    printf("node %d was %s\n", peal_rank(me), seen ? "seen" : "not seen");
}
C
same 'output during the run' "$(printf 'node %d is here\n' 0 1 2; printf 'node %d was seen\n' 0 1 2)" \
  "$(timeout 60 "$peal" run seen.c -p 3 --engine mpi 2>err | { read -r line; touch seen; echo "$line"; cat; })"
timeout 60 "$peal" run scatter -p 3 --engine mpi --launcher "mpirun.$mpi" --json=mpi.json >mpi.txt || wrong=1
"$peal" run scatter -p 3 --json=threads.json >threads.txt
same 'a collective' "$(sed 's/^\(engine *\)threads$/\1mpi/' threads.txt)" "$(grep -v '^measured ' mpi.txt)"
same 'number of measurements' '"repetitions": 10' "$(grep -o '"repetitions": [0-9]*' mpi.json)"
same 'its document' "$(sed '/"host"/,$d' threads.json)" \
  "$(sed 's/"engine": "mpi"/"engine": "threads"/; /"measured"/,$d; /"host"/,$d' mpi.json)"
same 'a launcher that is not there' 'peal: the launcher nowhere cannot be started: No such file or directory' \
  "$("$peal" run scatter --engine mpi --launcher nowhere 2>&1)"
same 'interrupted' 'code 130' "$(set -m; "$peal" run hello.c -p 3 --engine mpi --timeout 60 -- compute >out 2>err & job=$!
  until { pgrep -P "$job" >pids && [ -n "$(pgrep -P "$(head -n 1 pids)")" ]; } || ! kill -0 "$job"; do sleep 0.05; done; sleep 0.3
  kill -INT "$job"; wait "$job"; echo "code $?")"
if [ "$mpi" = mpich ]; then # whose launcher would wait for a process that cannot be loaded
  mkdir bin bad && : >bad/libpeal.so.2
  printf '#!/bin/sh\nshift 2\nexec %s -n 1 "$@" : -n 1 -env LD_LIBRARY_PATH %s/bad "$@"\n' "$(command -v mpirun.mpich)" "$folder" >bin/mpirun.mpich
  chmod +x bin/mpirun.mpich
  same 'a process that cannot be loaded' 'code 1' "$(PATH="$folder/bin:$PATH" timeout 30 "$peal" run scatter -p 2 --engine mpi >out 2>err; echo "code $?")"
fi
# A job prints only the document, however its processes end after the run, and their end is reported.
cat >dies.c <<'C'
#include <peal/peal.h>
#include <signal.h>
#include <unistd.h>
static int rank = -1;
/* after node 0 has reported, which takes longer on a loaded machine */
__attribute__((destructor)) static void late(void) { if (rank == 1) { sleep(2); raise(SIGKILL); } }
void peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    rank = peal_rank(me);
    peal_barrier(me);
    if (argc > 1 && rank == 1)
        raise(SIGKILL);
}
C
code=$(timeout 60 "$peal" run dies.c -p 3 --engine mpi --json >dies.json 2>err; echo "code $?")
same 'a process that dies after the run' 'code 1 1' "$code $(grep -c '^peal: a process of the job ended badly after the run' err)"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' dies.json || { echo 'a process that dies: the document is spoiled'; wrong=1; }
# A run that nothing is known of has its documents.
failure='import json, sys; d = json.load(sys.stdin); print(d["engine"], d["nodes"], d["failure"]["kind"], d["failure"]["message"][:37])'
code=$(timeout 60 "$peal" run dies.c -p 3 --engine mpi --json -- in 2>err | python3 -c "$failure"; echo "code ${PIPESTATUS[0]}")
same 'a process that dies in the run' "mpi 3 crash the job ended before node 0 could rep
code 1" "$code"
same 'a launcher that starts nothing' "code 1 peal: nothing ran: true ended with code 0, and no node 0 reported;
mpi 4 crash nothing ran: true ended with code 0, " \
  "$(timeout 30 "$peal" run scatter -p 4 --engine mpi --launcher true --json=nothing.json >out 2>err
     echo "code $? $(grep -o '^peal: nothing.*reported;' err)"; python3 -c "$failure" <nothing.json)"
[ ! -s out ] || { echo 'a launcher that starts nothing prints something'; wrong=1; }
# A terminal that is closed ends the job, too.
same 'hung up' 'code 129 ended' "$(set -m; cd "$folder"; "$peal" run hello.c -p 3 --engine mpi --timeout 60 -- compute >out 2>err & job=$!
  until { pgrep -P "$job" >pids && [ -n "$(pgrep -P "$(head -n 1 pids)")" ]; } || ! kill -0 "$job"; do sleep 0.05; done; sleep 0.3
  launcher=$(head -n 1 pids); kill -HUP "$job"; wait "$job"; code=$?
  kill -0 "$launcher" 2>/dev/null && echo "code $code, but $launcher goes on" || echo "code $code ended")"
same 'nobody reads' '' "$(timeout 60 "$peal" run hello.c -p 3 --engine mpi -- one 2>/dev/null | true; pgrep -f "^$peal run hello.c -p 3 --engine mpi -- one")"
same 'no launcher' "code 2" "$(PATH=/nowhere "$peal" run scatter --engine mpi 2>err; echo "code $?")"
same 'a mistake is one line' 'peal: root 9 is out of range: ranks are 0 to 1' \
  "$(timeout 60 "$peal" run scatter -p 2 --root 9 --engine mpi 2>&1)"
for what in 'run scatter --trace trace.json' 'export --format goal scatter' 'export --format chrome hello.c -o trace.json'; do
  same "a trace is made of a recorded run, $what" \
    'peal: --engine mpi: record the run with peal run --json=RUN.json, then peal export RUN.json code 2' \
    "$(echo $(timeout 20 "$peal" $what -p 2 --engine mpi 2>&1; echo "code $?"))"
done
same 'no trace was left' 'none' "$(ls trace.json 2>/dev/null || echo none)"
# Only node 0 finds out: the others must not wait for it in the run.
for what in 'run scatter --json=nowhere/file' 'run scatter --trace nowhere/file' 'sweep reduce -n 1 --csv=nowhere/file'; do
  same "a file that cannot be written, $what" 'peal: nowhere/file cannot be written: No such file or directory code 2' \
    "$(echo $(timeout 20 "$peal" $what -p 2 --engine mpi 2>&1; echo "code $?"))"
done

# Nodes with different calls: MPI hangs, finds a message too long, or ends with wrong words.
# A launcher passes on standard output and standard error separately, in no order.
wrong_call() { timeout 60 "$peal" run calls.c -p 3 "$@" >out 2>err; echo "code $?"; grep ^peal: err; }
cat >calls.c <<'C'
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>
void peal_main(struct peal_node *me, int argc, char **argv)
{
    int64_t x[2] = {peal_rank(me), 7};
    int last = peal_rank(me) == peal_size(me) - 1;
    printf("node %d calls\n", peal_rank(me));
    if (!last || strcmp(argv[1], "skips") != 0)
        peal_broadcast(me, x, last && strcmp(argv[1], "size") == 0 ? 1 : 2, last && strcmp(argv[1], "root") == 0);
}
C
for what in skips size root; do
  report=$(wrong_call -- "$what")
  grep -q 'of all 3 nodes' <<<"$report" || { echo "calls: $what is not reported"; wrong=1; }
  same "calls: $what" "$report" "$(wrong_call --engine mpi -- "$what")"
done

# Node 0 on a host that does not see the file for its exit code: the code arrives all the same.
afar() { timeout 60 "$peal" run scatter -p 2 --engine mpi --launcher "$folder/afar" "$@" >/dev/null 2>err; echo "code $?"; }
launcher="mpirun.$mpi"
[ "$mpi" = openmpi ] && launcher="$launcher --allow-run-as-root --oversubscribe"
printf '#!/bin/sh\nPEAL_MPI_RESULT=/nowhere/${PEAL_MPI_RESULT##*/} exec %s "$@"\n' "$launcher" >afar
chmod +x afar
same 'node 0 on another host' 'code 0' "$(afar)"
same 'it leaves no file' '' "$(find . -name '.peal-mpi*')"
same 'a mistake reported by another host' 'code 2 1' "$(afar --root 5) $(grep -c '^peal: root 5 is out of range' err)"
printf '#!/bin/sh\nPEAL_MPI_RESULT=/nowhere/file exec %s "$@"\n' "$launcher" >afar
touch .file # so that it cannot leave one here, either
same 'node 0 on another host that shares nothing' 'code 0 code 2' "$(afar) $(afar --root 5)"
same 'processes that cannot find one another' \
  'peal: srun started 2 processes that cannot find one another: Open MPI wants srun --mpi=pmix, MPICH srun --mpi=pmi2' \
  "$(SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$peal" run scatter --engine mpi 2>&1)"

# A sweep over nodes is one job, parts of which rest; the column of the clock is beside the model's columns, those of
# the threads.
few='allreduce/ring allreduce/recursive-doubling -p 1:4 -n 4:64:x16'
timeout 60 "$peal" sweep $few --engine mpi --repetitions 2 --csv=mpi.csv --plot map >mpi.txt 2>err || wrong=1
"$peal" sweep $few --csv >threads.csv
same 'a sweep' "$(cat threads.csv)" "$(cut -d, -f1-12 mpi.csv)"
same 'its measured points' "$(sed 1d threads.csv | wc -l)" \
  "$(awk -F, 'NR > 1 && $13 == 2 && $15 > 0 && $15 <= $14 && $14 <= $16' mpi.csv | wc -l)"
same 'its map: the fastest at each size and number of nodes' "$(awk -F, 'NR > 1 { print $3, $1 }' mpi.csv | sort -u)" \
  "$(sed -n '/measured the fastest/,/^$/p' map.dat | grep '^[0-9]' | sort)"
timeout 60 "$peal" compare reduce/binomial reduce/linear -p 3 --engine mpi --repetitions 2 --json=mpi.json >mpi.txt || wrong=1
same 'a comparison' '2 2' "$(grep -c '"measured": {"repetitions": 2, "unit": "seconds"' mpi.json) $(grep -c ' (.* – .*) ' mpi.txt)"

# α and β between two of three processes, which take part in a sweep as prices.
timeout 60 "$peal" fit --engine mpi -p 3 --ranks 2,1 -n 1:4Ki:x4 --repetitions 10 --json=fit.json >fit.txt || wrong=1
same 'a fit' '7 7 "ranks": [2, 1] "schema": "peal/fit/2"' \
  "$(grep -c '"median"' fit.json) $(grep -c '[+-][0-9]* %' fit.txt) $(grep -o '"ranks": [^,]*, 1]' fit.json) $(grep -o '"schema": "[^"]*"' fit.json)"
use=$(sed -n 's/^use *\(--alpha .*--beta [^ ]*\) .*/\1/p' fit.txt)
same 'its use' '1 "use" 0' "$(grep -c 'T = ' <("$peal" run scatter $use 2>&1)) \"use\" $(grep -c '^peal' fit.txt)"
same 'a rank that is not there' "code 2" "$(timeout 60 "$peal" fit --engine mpi --ranks 0,2 2>err; echo "code $?")"

# A program of MPI's own calls one of Peal's collectives on a part of its processes; its own message is on its way meanwhile.
cat >own.c <<'C'
#include <mpi.h>
#include <peal/cluster.h>
#include <peal/peal.h>
#include <stdio.h>
static int64_t sum;
static void add(struct peal_node *me, void *arg)
{
    sum = peal_rank(me) + 1;
    peal_allreduce(me, PEAL_SUM_INT64, &sum, 1);
}
int main(int argc, char **argv)
{
    int rank, mine = 7, came = 0, r, P;
    MPI_Comm odd;
    MPI_Request request[2];
    struct peal_options options;
    struct peal_error error;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
    MPI_Irecv(&came, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, odd, &request[0]);
    if (peal_mpi_begin_on(&odd, &r, &P, &error) != PEAL_OK) { puts(error.text); return 1; }
    peal_options_init(&options);
    options.nodes = P;
    options.engine = "mpi";
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine) { puts(error.text); return 1; }
    const struct peal_failure *failure = peal_run(machine, add, NULL);
    MPI_Isend(&mine, 1, MPI_INT, (r + 1) % P, 5, odd, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (rank == 1) printf("%s: %d of %d, sum %d, %d rounds, own %d\n", failure ? "failed" : "well", r, P, (int)sum,
                          (int)peal_machine_cost(machine).alpha, came);
    peal_machine_destroy(machine);
    peal_mpi_end();
    MPI_Finalize();
    return 0;
}
C
library=$(dirname "$(ldd "$peal" | sed -n 's/.*libpeal.so[^ ]* => \([^ ]*\).*/\1/p')")
if command -v "mpicc.$mpi" >/dev/null; then
  "mpicc.$mpi" own.c -I "$(dirname "$0")/../../include" -L "$library" -lpeal -Wl,-rpath,"$library" -o own || wrong=1
  same 'a program of its own' 'well: 1 of 2, sum 3, 1 rounds, own 7' "$("$(dirname "$0")/job.sh" "$mpi" 4 ./own 2>&1)"
fi
exit $wrong
