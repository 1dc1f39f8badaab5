#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each wrapper for Fortran passes on what it is given: each_call.py BUILD SOURCE

For each call of calls.def a subroutine in Fortran is made here, with `use mpi` and with `use mpi_f08`, whose arguments have values
that differ from defaults, and a function in C in place of the library's, which compares what comes, and gives other values back, which
the subroutine compares.  Every call is made a second time, when the function returns an error."""
import os
import re
import subprocess
import sys
import tempfile

BUILD, SOURCE = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "mpi", "fortran"))
import fortran  # noqa: E402  pylint: disable=wrong-import-position

LENGTHS = {"count", "incount", "max_datatypes", "outcount"}  # of the arrays that are handles
FORTRAN_KINDS = {"int": "4", "MPI_Aint": "8", "MPI_Offset": "8", "MPI_Count": "8"}
HEAD_C = r"""
#include "mpi/comm/topo.h"
#include "mpi/type/type.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi *mpi_nodes;
static struct mpi node;
const char *const mpi_call_names[CALLS];
struct type basic_types[BASIC_TYPES];
void mpi_fail(struct mpi *mpi, int kind, const char *format, ...) { (void)mpi, (void)kind, (void)format; abort(); }
static int wrong;
int answer;
void own_function_(void) {}
static void differs(const char *call, const char *argument) { wrong++; printf("MPI_%s: %s\n", call, argument); }
#define EXPECT(condition, call, argument) do { if (!(condition)) differs(call, argument); } while (0)
struct peal_node *peal_self(void) { return (struct peal_node *)&node; }
int peal_world_rank(const struct peal_node *me) { (void)me; return 0; }
void peal_suspect_result(struct peal_node *me, bool writes) { (void)me, (void)writes; }
void mpi_refuse_stray(enum mpi_call call, const void *site) { (void)call, (void)site; abort(); }
bool peal_code_line(struct peal_node *me, const void *code, const char **file, int *line) { (void)me, (void)code, (void)file, (void)line; return false; }
const void *peal_passed_on(struct peal_node *me, const void *code) { (void)me; return code; }
void bounds_look_status(struct mpi *mpi, const void *status) { (void)mpi, (void)status; }
void peal_wrap_exit(int code) { exit(code); }
uintptr_t handle_numbered(const struct mpi *mpi, enum handle_kind kind, int number)
{ (void)mpi; return (uintptr_t)kind << 56 | (uint32_t)number; }
int handle_number(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{ (void)mpi; return handle >> 56 == (uintptr_t)kind ? (int)(uint32_t)handle : -1; }
void *handle_find(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{ static struct comm comm = {.size = 2}; (void)mpi, (void)kind, (void)handle; return &comm; }
void *peal_scratch_at(struct peal_node *me, size_t bytes, const char *file, int line) { (void)me, (void)file, (void)line; return malloc(bytes); }
void *mpi_scratch(struct mpi *mpi, size_t bytes) { (void)mpi; return malloc(bytes); }
void peal_free(struct peal_node *me, void *memory) { (void)me; free(memory); }
bool neighbours_find(struct mpi *mpi, const struct comm *comm, struct neighbours *own) { (void)mpi, (void)comm; own->in = own->out = 2; return true; }
void neighbours_fini(struct mpi *mpi, struct neighbours *own) { (void)mpi, (void)own; }
void differs_(const char *what, size_t length) { wrong++; printf("%.*s\n", (int)length, what); }
void begin_(void) { mpi_nodes = &node; }
void answer_(const int *code) { answer = *code; }
void finish_(void) { printf("%d arguments are wrong\n", wrong); fflush(stdout); _Exit(wrong != 0); }
static int leaves(const char *call)
{
    EXPECT(node.from, call, "has no place in Fortran");
    node.from = NULL;
    return answer;
}
"""
# The calls that are written by hand: in C, and in Fortran.
HAND_C = r"""
int PMPI_Init(int *argc, char ***argv) { EXPECT(!argc && !argv, "Init", "argc"); return leaves("Init"); }
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{ EXPECT(!argc && !argv && required == 2, "Init_thread", "required"); *provided = 3; return leaves("Init_thread"); }
int PMPI_Buffer_detach(void *buffer, int *size) { *(uintptr_t *)buffer = 77; *size = 78; return leaves("Buffer_detach"); }
double PMPI_Wtime(void) { leaves("Wtime"); return 1.5; }
double PMPI_Wtick(void) { leaves("Wtick"); return 2.5; }
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }
MPI_Aint PMPI_Aint_diff(MPI_Aint left, MPI_Aint right) { return left - right; }
"""
HAND_F = """
subroutine by_hand(code)
integer :: code, ierror, provided, length
integer(8) :: address, five = 5, three = 3
call MPI_Init(ierror)
if (ierror /= code) call differs('MPI_Init: ierror')
call MPI_Init_thread(2, provided, ierror)
if (ierror /= code .or. provided /= 3) call differs('MPI_Init_thread: provided')
address = 0
call MPI_Buffer_detach(address, length, ierror)
if (ierror /= code .or. length /= 78 .or. address /= {}) call differs('MPI_Buffer_detach: size')
call MPI_Pcontrol(3)
if (MPI_Wtime() /= 1.5d0 .or. MPI_Wtick() /= 2.5d0) call differs('MPI_Wtime')
if (MPI_Aint_add(five, three) /= 8 .or. MPI_Aint_diff(five, three) /= 2) call differs('MPI_Aint_add')
end subroutine
"""


class Value:
    """What is passed for parameter number `i` of a call: in C, in Fortran, and what comes back."""

    def __init__(self, one, i, f08):
        self.one, self.i, self.f08 = one, i, f08
        self.given = 2 if one.name in LENGTHS else 10 + 3 * i
        self.back = 2 if one.name in LENGTHS else 500 + 3 * i
        if one.name in fortran.LOGICAL:
            self.given = self.back = 1
        if one.name.endswith("keyval"):
            self.given += 100
        self.text = f"text {i}" + chr(ord("a") + i)
        self.variable = f"v{i}"
        self.indices = one.fortran_name == "index" and one.form == "integer out" or one.name == "array_of_indices"

    def in_c(self):
        """Statements of the function in C: compare, and give back."""
        one, name, given, back = self.one, self.one.name, self.given, self.back
        handle = f"(uintptr_t)KIND_{fortran.HANDLES.get(one.kind)} << 56"
        gives = []
        if one.form == "choice":
            test = f"*(const int *){name} == {given}"
        elif one.form == "pointer":
            test, gives = name, [f"*(uintptr_t *){name} = {back};"]
        elif one.form == "handle":
            test = f"(uintptr_t){name} == ({handle} | {given})"
        elif one.form == "handle out":
            test, gives = f"(uintptr_t)*{name} == ({handle} | {given})", [f"*{name} = ({one.kind})({handle} | {back});"]
        elif one.form == "handles":
            test = " && ".join(f"(uintptr_t){name}[{k}] == ({handle} | {given + k})" for k in (0, 1))
            if not one.const and name != "array_of_types":
                gives = [f"{name}[{k}] = ({one.kind})({handle} | {back + k});" for k in (0, 1)]
        elif one.form == "status":
            test = f"{name}->MPI_SOURCE == {given} && {name}->MPI_TAG == {given + 1}"
            gives = [] if one.const else [f"{name}->MPI_SOURCE = {back}; {name}->MPI_TAG = {back + 1};"]
        elif one.form == "statuses":
            test = f"{name}[1].MPI_SOURCE == {given}"
            gives = [f"{name}[1].MPI_SOURCE = {back}; {name}[1].MPI_TAG = {back + 1};"]
        elif one.form == "text in":
            test = f'!strcmp({name}, "{self.text}")'
        elif one.form == "text out":
            test, gives = name, [f'strcpy({name}, "{self.text}");']
        elif one.form == "texts":
            test = f"!{name}"
        elif one.form == "integer":
            test = f"{name} == {given}"
        elif one.form == "integer out":
            test, gives = f"*{name} == {given}", [f"*{name} = {back};"]
        elif one.form in ("integers", "weights") and one.dims == "[][3]":
            test = f"{name}[1][2] == {given}"
        elif one.form in ("integers", "weights"):
            if name == "array_of_errcodes":
                return [f'EXPECT(!{name}, "{one.call.name}", "{name}");']
            test = " && ".join(f"{name}[{k}] == {given + k}" for k in (0, 1))
            gives = [] if one.const or one.short else [f"{name}[{k}] = {back + k};" for k in (0, 1)]
            if one.call.old and one.name == "array_of_blocklengths":
                gives = []
        elif one.form == "attribute" and one.call.has("flag"):
            test, gives = name, [f"*(uintptr_t *){name} = {back};"]
        elif one.form in ("attribute", "extra"):
            test = f"(uintptr_t){name} == {given}"
        else:
            test = f"(void (*)(void)){name} == own_function_"
        return [f'EXPECT({test}, "{one.call.name}", "{name}");'] + gives

    def kind_of_integer(self):
        one = self.one
        if one.form in ("attribute", "extra"):
            return "integer(4)" if one.call.old else "integer(8)"
        if one.name in fortran.LOGICAL:
            return "logical"
        return f"integer({'4' if one.short else FORTRAN_KINDS[one.kind]})"

    def literal(self, value):
        return ".true." if self.one.name in fortran.LOGICAL else str(value)

    def in_fortran(self):
        """(declaration, statements before the call, the argument, conditions that what came back is wrong)."""
        one, v, given, back, f08 = self.one, self.variable, self.given, self.back, self.f08
        shift = 1 if self.indices else 0
        if one.form == "choice":
            return f"integer :: {v}(2)", [f"{v} = {given}"], v, []
        if one.form == "pointer":
            return f"integer(8) :: {v}", [f"{v} = 0"], v, [f"{v} /= {back}"]
        if one.form in ("handle", "handle out"):
            value = f"{v}%MPI_VAL" if f08 else v
            wrong = [f"{value} /= {back}"] if one.form == "handle out" else []
            return f"{f'type({one.kind})' if f08 else 'integer'} :: {v}", [f"{value} = {given}"], v, wrong
        if one.form == "handles":
            values = [f"{v}({k}){'%MPI_VAL' if f08 else ''}" for k in (1, 2)]
            gives = not one.const and one.name != "array_of_types"
            return (f"{f'type({one.kind})' if f08 else 'integer'} :: {v}(2)",
                    [f"{value} = {given + k}" for k, value in enumerate(values)], v,
                    [f"{value} /= {back + k}" for k, value in enumerate(values)] if gives else [])
        if one.form in ("status", "statuses"):
            many = one.form == "statuses"
            if f08:
                fields = [f"{v}{'(2)' if many else ''}%{field}" for field in ("MPI_SOURCE", "MPI_TAG")]
                declared = f"type(MPI_Status) :: {v}{'(2)' if many else ''}"
            else:
                fields = [f"{v}({field}{',2' if many else ''})" for field in ("MPI_SOURCE", "MPI_TAG")]
                declared = f"integer :: {v}(MPI_STATUS_SIZE{',2' if many else ''})"
            return (declared, [f"{field} = {given + k}" for k, field in enumerate(fields)], v,
                    [] if one.const else [f"{field} /= {back + k}" for k, field in enumerate(fields)])
        if one.form == "text in":
            leads = "  " if one.call.name.startswith("Info_") else ""
            return f"character(len=30) :: {v}", [f"{v} = '{leads}{self.text}'"], v, []
        if one.form == "text out":
            return f"character(len=20) :: {v}", [f"{v} = 'nothing'"], v, [f"{v} /= '{self.text}'"]
        if one.form == "texts":
            shape = "(2)" if one.stars == 2 else "(2,2)"
            return f"character(len=5) :: {v}{shape}", [f"{v} = 'a'"], v, []
        if one.form == "function":
            return "external :: own_function", [], "own_function", []
        if one.form in ("integer", "attribute", "extra", "integer out"):
            comes = one.form == "integer out" or (one.form == "attribute" and one.call.has("flag"))
            wrong = [f".not. {v}"] if one.name in fortran.LOGICAL else [f"{v} /= {back + shift}"]
            return f"{self.kind_of_integer()} :: {v}", [f"{v} = {self.literal(given)}"], v, wrong if comes else []
        if one.dims == "[][3]":
            return f"integer :: {v}(3,2)", [f"{v} = 0", f"{v}(3,2) = {given}"], v, []
        comes = not one.const and not one.short and not (one.call.old and one.name == "array_of_blocklengths")
        if one.name in fortran.LOGICAL:
            return f"logical :: {v}(31)", [f"{v} = .true."], v, []
        return (f"{self.kind_of_integer()} :: {v}(2)", [f"{v} = [{given}, {given + 1}]"], v,
                [f"{v}({k + 1}) /= {back + k + shift}" for k in (0, 1)] if comes and one.name != "array_of_errcodes" else [])

    def tests_logical_array(self):
        return self.one.name in fortran.LOGICAL and self.one.form == "integers"


def stub(call, f08):
    values = [Value(one, i, f08) for i, one in enumerate(call.parameters)]
    lines = []
    for value in values:
        if value.tests_logical_array():
            lines.append(f'EXPECT({value.one.name}[0] == 1 && {value.one.name}[1] == 1, "{call.name}", "{value.one.name}");')
        else:
            lines += value.in_c()
    return lines


def subroutine(call, f08):
    values = [Value(one, i, f08).in_fortran() for i, one in enumerate(call.parameters)]
    lines = [f"subroutine test_{call.name}(code)", "integer :: code, ierror"] + sorted({value[0] for value in values})
    lines += [line for value in values for line in value[1]] + ["ierror = -5"]
    arguments = ", &\n  ".join([value[2] for value in values] + ["ierror"])
    lines += [f"call MPI_{call.name}({arguments})", f"if (ierror /= code) call differs('MPI_{call.name}: ierror')",
              "if (code /= 0) return"]
    for value, one in zip(values, call.parameters):
        for wrong in value[3]:
            lines.append(f"if ({wrong}) call differs('MPI_{call.name}: {one.name} that comes back')")
    return "\n".join(lines + ["end subroutine"]) + "\n"


def declarations(path):
    """{name: (type, parameters)} of calls.def."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return {name: (kind, parameters) for kind, name, parameters in
            re.findall(r"PEAL_MPI(?:_ABSENT)?\((\w+), (\w+), (\((?:[^()]|\([^()]*\))*\))\)", text)}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main():
    path = os.path.join(SOURCE, "include", "peal", "mpi", "calls.def")
    calls, declared = list(fortran.read_calls(path)), declarations(path)
    names = {f"{p}mpi_{name.lower()}_" for p in ("", "p") for name in {call.name for call in calls} | fortran.BY_HAND}
    exported = set(run(["nm", "-D", os.path.join(BUILD, "mpi", "libpealmpi.so")]).split())
    if names - exported:
        sys.exit(f"libpealmpi.so has no {', '.join(sorted(names - exported))}")
    flags = [f"-I{SOURCE}", f"-I{SOURCE}/include", f"-I{BUILD}", "-D_GNU_SOURCE", "-w", "-O0"]
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "calls.o")
        run(["cc", "-c", *flags, os.path.join(SOURCE, "mpi", "fortran", "fortran_calls.c"), "-o", library])
        for module in "mpi", "mpi_f08", "mpif.h":
            f08 = module == "mpi_f08"
            tried = [call for call in calls if not (f08 and call.old)]
            stubs = "".join(f"int PMPI_{call.name}{declared[call.name][1]}\n{{\n" +
                            "\n".join(stub(call, f08) if call in tried else []) + f'\nreturn leaves("{call.name}");\n}}\n'
                            for call in calls)
            program = os.path.join(folder, module)
            with open(program + "_stubs.c", "w", encoding="utf-8") as out:
                out.write(HEAD_C + stubs + HAND_C)
            with open(program + "_calls.f90", "w", encoding="utf-8") as out:
                uses = f"use {module}\n" if module != "mpif.h" else ""
                own = [subroutine(call, f08) for call in tried] + [HAND_F.format(77 if f08 else 0)]
                if not uses:  # each subroutine includes it
                    own = [re.sub(r"(subroutine .*\n)", r"\1include 'mpif.h'\n", one, count=1) for one in own]
                out.write(f"module calls\n{uses}contains\n" + "".join(own) + "end module\nprogram main\nuse calls\ncall begin\n" +
                          "".join(f"call answer({code})\n" + "".join(f"call test_{call.name}({code})\n" for call in tried) +
                                  f"call by_hand({code})\n" for code in (0, 7)) + "call finish\nend program\n")
            run(["cc", "-c", *flags, program + "_stubs.c", "-o", program + ".o"])
            run(["gfortran", "-w", "-fallow-argument-mismatch", f"-I{BUILD}/mpi", "-J", folder, program + "_calls.f90", program + ".o", library, "-o", program])
            done = subprocess.run([program], capture_output=True, text=True, check=False)
            print(f"{module}: {len(tried)} calls, {done.stdout}")
            if done.returncode != 0 or len(tried) < 300:
                sys.exit(f"exit {done.returncode}\n{done.stderr}")


main()
