#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print, in C, the names that Open MPI's interface has for Peal's handles, of its versions 4 and 5: openmpi.py MPI.H.

A handle there is the address of a symbol, whose name follows from the handle's but for the exceptions below."""
import re
import sys

EXCEPTIONS = {"REQUEST_NULL": "request_null", "MESSAGE_NULL": "message_null", "MESSAGE_NO_PROC": "message_no_proc",
              "ERRORS_ARE_FATAL": "mpi_errors_are_fatal", "ERRORS_RETURN": "mpi_errors_return", "LONG_DOUBLE_INT": "mpi_longdbl_int",
              "LONG_LONG": "mpi_long_long_int", "DOUBLE_PRECISION": "mpi_dblprec", "COMPLEX": "mpi_cplex", "DOUBLE_COMPLEX": "mpi_dblcplex",
              "2DOUBLE_PRECISION": "mpi_2dblprec", "C_COMPLEX": "mpi_c_float_complex", "CXX_FLOAT_COMPLEX": "mpi_cxx_cplex",
              "CXX_DOUBLE_COMPLEX": "mpi_cxx_dblcplex", "CXX_LONG_DOUBLE_COMPLEX": "mpi_cxx_ldblcplex"}
OPERATORS = "MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MAXLOC MINLOC REPLACE NO_OP".split()
# Types of Fortran that Peal does not have by these names.
SIZED = {"LOGICAL1": "MPI_INT8_T", "LOGICAL2": "MPI_INT16_T", "LOGICAL4": "MPI_LOGICAL", "LOGICAL8": "MPI_INT64_T"}

with open(sys.argv[1], encoding="utf-8") as opened:
    names = re.findall(r"^#define MPI_(\w+) PEAL_MPI_(?:HANDLE|TYPE)\((?!type)", opened.read(), re.M)
rows = [(EXCEPTIONS.get(n, ("mpi_op_" if n in OPERATORS else "mpi_") + n.lower()), f"MPI_{n}") for n in names]
rows += [(f"mpi_{n.lower()}", value) for n, value in SIZED.items()]
for symbol, value in rows:
    print(f"PREDEFINED(ompi_{symbol}, {value})")
