#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print a large MSCCL schedule: a ring all-gather of 64 GPUs on 8 channels, 32,768 steps.

    large.py > large.xml; time peal import large.xml
"""
P, CHANNELS = 64, 8


def step(number, kind, chunk):
    print(f'      <step s="{number}" type="{kind}" srcbuf="o" srcoff="{chunk}" dstbuf="o" dstoff="{chunk}" cnt="1" '
          f'depid="-1" deps="-1" hasdep="0"/>')


print(f'<algo name="ring" proto="Simple" nchannels="{CHANNELS}" nchunksperloop="{P * CHANNELS}" ngpus="{P}" coll="allgather" '
      f'inplace="1" outofplace="0" minBytes="0" maxBytes="0">')
for gpu in range(P):
    print(f'  <gpu id="{gpu}" i_chunks="{CHANNELS}" o_chunks="{P * CHANNELS}" s_chunks="0">')
    for c in range(CHANNELS):
        print(f'    <tb id="{c}" send="{(gpu + 1) % P}" recv="{(gpu - 1) % P}" chan="{c}">')
        step(0, 's', gpu * CHANNELS + c)
        for s in range(1, P):
            step(s, 'rcs' if s < P - 1 else 'r', (gpu - s) % P * CHANNELS + c)
        print('    </tb>')
    print('  </gpu>')
print('</algo>')
