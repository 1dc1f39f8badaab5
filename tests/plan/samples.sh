#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Generate the schedules of msccl-tools' examples and programs: samples.sh TOOLS OUT
#
# TOOLS is a checkout of microsoft/msccl-tools, OUT an empty folder outside of this repository.  What the package imports and does
# not need here is replaced by empty modules, so that Python alone is enough.
set -u
tools=$1 out=$2; cd "$tools"
work=$(mktemp -d); mkdir -p "$work/lxml"; echo > "$work/lxml/__init__.py"; echo "from xml.etree.ElementTree import *" > "$work/lxml/etree.py"
for m in z3 igraph humanfriendly tabulate argcomplete; do printf 'from unittest.mock import MagicMock\ndef __getattr__(name):\n    if name.startswith("__"): raise AttributeError(name)\n    return MagicMock()\n__all__ = ["Int"]\nInt = MagicMock()\n' > "$work/$m.py"; done
export PYTHONPATH=$work:$tools
E=examples/mscclang
g() { local name=$1; shift; if timeout 300 python3 "$@" >"$work/text" 2>"$work/why"; then
    sed '/<\/algo>/q' "$work/text" >"$out/$name.xml" # some print more after it
  else
    echo "$name: not generated: $(tail -1 "$work/why")"
  fi; }
g allgather_a100_pcie $E/allgather_a100_pcie.py 4 1
g allgather_allpairs $E/allgather_allpairs.py 8 1
g allgather_recursive_doubling $E/allgather_recursive_doubling.py 8 1
g allgather_ring $E/allgather_ring.py 8 2 1
g allreduce_1step $E/allreduce_1step.py 8 1
g allreduce_a100_allpairs $E/allreduce_a100_allpairs.py 8 1
g allreduce_a100_allpairs_v2 $E/allreduce_a100_allpairs_v2.py 8 1
g allreduce_a100_multinode_allpairs $E/allreduce_a100_multinode_allpairs.py 16 1
g allreduce_a100_ncv4 $E/allreduce_a100_ncv4.py 4 1
g allreduce_a100_ncv4_v2 $E/allreduce_a100_ncv4_v2.py 4 1
g allreduce_a100_pcie_hierarchical $E/allreduce_a100_pcie_hierarchical.py 8 1
g allreduce_a100_recursive_doubling_halving $E/allreduce_a100_recursive_doubling_halving.py 2 1
g allreduce_a100_ring $E/allreduce_a100_ring.py 8 4 1
g allreduce_binomial_tree $E/allreduce_binomial_tree.py 8 1 1
g allreduce_dgx1 $E/allreduce_dgx1.py 2 1
g allreduce_ndv2 $E/allreduce_ndv2.py 1
g allreduce_recursive_doubling_halving $E/allreduce_recursive_doubling_halving.py 8 1
g alltoall_a100_three_step $E/alltoall_a100_three_step.py 2 4 1
g alltoall_a100_two_step $E/alltoall_a100_two_step.py 2 4
g alltoall_allpairs $E/alltoall_allpairs.py 8 1
g alltonext_backward $E/alltonext_backward.py 2 1
g alltonext_forward $E/alltonext_forward.py 2 1
g hierarchical_allreduce $E/hierarchical_allreduce.py 4 2 1
g pipeline_a100_allpairs $E/pipeline_a100_allpairs.py 8 1
g pipeline_a100_ring $E/pipeline_a100_ring.py 8 4 1
g reducegather $E/reducegather.py 8 2
g reducescatter_allpairs $E/reducescatter_allpairs.py 8
g simple_allgather_ring $E/simple/allgather_ring.py
g simple_allreduce_ring $E/simple/allreduce_ring.py 8 1
g simple_custom_collective $E/simple/custom_collective.py
# The programs of the package, as its tests call them.
p() { # name, imports, collective, nodes, policy, call
  g "program_$1" -c "
import msccl
from msccl.language import *
from msccl.language.collectives import *
from msccl.topologies import fully_connected
from msccl.programs.$1 import *
with MSCCLProgram('$1', fully_connected($3), $2, 1, threadblock_policy=ThreadblockPolicy.$4):
    $5
    XML()
"
}
p allreduce_a100_ring 'AllReduce(8, 8, inplace=True)' 8 manual 'allreduce_ring(8, 8)'
p allreduce_allpairs 'AllReduce(8, 64, inplace=True)' 8 manual 'allreduce_allpairs(8)'
p alltoall_a100_yifan 'AllToAll(32, 1, inplace=False)' 32 auto 'alltoall_hierarchical(4, 8)'
p alltoall_a100_8kp1 'AllToAll(12, 1, inplace=False)' 12 auto 'alltoall_three_step(3, 4)'
rm -rf "$work"
