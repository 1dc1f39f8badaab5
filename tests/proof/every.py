#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proofs for every P: right algorithms are proved, and wrong ones never are.

  every.py PEAL PROVE SOURCES quick|table|mutants|functions|cache [ALGORITHM...]

quick: what a run of the command says, and the mutants that are soonest refused.  table: every algorithm of tools/peal/run/proved.def.  mutants: all of MUTANTS, without any run of theirs, so that nothing but the proof refuses them; of these algorithms only, if any is named.  functions: those of functions.c and functions_mpi.c, as a user has them checked.
cache: a proof from it is printed only where nothing has changed.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Those without logarithmic rounds take a second each; the others minutes, and are of the whole table only.
LINEAR = ['allgather/ring', 'allgather/spreading', 'scatter/linear', 'gather/linear', 'broadcast/linear', 'alltoall/linear',
          'alltoall/shift', 'alltoall/alternating-shift', 'reduce/linear', 'reduce-scatter/ring',
          'allreduce/reduce-scatter-allgather', 'barrier/linear', 'allgather/neighbour-exchange', 'shift/direct',
          'reduce-scatter/pairwise', 'barrier/double-ring']

# Of these one class is proved in the quick test: by each rule that has no linear algorithm.
ONE_CLASS = ['reduce-scatter/circulant', 'reduce-scatter/pat', 'allreduce/trivance', 'allreduce/swing-latency',
             'barrier/k-dissemination']

# Algorithm, what is replaced, by what; "late" ones are right to P = 64 at least, so that no run of few nodes finds them.
MUTANTS = [
    ('allgather/ring', 'i < P - 1;', 'i < P - 1 - (P > 100);'),
    ('allgather/ring', 'i < P - 1;', 'i < P - 1 - (P > 64);'),
    ('allgather/ring', 'i < P - 1;', 'i < P - 1 - (P == 1000);'),
    ('allgather/ring', 'blocks, r - i - 1), left', 'blocks, i == 70 ? r - i : r - i - 1), left'),
    ('allgather/ring', 'right = (r + 1) % P', 'right = (r + 1 + (P > 1000)) % P'),
    ('allgather/ring', 'blocks, r - i - 1), left', 'blocks, r - i), left'),
    ('allgather/ring', 'blocks, r - i), right', 'blocks, r + i), right'),
    ('allgather/ring', 'right = (r + 1) % P', 'right = (r + 2) % P'),
    ('allgather/ring', 'block_copy(me, own.data, in, own.words);', ''),
    ('allgather/ring', 'int i = 0; i < P - 1', 'int i = 1; i < P - 1'),
    ('allgather/ring', 'i < P - 1;', 'i < P;'),
    ('allgather/spreading', 'own, (r + i) % P', 'own, (r + i + (i == 77)) % P'),
    ('allgather/spreading', 'blocks, r - i), (r - i', 'blocks, i == 77 ? r : r - i), (r - i'),
    ('allgather/spreading', 'i < P;', 'i < P - (P > 1000);'),
    ('scatter/linear', 'if (i != root)', 'if (i != root && i != 100)'),
    ('scatter/linear', 'if (i != root)', 'if (i != root && !(root == 70 && i == 3))'),
    ('scatter/linear', 'blocks, i), i)', 'blocks, i == 99 ? 98 : i), i)'),
    ('scatter/linear', 'if (i != root)', 'if (i != root + 1)'),
    ('scatter/linear', 'block_copy(me, out, block_of(me, in, blocks, root).data', 'block_copy(me, out, block_of(me, in, blocks, 0).data'),
    ('scatter/linear', 'peal_wait_all(me);', ''),
    ('gather/linear', 'blocks, i), i)', 'blocks, i + (P_OF > 500 && i == 499)), i)'.replace('P_OF', 'peal_size(me)')),
    ('gather/linear', 'if (i != root)', 'if (i != root && i < 5000)'),
    ('gather/linear', 'peal_send_async(me, in, peal_blocks_words(blocks, peal_rank(me)), root)',
     'peal_send_async(me, in, peal_blocks_words(blocks, peal_rank(me)), root == 80 ? 0 : root)'),
    ('broadcast/linear', 'if (i != root)', 'if (i != root && i != 1234)'),
    ('broadcast/linear', 'int i = 0; i <', 'int i = 1; i <'),
    ('broadcast/linear', 'peal_recv_async(me, a, n, root);', 'peal_recv_async(me, a, n, peal_rank(me) == 65 ? 0 : root);'),
    ('alltoall/shift', 'i < P;', 'i < P - (P > 1000);'),
    ('alltoall/shift', 'in, send, dest), dest', 'in, send, i == 88 ? r : dest), dest'),
    ('alltoall/shift', 'source = (r - i + P) % P', 'source = (r - i + P + (i == 64)) % P'),
    ('alltoall/shift', 'out, receive, source), source', 'out, receive, dest), source'),
    ('alltoall/linear', 'i < P;', 'i < P - (P == 4097);'),
    ('alltoall/linear', 'in, send, dest), dest', 'in, send, source), dest'),
    ('alltoall/linear', 'own.data, own.words);', 'own.data, own.words); if (P > 900 && r == 7) peal_wait_all(me);'),
    ('alltoall/linear', 'post_recv(me, block_of(me, out, receive, source), source);',
     'post_recv(me, block_of(me, out, receive, i == 200 ? r : source), source);'),
    ('alltoall/linear', 'post_send(me, block_of(me, in, send, dest), dest);',
     'post_send(me, block_of(me, in, send, dest), dest); peal_wait_all(me);'),  # rendezvous: everybody waits
    ('alltoall/linear', 'post_send(me, block_of(me, in, send, dest), dest);',
     'if (i > 70) peal_wait_all(me); post_send(me, block_of(me, in, send, dest), dest);'),  # right, and not followed
    ('alltoall/linear', 'int dest = (r + i) % P, source = (r - i + P) % P;',
     'peal_wait_all(me); int dest = (r + i) % P, source = (r - i + P) % P;'),  # right, and not followed
    ('scatter/linear', 'for (int i = 0; i < peal_size(me); i++)\n            if (i != root)\n                post_send(me, block_of(me, in, blocks, i), i);',
     'for (int i = 0, c = 0; i < peal_size(me); i++) { if (i == root) continue; post_send(me, block_of(me, in, blocks, c), i); c++; }'),
    ('shift/direct', '(r + by) % P', '(r + by + (by == 66)) % P'),
    ('shift/direct', 'by == 0', 'by == 0 || by == 1000'),
    ('shift/direct', 'by == 0', 'by == -1'),
    # by classes of P
    ('broadcast/binomial', 'if (r + mask < P)', 'if (r + mask < P && r + mask != 100)'),
    ('broadcast/binomial', 'r - mask + root) % P', 'r - mask + root + (root == 70)) % P'),
    ('broadcast/binomial', 'mask >= 1; mask >>= 1', 'mask > (P > 1000); mask >>= 1'),
    ('broadcast/binomial', 'r > 0) {', 'r > 0 && r != 300) {'),
    ('broadcast/binomial-near', 'r < P - mask)', 'r < P - mask - (P == 129))'),
    ('broadcast/k-nomial', 'r < P - d * w', 'r < P - d * w - (P == 100)'),
    ('broadcast/scatter-allgather', 'i < P - 1;', 'i < P - 1 - (P > 64);'),
    ('scatter/binomial', 'end = partner + mask < P ? partner + mask : P', 'end = partner + mask < P ? partner + mask - (P == 100) : P'),
    ('scatter/binomial', 'bundle_recv(me, &mine, mine.span, (r - mask + root) % P)',
     'bundle_recv(me, &mine, mine.span, (r - mask + root + (r == 99)) % P)'),
    ('scatter/binomial', 'blocks, root).data', 'blocks, root == 65 ? 64 : root).data'),
    ('scatter/binomial', 'r + mask : P), blocks, out)', 'r + mask : P - (P == 200)), blocks, out)'),
    ('scatter/binomial', 'partner, end), (partner + root) % P', 'partner, end), (partner + root + (mask == 64)) % P'),
    ('scatter/binomial', 'if (partner < P)', 'if (partner < P && partner != 100)'),
    ('scatter/binomial', 'mask >= 1; mask >>= 1', 'mask > (P > 1000); mask >>= 1'),
    ('scatter/binomial', 'if (r == 0)\n        block_copy', 'if (r == 0 && P != 1000)\n        block_copy'),
    ('scatter/binomial', '1 << ceiling_log2(P) >> 1', '1 << ceiling_log2(P) >> 1 >> (P > 128)'),
    ('gather/binomial', 'partner + mask < P ? partner + mask : P', 'partner + mask < P ? partner + mask : P - (P == 100)'),
    ('gather/binomial', 'else if (partner < P)', 'else if (partner < P && !(r == 64 && mask == 4))'),
    ('gather/binomial', 'mine.span, (partner + root) % P', 'mine.span, (partner + root + (root == 90)) % P'),
    ('gather/binomial', 'r == 0 ? P : r & -r', 'r == 0 ? P : r == 96 ? 16 : r & -r'),
    ('gather/binomial', 'block_copy(me, block_of', 'if (P != 1000) block_copy(me, block_of'),
    ('gather/binomial', 'mask <<= 1)', 'mask <<= 1 + (mask == 64))'),
    ('gather/binomial', 'if (r & mask) {', 'if ((r & mask) && r != 77) {'),
    ('gather/binomial', 'mask < P; mask', 'mask < P - (P == 65); mask'),
    ('allgather/bruck', '(r - a + P) % P', '(r - a + P + (P > 64 && a == 32)) % P'),
    ('allgather/bruck', 'r, count, x)', 'r + (a == 64), count, x)'),
    ('allgather/gather-broadcast', 'blocks, 0, out)', 'blocks, peal_size(me) > 100, out)'),
    ('allgather/gather-broadcast', 'blocks), 0)', 'blocks), peal_size(me) == 200)'),
    ('allgather/gather-broadcast', 'gather_binomial.run', 'if (peal_rank(me) != 100) gather_binomial.run'),
    ('allgather/gather-broadcast', 'gather_binomial.run', 'if (peal_size(me) != 300) gather_binomial.run'),
    ('allgather/gather-broadcast', 'broadcast_binomial.run', 'if (peal_size(me) < 500) broadcast_binomial.run'),
    ('allgather/gather-broadcast', 'broadcast_binomial.run', 'if (peal_size(me) > 70 && peal_rank(me) == 5) return; broadcast_binomial.run'),
    ('allgather/gather-broadcast', '(me, in, blocks, 0', '(me, peal_size(me) == 90 ? out : in, blocks, 0'),
    ('allgather/gather-broadcast', '(me, out, blocks_all', '(me, peal_size(me) == 80 ? (void *)in : out, blocks_all'),
    ('allgather/gather-broadcast', 'blocks), 0)', 'blocks) - (peal_size(me) == 150), 0)'),
    ('allgather/gather-broadcast', 'broadcast_binomial.run.broadcast(me, out, blocks_all(me, blocks), 0);', ''),
    ('allgather/circulant', 'k < q;', 'k < q - (P > 64);'),
    ('allgather/circulant', 'int k = 0; k < q', 'int k = P > 200; k < q'),
    ('allgather/circulant', 's[k + 1] - s[k], sent', 's[k + 1] - s[k] - (P == 100 && k == 3), sent'),
    ('allgather/circulant', '(r - s[k] + P) % P', '(r - s[k] + P + (s[k] == 65)) % P'),
    ('allgather/circulant', 'r + s[k] - P, count', 'r + s[k] - P + (k == 7), count'),
    ('allgather/circulant', 'blocks, r, count, x)', 'blocks, r + (P == 1000), count, x)'),
    ('allgather/circulant', '(r + s[k]) % P);', '(r + s[k] + (P > 500 && k == 2)) % P);'),
    ('allgather/circulant', 'q = circulant_skips(P, s);', 'q = circulant_skips(P, s); s[3] += P == 300 ? 2 : 0;'),
    ('allgather/circulant', 'block_copy(me, own.data, in, own.words);', 'if (P != 1000) block_copy(me, own.data, in, own.words);'),
    ('allgather/circulant', 'block_copy(me, own.data, in, own.words);', 'if (r != 99) block_copy(me, own.data, in, own.words);'),
    ('allgather/trivance', 'i < count;', 'i < count - (P > 100);'),
    ('allgather/trivance', '(r + s->up_by) % P);', '(r + s->up_by + (s->up_by == 81)) % P);'),
    ('allgather/trivance', 'last + 1 - P, s->up', 'last + 1 - P + (P == 1000), s->up'),
    ('allgather/trivance', 'last - s->up + 1,', 'last - s->up + (i < 5),'),
    ('allgather/trivance', 's->down > 0', 's->down > 0 && P != 200'),
    ('allgather/trivance', 'first - s->down, s->down', 'first - s->down + (r == 77), s->down'),
    ('allgather/trivance', 'r - s->reach + P,', 'r - s->reach + P - (s->reach > 40),'),
    ('allgather/trivance', '(r + s->down_by) % P', '(r + s->down_by + (s->down_by == 81)) % P'),
    ('allgather/trivance', '        peal_wait_all(me);', '        if (i != 4)\n            peal_wait_all(me);'),
    ('allgather/trivance', 'block_copy(me, own.data, in, own.words);', 'if (P != 1000) block_copy(me, own.data, in, own.words);'),
    ('allgather/sparbit', 'i < P - d; i', 'i < P - d - (P == 100); i'),
    ('allgather/sparbit', 'i < P - d; i', 'i < P - d - (P > 1000 && d == 1); i'),
    ('allgather/sparbit', 'blocks, r - i)', 'blocks, r - i + (i == 96))'),
    ('allgather/sparbit', 'r - d - i)', 'r - d - i - (d == 64))'),
    ('allgather/sparbit', 'i += 2 * d', 'i += d > 32 ? d : 2 * d'),
    ('allgather/sparbit', 'd >= 1; d', 'd > (P > 200); d'),
    ('allgather/sparbit', '(r + d) % P', '(r + d + (d == 128)) % P'),
    ('allgather/sparbit', 'list_add(&y', 'if (i != 80) list_add(&y'),
    ('allgather/sparbit', 'x = list_with_room(me, (P + 1) / 2)', 'x = list_with_room(me, P / 2 - (P > 300))'),
    ('allgather/sparbit', 'block_copy(me, own.data, in, own.words);', 'if (P != 1000) block_copy(me, own.data, in, own.words);'),
    ('allgather/pat', 'i < P; i += walk', 'i < P - (P == 100); i += walk'),
    ('allgather/pat', 'r + walk.d - i)', 'r + walk.d - i + (walk.d == 64))'),
    ('allgather/pat', 'blocks, r - i)', 'blocks, r - i + (P == 70))'),
    ('allgather/pat', '(r + walk.d) % P', '(r + walk.d + (walk.d == 128)) % P'),
    ('allgather/pat', '(r - walk.d + P) % P', '(r - walk.d + P + (P > 1000)) % P'),
    ('allgather/pat', 'walk.d > 0; next', 'walk.d > (P > 200); next'),
    ('allgather/pat', '2 * d : walk->D', '2 * d : walk->D + (walk->P > 300)'),
    ('allgather/pat', 'move_to(walk, walk->d / 2, ', 'move_to(walk, walk->d / 2 + (walk->d == 128), '),
    ('allgather/pat', 'if (walk->d > walk->D)', 'if (walk->d > walk->D + (walk->P == 81 ? 2 : 0))'),
    ('allgather/pat', 'block_copy(me, own.data, in, own.words);', 'if (P != 1000) block_copy(me, own.data, in, own.words);'),
    ('allgather/pair', 'i < P;', 'i < P - (P > 64);'),
    ('allgather/pair', 'own, r ^ i,', 'own, r ^ i ^ (i == 70),'),
    ('alltoall/xor', 'i < P;', 'i < P - (P == 1024);'),
    ('allgather/neighbour-exchange', 'i < P / 2;', 'i < P / 2 - (P > 100);'),
    ('allgather/neighbour-exchange', 'away = i % 2 == 1 ? t : -t', 'away = i % 2 == 1 || i == 70 ? t : -t'),
    # collectives that combine, and barriers
    ('barrier/tree', 'mask < P &&', 'mask < P - (P == 65) &&'),
    ('barrier/tree', 'if ((r | mask) < P)', 'if ((r | mask) < P - (P == 100))'),
    ('barrier/tree', 'if (r > 0)', 'if (r > 0 && r != 77)'),
    ('barrier/tree', 'NULL, 0, r ^ mask);', 'NULL, 0, (r ^ mask) + (r == 96));'),
    ('barrier/tree', 'mask >= 1; mask >>= 1', 'mask > (P > 1000); mask >>= 1'),
    ('barrier/tree', 'for (mask >>= 1;', 'for (;'),
    ('barrier/tree', 'mask = 1;', 'mask = 2;'),
    ('barrier/tree', 'peal_recv(me, NULL, 0, r | mask);', 'if (r != 64) peal_recv(me, NULL, 0, r | mask);'),
    ('barrier/tree', 'peal_send(me, NULL, 0, r | mask);', 'peal_send(me, NULL, 0, (r | mask) ^ (mask == 64));'),
    ('barrier/tree', 'mask <<= 1)', 'mask <<= 1 + (mask == 64))'),
    ('barrier/tree', 'peal_sendrecv(me, NULL, 0, r ^ mask, NULL, 0, r ^ mask);', 'peal_send(me, NULL, 0, r ^ mask);'),
    ('barrier/tree', 'peal_sendrecv(me, NULL, 0, r ^ mask, NULL, 0, r ^ mask);', 'peal_recv(me, NULL, 0, r ^ mask), peal_send(me, NULL, 0, r ^ mask);'),
    ('reduce-scatter/pairwise', 'i < P;', 'i < P - (P > 64);'),
    ('reduce-scatter/pairwise', '(r + i) % P', '(r + i + (i == 77)) % P'),
    ('reduce-scatter/pairwise', 'source < r', 'source < r - (r == 99)'),
    ('reduce-scatter/pairwise', 'source == P - 1', 'source == P - 1 - (P == 1000)'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, out, out, m);', 'peal_combine(op, i > 100 ? out : x, i > 100 ? x : out, out, m);'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, out, out, m);', 'if (i == 100) peal_combine(op, out, x, out, m); else peal_combine(op, x, out, out, m);'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, out, out, m);', 'if (i != 90) peal_combine(op, x, out, out, m);'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, out, out, m);', 'peal_combine(op, x, out, out, m); if (i == 200) peal_combine(op, x, out, out, m);'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, higher, higher, m);', 'peal_combine(op, higher, x, higher, m);'),
    ('reduce-scatter/pairwise', 'peal_combine(op, x, higher, higher, m);', 'peal_combine(op, x, out, higher, m);'),
    ('reduce-scatter/pairwise', 'if (r < P - 1)', 'if (r < P - 1 && P != 128)'),
    ('reduce-scatter/pairwise', 'if (r < P - 1)', 'if (r < P - 1 - (P > 90))'),
    ('reduce-scatter/pairwise', 'peal_combine(op, out, higher, out, m);', 'peal_combine(op, higher, out, out, m);'),
    ('reduce-scatter/pairwise', 'block_copy(me, out, block_of(me, in, blocks, r).data, m);', ''),
    ('reduce-scatter/pairwise', 'block_of(me, in, blocks, dest), dest', 'block_of(me, in, blocks, i == 88 ? r : dest), dest'),
    ('reduce-scatter/pairwise', 'block_copy(me, higher, x, m);', 'if (P != 300) block_copy(me, higher, x, m);'),
    ('scan/shift-doubling', 'd < P;', 'd < P - (P == 65);'),
    ('scan/shift-doubling', 'd < P;', 'd <= P / (1 + (P > 100));'),
    ('scan/shift-doubling', 'd <<= 1', 'd <<= 1 + (d == 64)'),
    ('scan/shift-doubling', 'if (r + d < P)', 'if (r + d < P && r + d != 100)'),
    ('scan/shift-doubling', 'if (r >= d)\n            peal_combine', 'if (r >= d && r != 99)\n            peal_combine'),
    ('scan/shift-doubling', 'n, r - d);', 'n, r - d + (r == 101));'),
    ('scan/shift-doubling', 'peal_combine(op, x, a, a, n);', 'peal_combine(op, a, x, a, n);'),
    ('scan/shift-doubling', 'peal_combine(op, x, a, a, n);', 'if (d == 64) peal_combine(op, a, x, a, n); else peal_combine(op, x, a, a, n);'),
    ('scan/shift-doubling', 'peal_combine(op, x, a, a, n);', 'if (P < 1000 || d > 1) peal_combine(op, x, a, a, n);'),
    ('scan/shift-doubling', 'int d = 1;', 'int d = 2;'),
    ('exscan/shift-doubling', 'covered < P - 1; k++', 'covered < P - 1 - (P == 66); k++'),
    ('exscan/shift-doubling', 'r + d < P &&', 'r + d < P - (P == 100) &&'),
    ('exscan/shift-doubling', 'peal_combine(op, x, sum, sum, n);', 'peal_combine(op, sum, x, sum, n);'),
    ('exscan/shift-doubling', 'if (receives && covered > 0)', 'if (receives && covered > 0 && covered != 64)'),
    ('exscan/shift-doubling', 'block_copy(me, a, sum, n);', 'if (r != 100) block_copy(me, a, sum, n);'),
    ('exscan/shift-doubling', 'covered += d;', 'covered += d + (P > 1000);'),
    ('exscan/shift-doubling', 'r > d;', 'r > d + (P == 129);'),
    ('exscan/shift-doubling', 'n, r - d);', 'n, r - d - (r == 90));'),
    ('exscan/shift-doubling', '!adds ? sum :', '!adds && r != 70 ? sum :'),
    ('exscan/shift-doubling', 'OWN = 1', 'OWN = 2'),
    ('exscan/123-doubling', 'covered < P - 1; k++', 'covered < P - 1 - (P == 98); k++'),
    ('exscan/123-doubling', 'peal_combine(op, sum, a, both, n);', 'peal_combine(op, a, sum, both, n);'),
    ('exscan/123-doubling', 'covered > 0 && r > 0)', 'covered > 0 && r > 0 && r != 77)'),
    ('exscan/123-doubling', 'peal_combine(op, x, sum, sum, n);', 'if (covered != 48) peal_combine(op, x, sum, sum, n); else peal_combine(op, sum, x, sum, n);'),
    ('exscan/123-doubling', 'r >= d : r > d;', 'r >= d + (P == 129) : r > d;'),
    ('exscan/123-doubling', 'covered > 0 && r > 0 ? both', 'covered > 0 && r > 0 && P < 1000 ? both'),
    ('scan/recursive-doubling', 'd < P;', 'd < P - (P == 65);'),
    ('scan/recursive-doubling', 'd < P;', 'd < P / (1 + (P > 100));'),
    ('scan/recursive-doubling', 'partner = r ^ d;', 'partner = r ^ d ^ (d == 32 && P > 64 ? 64 : 0);'),
    ('scan/recursive-doubling', 'partner >= P', 'partner >= P - (P == 130)'),
    ('scan/recursive-doubling', 'group, n, partner, x, n, partner', 'd == 64 ? a : group, n, partner, x, n, partner'),
    ('scan/recursive-doubling', 'peal_combine(op, x, a, a, n);', 'peal_combine(op, a, x, a, n);'),
    ('scan/recursive-doubling', 'peal_combine(op, x, a, a, n);', 'if (d == 64) peal_combine(op, a, x, a, n); else peal_combine(op, x, a, a, n);'),
    ('scan/recursive-doubling', 'peal_combine(op, x, a, a, n);', 'if (r != 100) peal_combine(op, x, a, a, n);'),
    ('scan/recursive-doubling', 'peal_combine(op, x, group, group, n);', 'if (d != 32) peal_combine(op, x, group, group, n);'),
    ('scan/recursive-doubling', 'peal_combine(op, group, x, group, n);', 'if (d < 32) peal_combine(op, group, x, group, n); else peal_combine(op, x, group, group, n);'),
    ('scan/recursive-doubling', 'if (partner < r)', 'if (partner < r && r != 99)'),
    ('scan/recursive-doubling', 'd <<= 1', 'd <<= 1 + (d == 64)'),
    ('scan/recursive-doubling', 'peal_next_round(me);', 'peal_next_round(me), peal_combine(op, a, P > 200 ? group : a, a, n);'),
    ('exscan/recursive-doubling', 'd < P;', 'd < P - (P == 65);'),
    ('exscan/recursive-doubling', 'partner >= P', 'partner >= P - (P == 140)'),
    ('exscan/recursive-doubling', 'partner = r ^ d;', 'partner = r ^ d ^ (P > 100 && d == 1);'),
    ('exscan/recursive-doubling', 'bool nothing = true;', 'bool nothing = r != 70;'),
    ('exscan/recursive-doubling', 'nothing = false;', 'nothing = r == 97;'),
    ('exscan/recursive-doubling', 'if (nothing)', 'if (nothing && d != 64)'),
    ('exscan/recursive-doubling', 'peal_combine(op, x, a, a, n);', 'peal_combine(op, a, x, a, n);'),
    ('exscan/recursive-doubling', 'peal_combine(op, x, a, a, n);', 'if (d == 64) peal_combine(op, a, x, a, n); else peal_combine(op, x, a, a, n);'),
    ('exscan/recursive-doubling', 'peal_combine(op, group, x, group, n);', 'peal_combine(op, d == 32 ? x : group, x, group, n);'),
    ('exscan/recursive-doubling', 'peal_combine(op, x, group, group, n);', 'if (d != 32) peal_combine(op, x, group, group, n);'),
    ('exscan/recursive-doubling', 'group, n, partner, x, n, partner', 'd == 64 ? a : group, n, partner, x, n, partner'),
    ('exscan/recursive-doubling', 'if (partner > r)', 'if (partner > r && r != 95)'),
    ('reduce/linear', 'int i = 1; i < root', 'int i = 1; i < root - (root > 70)'),
    ('reduce/linear', 'peal_combine(op, a, x, a, n);', 'peal_combine(op, i > 100 ? x : a, i > 100 ? a : x, a, n);'),
    ('reduce/linear', 'peal_combine(op, a, x, a, n);', 'if (i == 100) peal_combine(op, x, a, a, n); else peal_combine(op, a, x, a, n);'),
    ('reduce/linear', 'peal_combine(op, a, x, a, n);', 'if (i != 90) peal_combine(op, a, x, a, n);'),
    ('reduce/linear', 'peal_combine(op, a, x, a, n);', 'peal_combine(op, a, x, a, n); if (i == 200) peal_combine(op, a, x, a, n);'),
    ('reduce/linear', 'peal_combine(op, lower, x, lower, n);', 'peal_combine(op, x, lower, lower, n);'),
    ('reduce/linear', 'peal_recv(me, x, n, i);\n            peal_combine(op, lower', 'peal_recv(me, x, n, i == 80 ? 81 : i);\n            peal_combine(op, lower'),
    ('reduce/linear', 'peal_combine(op, lower, a, a, n);', 'if (root != 128) peal_combine(op, lower, a, a, n);'),
    ('reduce/linear', 'peal_combine(op, lower, a, a, n);', 'peal_combine(op, a, lower, a, n);'),
    ('reduce/linear', 'peal_send(me, a, n, root);', 'peal_combine(op, a, a, a, n); peal_send(me, a, n, root);'),
    ('reduce/linear', 'peal_send(me, a, n, root);', 'peal_send(me, a, n, peal_rank(me) == 99 ? 0 : root);'),
    ('reduce/linear', 'root + 1; i < P;', 'root + 1; i < P - (P == 1000);'),
    ('reduce/linear', 'peal_recv(me, lower, n, 0);', ''),
    ('reduce/k-nomial', 'w < P; w = w', 'w < P - (P == 65); w = w'),
    ('reduce/k-nomial', 'if (digit > 0) {', 'if (digit > 0 && r != 77) {'),
    ('reduce/k-nomial', '(r - digit * w + root) % P', '(r - digit * w + root + (w == 64)) % P'),
    ('reduce/k-nomial', 'if (r >= P - d * w) {', 'if (r >= P - d * w - (P == 100)) {'),
    ('reduce/k-nomial', 'if (r >= P - d * w) {', 'if (r >= P - d * w || r + d * w == 100) {'),
    ('reduce/k-nomial', '(r + d * w + root) % P', '(r + d * w + root + (root == 90)) % P'),
    ('reduce/k-nomial', 'peal_combine(op, sum, x, mine, n);', 'peal_combine(op, x, sum, mine, n);'),
    ('reduce/k-nomial', 'peal_combine(op, sum, x, mine, n);', 'if (w == 64) peal_combine(op, x, sum, mine, n); else peal_combine(op, sum, x, mine, n);'),
    ('reduce/k-nomial', 'peal_combine(op, sum, x, mine, n);', 'if (w != 64) peal_combine(op, sum, x, mine, n);'),
    ('reduce/k-nomial', 'peal_combine(op, sum, x, mine, n);', 'peal_combine(op, sum, x, mine, n); if (w == 128) peal_combine(op, mine, x, mine, n);'),
    ('reduce/k-nomial', 'mine = r == 0 ? a', 'mine = r == 0 || r == 96 ? a'),
    ('reduce/k-nomial', 'sum = mine;', 'sum = r == 80 ? a : mine;'),
    ('reduce/k-nomial', 'peal_send(me, sum, n,', 'peal_send(me, P > 1000 ? a : sum, n,'),
    ('reduce/k-nomial', ': K - 1;', ': K - 1 - (w == 64);'),
    ('reduce/k-nomial', '            peal_recv(me', '            for (int z = 0; z < 1 + (P > 100); z++) peal_recv(me'),  # it looks like the one before
    ('reduce/k-nomial', '            peal_recv(me', '            for (int z = 0; z < 2; z++) if (z > 0 || P > 100) peal_recv(me'),
    ('reduce/k-nomial', '            peal_send(me', '            for (int z = 0; z < 1 + (P > 100); z++) peal_send(me'),
    ('allreduce/reduce-broadcast', 'mask < P && (r', 'mask < P - (P == 65) && (r'),
    ('allreduce/reduce-broadcast', 'if ((r | mask) >= P)', 'if ((r | mask) >= P - (P == 100))'),
    ('allreduce/reduce-broadcast', 'peal_recv(me, x, n, r | mask);', 'peal_recv(me, x, n, (r | mask) ^ (mask == 64));'),
    ('allreduce/reduce-broadcast', 'peal_recv(me, x, n, r | mask);', 'for (int z = 0; z < 1 + (P > 100); z++) peal_recv(me, x, n, r | mask);'),
    ('allreduce/reduce-broadcast', 'peal_combine(op, sum, x, mine, n);', 'peal_combine(op, x, sum, mine, n);'),
    ('allreduce/reduce-broadcast', 'peal_combine(op, sum, x, mine, n);', 'if (mask == 64) peal_combine(op, x, sum, mine, n); else peal_combine(op, sum, x, mine, n);'),
    ('allreduce/reduce-broadcast', 'peal_combine(op, sum, x, mine, n);', 'if (mask != 64) peal_combine(op, sum, x, mine, n);'),
    ('allreduce/reduce-broadcast', 'peal_combine(op, sum, x, mine, n);', 'peal_combine(op, sum, x, mine, n); if (mask == 128) peal_combine(op, mine, x, mine, n);'),
    ('allreduce/reduce-broadcast', 'sum = mine;', 'if (r != 80) sum = mine;'),
    ('allreduce/reduce-broadcast', 'peal_sendrecv(me, sum, n', 'peal_sendrecv(me, P > 200 ? a : sum, n'),
    ('allreduce/reduce-broadcast', 'else if (r > 0) {', 'else if (r > 0 && r != 77) {'),
    ('allreduce/reduce-broadcast', '        peal_send(me, a, n, r ^ mask);', '        peal_send(me, a, n, r ^ mask ^ (r == 99));'),
    ('allreduce/reduce-broadcast', 'mask >= 1; mask >>= 1', 'mask > (P > 1000); mask >>= 1'),
    ('allreduce/reduce-broadcast', 'if ((r | mask) < P)', 'if ((r | mask) < P && (r | mask) != 100)'),
    ('allreduce/reduce-broadcast', 'for (mask >>= 1;', 'for (;'),
    ('reduce-scatter/ring', 'i < P - 1;', 'i < P - 1 - (P > 64);'),
    ('reduce-scatter/ring', 'x, own.data, y', 'i == 70 ? own.data : x, own.data, y'),
    ('reduce-scatter/ring', 'r - i - 2)', 'r - i - 2 + (i == 99))'),
    ('reduce-scatter/ring', 'in, blocks, r - 1)', 'in, blocks, r - 1 - (P == 1000))'),
    ('reduce-scatter/ring', 'in, blocks, r - 1)', 'in, blocks, r)'),
    ('reduce-scatter/ring', 'sum = (struct peal_piece){y, own.words};', 'if (i != 80) sum = (struct peal_piece){y, own.words};'),
    ('reduce-scatter/ring', 'peal_combine(op, x, own.data, y, own.words);', 'if (i != 80) peal_combine(op, x, own.data, y, own.words);'),
    ('reduce-scatter/ring', 'peal_combine(op, x, own.data, y, own.words);', 'peal_combine(op, own.data, own.data, y, own.words);'),
    ('reduce-scatter/ring', '{y, own.words}', '{x, own.words}'),
    ('reduce-scatter/ring', 'block_copy(me, out, sum.data', 'block_copy(me, out, P > 100 ? x : y'),
    ('allreduce/reduce-scatter-allgather', 'me, own, &cut, a)', 'me, own, &cut, a); if (peal_size(me) == 100) peal_combine(op, a, a, a, n)'),
    ('allreduce/reduce-scatter-allgather', 'a, &cut, peal_rank(me)).data', 'a, &cut, peal_rank(me) + 1).data'),
    ('allreduce/reduce-scatter-allgather', 'allgather_ring.run', 'if (peal_size(me) < 90) allgather_ring.run'),
    ('barrier/linear', 'peal_rank(me) > 0', 'peal_rank(me) > 0 && peal_rank(me) != 100'),
    ('barrier/linear', 'gather_linear.run.gather(me, NULL, &none, 0, NULL);', ''),
    ('barrier/linear', 'broadcast_linear.run.broadcast(me, NULL, 0, 0);', ''),
    ('barrier/linear', 'peal_sendrecv(me, NULL, 0, 0, NULL, 0, 0)', 'peal_sendrecv(me, NULL, 0, 0, NULL, 0, peal_rank(me) == 77)'),
    ('barrier/dissemination', 'd < P;', 'd < P - (P == 65);'),
    ('barrier/dissemination', 'd < P;', 'd < P / (1 + (P > 100));'),
    ('barrier/dissemination', '(r + d) % P', '(r + d + (d == 64)) % P'),
    ('barrier/dissemination', 'd <<= 1', 'd <<= 1 + (d == 64)'),
    ('barrier/dissemination', 'int d = 1;', 'int d = 2;'),
    ('scatter/k-nomial', 'begin < P - w ? begin + w : P;', 'begin < P - w ? begin + w : P - (P == 100);'),
    ('scatter/k-nomial', 'r + w < P ? r + w : P);', 'r + w < P ? r + w : P - (P == 200));'),
    ('scatter/k-nomial', 'if (r < P - d * w)', 'if (r < P - d * w && r + d * w != 100)'),
    ('scatter/k-nomial', 'w >= 1; w /= K', 'w > (P > 1000); w /= K'),
    ('scatter/k-nomial', 'w <= (P - 1) / K', 'w <= (P - 1) / K - (P == 129)'),
    ('scatter/k-nomial', '(begin + root) % P', '(begin + root + (root == 65)) % P'),
    ('scatter/k-nomial', '(r - digit * w + root) % P', '(r - digit * w + root + (w == 64)) % P'),
    ('scatter/k-nomial', 'blocks, root).data', 'blocks, root == 65 ? 64 : root).data'),
    ('scatter/k-nomial', 'if (r == 0)\n        block_copy', 'if (r == 0 && P != 1000)\n        block_copy'),
    ('gather/k-nomial', 'begin + w < P ? (int)(begin + w) : P)', 'begin + w < P ? (int)(begin + w) : P - (P == 100))'),
    ('gather/k-nomial', 'r + subtree < P ? (int)(r + subtree) : P)', 'r + subtree < P ? (int)(r + subtree) : P - (P == 200))'),
    ('gather/k-nomial', 'if (digit == 0 && begin < P)', 'if (digit == 0 && begin < P && begin != 100)'),
    ('gather/k-nomial', 'w < P; w *= K', 'w < P - (P == 65); w *= K'),
    ('gather/k-nomial', '(int)((begin + root) % P)', '(int)((begin + root + (root == 65)) % P)'),
    ('gather/k-nomial', '(r - digit * w + root) % P', '(r - digit * w + root + (w == 64)) % P'),
    ('gather/k-nomial', 'block_copy(me, block_of', 'if (P != 1000) block_copy(me, block_of'),
    ('gather/k-nomial', 'if (digit > 0) {', 'if (digit > 0 && r != 77) {'),
    # in any order, each part once
    ('reduce-scatter/circulant', 'k >= 0; k--', 'k >= (P > 100); k--'),
    ('reduce-scatter/circulant', 'int k = q - 1;', 'int k = q - 1 - (P > 1000);'),
    ('reduce-scatter/circulant', 'skips[k + 1] - s;', 'skips[k + 1] - s - (P == 100 && k == 3);'),
    ('reduce-scatter/circulant', 'blocks, r + s, count', 'blocks, r + s + (s == 65), count'),
    ('reduce-scatter/circulant', '(r + s) % P', '(r + s + (P > 500 && k == 2)) % P'),
    ('reduce-scatter/circulant', '(r - s + P) % P', '(r - s + P + (k == 7)) % P'),
    ('reduce-scatter/circulant', 'combine_pieces(op', 'if (P != 1000) combine_pieces(op'),
    ('reduce-scatter/circulant', 'combine_pieces(op', 'if (k != 6) combine_pieces(op'),
    ('reduce-scatter/circulant', 'combine_pieces(op', 'for (int z = 0; z < 1 + (P > 64 && k == 0); z++) combine_pieces(op'),
    ('reduce-scatter/circulant', 'block_copy(me, sum, in, n);', 'if (r != 99) block_copy(me, sum, in, n);'),
    ('reduce-scatter/circulant', 'sum, blocks, r, count, kept', 'sum, blocks, r + (P == 300), count, kept'),
    ('reduce-scatter/circulant', 'got, keeps,', 'got, P == 200 ? 1 : keeps,'),
    ('reduce-scatter/trivance', 'combine_pieces(op', 'if (count != 81) combine_pieces(op'),
    ('reduce-scatter/trivance', '- 1; i >= 0', '- 1; i >= (P > 100)'),
    ('reduce-scatter/trivance', '(r + s->up_by) % P', '(r + s->up_by + (s->up_by == 81)) % P'),
    ('reduce-scatter/trivance', 'last + 1 - P, s->up', 'last + 1 - P + (P == 1000), s->up'),
    ('reduce-scatter/trivance', 's->down > 0) {', 's->down > 0 && P != 200) {'),
    ('reduce-scatter/trivance', 'first - s->down, s->down', 'first - s->down + (r == 77), s->down'),
    ('reduce-scatter/trivance', 'add(me, op, sum, y', 'add(me, op, sum, P > 1000 ? x : y'),
    ('reduce-scatter/trivance', '            add(me, op, sum, y', '            if (P != 300) add(me, op, sum, y'),
    ('reduce-scatter/trivance', '        peal_wait_all(me);', '        if (i != 4)\n            peal_wait_all(me);'),
    ('reduce-scatter/trivance', 'add(me, op, sum, x', 'for (int z = 0; z < 1 + (i == 4); z++) add(me, op, sum, x'),
    ('allreduce/circulant', 'reduce_scatter_circulant.run', 'if (peal_size(me) != 300) reduce_scatter_circulant.run'),
    ('allreduce/circulant', 'reduce_scatter_circulant.run', 'for (int z = 0; z < 1 + (peal_size(me) == 200); z++) reduce_scatter_circulant.run'),
    ('allreduce/circulant', 'allgather_circulant.run', 'if (peal_size(me) < 500) allgather_circulant.run'),
    ('allreduce/circulant', 'allgather_circulant.run', 'if (peal_size(me) == 150) peal_combine(op, a, a, a, n); allgather_circulant.run'),
    ('allreduce/circulant', 'peal_rank(me)).data', 'peal_rank(me) + (peal_size(me) == 90)).data'),
    ('allreduce/circulant', '(me, own, &cut, a)', '(me, peal_size(me) == 80 ? a : own, &cut, a)'),
    ('allreduce/circulant', '(me, own, &cut, a);', '(me, own, &cut, a); if (peal_size(me) == 100) peal_combine(op, a, a, a, n);'),
    ('allreduce/trivance', 'reduce_scatter_trivance.run', 'if (peal_size(me) != 300) reduce_scatter_trivance.run'),
    ('allreduce/trivance', 'allgather_trivance.run', 'if (peal_size(me) < 500) allgather_trivance.run'),
    ('allreduce/trivance', 'peal_rank(me)).data', 'peal_rank(me) + (peal_size(me) == 90)).data'),
    ('allreduce/trivance', '(me, own, &cut, a);', '(me, own, &cut, a); if (peal_size(me) == 100) peal_combine(op, a, a, a, n);'),
    ('reduce-scatter/pat', 'y < P; y +=', 'y < P - (P == 100); y +='),
    ('reduce-scatter/pat', 'r - y))', 'r - y + (P == 70)))'),
    ('reduce-scatter/pat', '(r - turn.d + P) % P', '(r - turn.d + P + (P > 1000)) % P'),
    ('reduce-scatter/pat', '(r + turn.d) % P);', '(r + turn.d + (turn.d == 128)) % P);'),
    ('reduce-scatter/pat', 'i < turns(P, D); i++', 'i < turns(P, D) - (P > 200); i++'),
    ('reduce-scatter/pat', 'list_add(&kept', 'if (y != 80) list_add(&kept'),
    ('reduce-scatter/pat', 'block_of(me, x, blocks, r - y + turn.d', 'block_of(me, x, blocks, r - y + turn.d + (turn.d == 64)'),
    ('reduce-scatter/pat', 'combine_pieces(op', 'if (turn.d != 64) combine_pieces(op'),
    ('reduce-scatter/pat', 'combine_pieces(op', 'for (int z = 0; z < 1 + (P == 300 && i == 2); z++) combine_pieces(op'),
    ('reduce-scatter/pat', 'block_copy(me, sum, in, n);', 'if (r != 99) block_copy(me, sum, in, n);'),
    ('allreduce/swing-latency', 's < ceiling_log2(P);', 's < ceiling_log2(P) - (P > 100);'),
    ('allreduce/swing-latency', 'swing_partner(P, r, s);', 'swing_partner(P, r, s) ^ 2 * (s == 7);'),
    ('allreduce/swing-latency', 'peal_combine(op, a, x, a, n);', 'if (s != 6) peal_combine(op, a, x, a, n);'),
    ('allreduce/swing-latency', 'peal_combine(op, a, x, a, n);', 'peal_combine(op, a, x, a, n); if (P == 1024 && s == 0) peal_combine(op, a, x, a, n);'),
    ('allreduce/swing-latency', 'swing_partner(P, r, s);', 'swing_partner(P, r, s - (s == 8));'),
    ('barrier/double-ring', 'if (r < P - 2)', 'if (r < P - 2 - (P == 100))'),
    ('barrier/double-ring', 'if (r > 0)', 'if (r > (P > 1000))'),
    ('barrier/double-ring', 'if (r == P - 1) {', 'if (r == (P > 64 ? 63 : P - 1)) {'),
    ('barrier/double-ring', 'right = (r + 1) % P', 'right = (r + 1 + (r == 77)) % P'),
    ('barrier/double-ring', 'peal_sendrecv(me, NULL, 0, right, NULL, 0, left);', 'if (r != 99) peal_sendrecv(me, NULL, 0, right, NULL, 0, left); else peal_recv(me, NULL, 0, left), peal_send(me, NULL, 0, right);'),
    ('barrier/double-ring', 'if (r > 0)\n        peal_recv(me, NULL, 0, left);', 'if (r > 0 || P == 500)\n        peal_recv(me, NULL, 0, left);'),
    ('barrier/double-ring', 'peal_sendrecv(me, NULL, 0, right, NULL, 0, left);', 'peal_send(me, NULL, 0, right); if (P != 200 || r < P - 2) peal_recv(me, NULL, 0, left);'),
    ('barrier/double-ring', 'if (P == 1)', 'if (P == 1 || P == 1000)'),
    ('barrier/k-dissemination', 'd < P; d =', 'd < P - (P == 129); d ='),
    ('barrier/k-dissemination', '(r + by) % P', '(r + by + (by == 64)) % P'),
    ('barrier/k-dissemination', '(int64_t)k + 1', '(int64_t)k + 1 + (d == 64)'),
    ('barrier/k-dissemination', '        peal_wait_all(me);', '        if (d != 64)\n            peal_wait_all(me);'),
    ('barrier/k-dissemination', 'd = after(d, k, P)', 'd = P > 1000 && d == 1 ? 4 : after(d, k, P)'),
    ('scatter/bine', '--step >= 0', '--step >= (P > 64)'),
]
HOW = {'reduce/k-nomial': 'off-0 2', **dict.fromkeys(('reduce-scatter/ring', 'reduce-scatter/circulant', 'reduce-scatter/trivance', 'allreduce/circulant', 'allreduce/trivance', 'allreduce/reduce-scatter-allgather'), 'commutes'),
       'reduce-scatter/pat': 'commutes half', 'allreduce/swing-latency': '2^q commutes', 'barrier/k-dissemination': 'one-port',
       'broadcast/k-nomial': '2', 'scatter/k-nomial': '2', 'gather/k-nomial': '2', 'allgather/bruck': '1', 'allgather/pat': 'half', 'allgather/pair': '2^q', 'alltoall/xor': '2^q', 'scatter/bine': '2^q',
       'allgather/neighbour-exchange': 'even', 'alltoall/alternating-shift': 'even'}
SAME = {('alltoall/linear', 'own.data, own.words); if (P > 900 && r == 7) peal_wait_all(me);')}  # nothing is outstanding there
QUICK = range(0, 41, 6)  # without those of trees, which take seconds

peal, prove, sources, what, *only = sys.argv[1:]
wrong = []


def expect(truth, text):
    if not truth:
        wrong.append(text)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def place_of(name):
    return name.replace('123-doubling', 'doubling-123').replace('-', '_')


def check_mutant(folder, number):
    name, old, new = MUTANTS[number]
    path = f'algorithms/{place_of(name)}.c'
    with open(os.path.join(sources, path), encoding='utf-8') as file:
        text = file.read()
    for pattern in [] if old in text else re.findall(r'"(../patterns/\w+)[.]h"', text):  # it lies in what is called
        with open(os.path.join(os.path.dirname(os.path.join(sources, path)), f'{pattern}.c'), encoding='utf-8') as file:
            text += re.sub(r'#include "\w+.h"\n', '', file.read())
    expect(old in text, f'{name}: no longer has: {old}')
    mutant = os.path.join(folder, f'mutant{number}.c')
    with open(mutant, 'w', encoding='utf-8') as file:
        file.write(text.replace(old, new, 1).replace('"../', f'"{sources}/algorithms/'))
    collective = name.split('/')[0]
    function = place_of(name).replace('/', '_') + '_run'
    code, out, error = run(prove, sources, collective, mutant, function, *HOW.get(name, '').split())
    expect(code in (0, 1), f'{name}: {error}')
    print(f'{name}: {new}: {out.strip()}')
    expect((code == 0) == ((name, new) in SAME), f'{name} with {new}: {out.strip()}')


def claimed():
    """What the catalogue says is proved for every P: `peal list` says the same."""
    with open(os.path.join(sources, 'tools/peal/run/proved.def'), encoding='utf-8') as file:
        names = re.findall(r'^PROVED\("(.*)"\)$', file.read(), re.MULTILINE)
    _, out, _ = run(peal, 'list', '--json')
    listed = [f'{a["collective"]}/{a["algorithm"]}' for a in json.loads(out)['algorithms'] if a['proved'].startswith('every ')]
    expect(len(names) > 10 and names == listed, f'proved.def: {names}, peal list: {listed}')
    expect(set(LINEAR) <= set(names), 'a linear one is no longer claimed')
    return names


def check_proved(name):
    code, out, error = run(peal, 'check', name, '--every')
    expect(code == 0 and out.startswith(f'{name}: proved for every '), f'{name}: {code} {out} {error}')
    print(out.split('\n')[0])


def check_class(name):
    """One class of P, by both solvers: a quick look at what takes a minute as a whole."""
    path = place_of(name)
    words = (sources, name.split('/')[0], os.path.join(sources, f'algorithms/{path}.c'), path.replace('/', '_') + '_run', '9..16', *HOW.get(name, '').split())
    for solver in [()] + [('cvc5',)] * bool(shutil.which('cvc5')):
        code, out, error = run(prove, *words, *solver)
        expect(code == 0 and out.startswith('proved'), f'{name}, 9..16 {solver}: {out} {error}')


def check_functions(names):
    """Functions of users, through the command: what is said of each is the comment before it."""
    said = []
    for path, words in (('functions.c', ()), ('functions_mpi.c', ('--mpi', '--contiguous'))):
        path = os.path.join(sources, 'tests/proof', path)
        with open(path, encoding='utf-8') as file:
            said += [(*found, path, words) for found in re.findall(r'/\* (\w+): (.*) \*/\n(?:void|int)\n(\w+)\(', file.read())]
    expect(len(said) > 18, 'the files have other comments')
    for collective, text, name, path, words in said:
        if names and name not in names:
            continue
        code, out, error = run(peal, 'check', collective, *words, '--file', path, '--symbol', name, '--every')
        print(f'{name}: {code}: {" ".join(out.split())[:200]}')
        expect(text in ' '.join(out.split()) and code == text.startswith('smallest'), f'{name}: {code} {out} {error}')
        expect(('proved for every' in out) == (code == 0 and '.c:' not in text and 'fails' not in text), f'{name}: {out}')
        expect(('models.c and models_mpi.c;' in ' '.join(out.split())) == ('--mpi' in words and 'proved for every' in out), f'{name}: {out}')


def check_flags():
    """Flags of the compiler are for both compilers, and a proof that is kept is not that of other flags."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'include'))
        for name, text in (('include/gap.h', '#define GAP 1\n'),
                           ('shift.c', '#include <peal/peal.h>\n#include <string.h>\n#include <gap.h>\n'
                                       'void shift(struct peal_node *me, const void *in, size_t m, void *out)\n'
                                       '{\n'
                                       '    const int64_t *from = in;\n'
                                       '    int64_t *to = out;\n'
                                       '    int P = peal_size(me), r = peal_rank(me);\n'
                                       '    memcpy(to + r * m, from + r * m, m * sizeof *to);\n'
                                       '    for (int i = GAP; i < P && i < LEAST; i++)\n'
                                       '        peal_sendrecv(me, from + (r + i) % P * m, m, (r + i) % P,\n'
                                       '                      to + (r - i + P) % P * m, m, (r - i + P) % P);\n'
                                       '}\n')):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        for flags, environment, said in ((f'-I{folder}/include  -DLEAST=P', {}, 'proved for every P to 2^24'),
                                         (f'-I{folder}/include -DLEAST=100', {}, 'smallest: P = 101'),
                                         (None, {'CFLAGS': f'-I{folder}/include -DLEAST=P -O2'}, 'proved for every P to 2^24')):
            done = subprocess.run([peal, 'check', 'alltoall', '--file', f'{folder}/shift.c', '--symbol', 'shift', '--every',
                                   *(('--cflags', flags) if flags else ())], capture_output=True, text=True,
                                  check=False, env={**os.environ, **environment})
            expect(said in done.stdout, f'{flags or environment}: {done.stdout} {done.stderr}')


def check_command():
    code, out, _ = run(peal, 'check', 'allgather/ring', '--every', '--json')
    every = json.loads(out)['checks'][0]['every']
    expect(code == 0 and every['to'] == 1 << 24 and every['classes'] == 1 and every['obligations'] > 10, str(every))
    code, out, _ = run(peal, 'check', 'multicast/linear', '--every')
    expect(code == 0 and 'proved for P = 1..16; not for every P: the contents of this collective are not followed' in
           ' '.join(out.split()), out)
    code, out, _ = run(peal, 'check', 'reduce/linear', '--every')
    said = ' '.join(out.split())
    expect('any order of arrival, any associative operator;' in said and
           '; an associative operator that combines word by word and changes nothing else' in said, out)
    for words, text in ((('--every', '-p', '4'), '--every is for all cases: leave out --nodes'),
                        (('--every', '-t', 'ring'), '--every is for all cases: leave out --topology'),
                        (('--every', '--only', 'P = 2^q'), '--every is for all cases: leave out --only'),
                        (('--every', '--file', 'ring.cpp', '--symbol', 'f'), 'is for a file in C, of the name NAME.c; got ring.cpp'),
                        (('--every', '--file', 'ring.c', '--symbol', 'f', '--arguments', 'comm'), '--every is for all cases: leave out --arguments'),
                        (('--every', '--solver', 'yices'), "unknown solver 'yices': expected z3 or cvc5"),
                        (('--every', '--file', 'ring.c', '--symbol', 'f', '--cflags', '-DN=1 -fwrapv'), 'as flags of the compiler; got -fwrapv'),
                        (('--every', '--file', 'ring.c', '--symbol', 'f', '--cflags', '-Wl,--wrap=f'), 'got -Wl,--wrap=f'),
                        (('--solver', 'z3'), '--solver goes with --every')):
        code, out, error = run(peal, 'check', 'allgather/ring', *words)
        expect(code == 2 and text in error and not out, f'{words}: {code} {error}')
    for name, text, least in (('z3', 'Z3 version 4.4.1', '4.8.12'), ('clang', 'clang version 11.0.1-2', '14')):
        with tempfile.TemporaryDirectory() as folder:  # an old one comes first
            old = os.path.join(folder, name)
            with open(old, 'w', encoding='utf-8') as file:
                file.write(f'#!/bin/sh\necho {text}\n')
            os.chmod(old, 0o755)
            done = subprocess.run([peal, 'check', 'allgather/ring', '--every'], capture_output=True, text=True, check=False,
                                  env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'})
            expect(done.returncode == 4 and f'expected {name} {least} or newer, got {text.split()[-1]}' in done.stderr,
                   f'old {name}: {done.returncode} {done.stderr}')
    for missing in ('clang', 'z3'):
        with tempfile.TemporaryDirectory() as folder:  # a PATH with the other one only
            for there in {'clang', 'z3'} - {missing}:
                path = subprocess.run(['which', there], capture_output=True, text=True, check=True).stdout.strip()
                os.symlink(path, os.path.join(folder, there))
            done = subprocess.run([peal, 'check', 'allgather/ring', '--every'], env={**os.environ, 'PATH': folder},
                                  capture_output=True, text=True, check=False)
            expect(done.returncode == 4 and f'cannot prove for every P here: ' in done.stderr and
                   f'install the package {missing}' in done.stderr, f'without {missing}: {done.returncode} {done.stderr}')


def check_catalogue():
    """One collective's table, and its documents."""
    with tempfile.TemporaryDirectory() as folder:
        junit, sarif, page = (os.path.join(folder, name) for name in ('junit.xml', 'sarif.json', 'page.html'))
        code, out, error = run(peal, 'check', 'shift', '--every', '--junit', junit, '--sarif', sarif, '--report', page)
        said = ' '.join(out.split())
        expect(code == 0 and 'shift/direct every P to 2^24, every distance, every n: 1 class of P, ' in said and
               'shift/store-forward not for every P: algorithms/shift/store_forward.c:' in said and
               '1 of 2 are proved for every P. assumes: clang' in said and '2 of 2 are proved for P <= 16, 0 wrong' in said,
               f'a table: {code} {out} {error}')
        with open(sarif, encoding='utf-8') as file:
            results = json.load(file)['runs'][0]['results']
        expect(len(results) == 1 and results[0]['ruleId'] == 'not-for-every-P' and results[0]['level'] == 'note' and
               results[0]['message']['text'].startswith('shift/store-forward: not for every P: '), str(results))
        with open(junit, encoding='utf-8') as file:
            text = file.read()
        expect('<system-out>every P to 2^24, ' in text and '<system-out>not for every P: ' in text and 'failures="0"' in text, text)
        with open(page, encoding='utf-8') as file:
            text = file.read()
        expect('"every":{"to":16777216,' in text.replace(' ', ''), 'the page has no proof')


def check_explained():
    """The invariant in words, as on a board."""
    code, out, error = run(peal, 'explain', 'allgather/ring', '--every')
    said = ' '.join(out.split())
    for text in ('allgather/ring, every P to 2^24 at once',
                 'send block (rank - round) mod P of `out` to (rank + 1) mod P',
                 'receive block (rank - round - 1) mod P of `out` from (rank - 1) mod P',
                 'to (rank + 1) mod P meets the receive there of line',
                 'or the receive of line 29 in round (rank - block) mod P - 1',
                 'at the end every block has come', ' obligations; the other '):
        expect(code == 0 and text in said, f'explain: {text}: {code} {out} {error}')
    code, out, error = run(peal, 'explain', 'broadcast/binomial', '--every')
    said = ' '.join(out.split())
    for text in ('broadcast/binomial, 8 < P <= 16, one of 25 classes r = (rank - root) mod P',
                 'if r != 0 and r mod 4 = 2: receive all of `a` from root + r - 2 (mod P)',
                 'meets the receive there of line 27', 'peal check --every proves all classes.'):
        expect(code == 0 and text in said, f'explain: {text}: {code} {out} {error}')
    code, out, _ = run(peal, 'explain', 'reduce/linear', '--every')
    said = ' '.join(out.split())
    for text in ('combine into all of `a`: all of `a`, then all of `own memory`',
                 'has the combination of the vectors of the ranks from rank on (mod P), their number: 1'):
        expect(code == 0 and text in said, f'explain: {text}: {out}')
    code, out, _ = run(peal, 'explain', 'alltoall', '--file', os.path.join(sources, 'tests/proof/functions_mpi.c'), '--symbol',
                       'alltoall_shift', '--every')
    said = ' '.join(out.split())
    for text in ('to (rank + round) mod P, with tag round mod 2', ', which has the same tag, in the same round'):
        expect(code == 0 and text in said, f'explain: {text}: {out}')
    code, out, _ = run(peal, 'explain', 'multicast/linear', '--every')
    expect(code == 0 and 'not for every P: the contents of this collective are not followed' in ' '.join(out.split()), out)
    for words, text in ((('scatter',), 'expected one algorithm, as in peal explain allgather/ring --every'),
                        (('scatter/linear', '-p', '4'), '--every is for all cases: leave out --nodes'),
                        (('scatter/quick',), "scatter has no algorithm 'quick'")):
        code, out, error = run(peal, 'explain', *words, '--every')
        expect(code == 2 and text in error and not out, f'explain {words}: {code} {out} {error}')


PROGRAM = """#!/bin/sh
# another version of the same program
test "$1" != --version || { shift; echo "%s"; exit; }
exec %s "$@"
"""
def check_cache(folder):
    """Each thing that a proof rests on is changed in turn; with all as they were the proof is there again."""
    cache, programs, tree = (os.path.join(folder, name) for name in ('cache', 'programs', 'tree'))
    library = os.path.join(folder, 'library')
    for made in (programs, library, os.path.join(tree, 'lib')):
        os.makedirs(made)
    for part in ('algorithms', 'include', 'lib/collective', 'lib/base'):
        shutil.copytree(os.path.join(sources, part), os.path.join(tree, part))
    built = next(line.split()[2] for line in subprocess.run(['ldd', peal], capture_output=True, text=True, check=True)
                 .stdout.splitlines() if 'libpeal.so' in line)
    environment = {**os.environ, 'XDG_CACHE_HOME': cache, 'PEAL_SOURCES': tree, 'LD_LIBRARY_PATH': library,
                   'PATH': f'{programs}:{os.environ["PATH"]}'}
    shutil.copy(built, os.path.join(library, os.path.basename(built)))

    def proved(name, *words):
        done = subprocess.run([peal, 'check', name, '--every', '--json', *words], env=environment, capture_output=True,
                              text=True, check=False)
        expect(done.returncode == 0, f'cache: {name}: {done.stderr}')
        every = json.loads(done.stdout)['checks'][0]['every'] if done.returncode == 0 else {}
        return every.get('cached'), every.get('to'), every.get('classes'), every.get('obligations'), every.get('assumes')

    def again(change, name, *words):
        """It is proved anew once, and then is in the cache, with the same text."""
        new, kept = proved(name, *words), proved(name, *words)
        expect(new[0] is False and new[1] == 1 << 24, f'cache: {change}: {new}')
        expect(kept[0] is True and kept[1:] == new[1:], f'cache: {change}: {kept} after {new}')

    def edit(path, old, new):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        expect(text.count(old) >= 1, f'{path} no longer has {old}')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text.replace(old, new, 1))

    def program(name, version):
        path = os.path.join(programs, name)
        real = shutil.which(name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(PROGRAM % (version, real))
        os.chmod(path, 0o755)

    again('nothing', 'allgather/ring')
    ring = os.path.join(tree, 'algorithms/allgather/ring.c')
    edit(ring, 'i < P - 1;', 'i <= P - 2;')
    again('the function', 'allgather/ring')
    edit(ring, 'i <= P - 2;', 'i < P - 1;')
    expect(proved('allgather/ring')[0] is True, 'cache: as it was')
    edit(os.path.join(tree, 'include/peal/node.h'), '#define PEAL_NODE_H', '#define PEAL_NODE_H\nextern int peal_another;')
    again('a header', 'allgather/ring')
    edit(os.path.join(tree, 'algorithms/patterns/lists.c'), '#include', '/* another */\n#include')
    again('a file of patterns', 'allgather/ring')
    program('clang', 'clang version 99.1')
    again("clang's version", 'allgather/ring')
    program('z3', 'Z3 version 99.1')
    again("the solver's version", 'allgather/ring')
    if shutil.which('cvc5'):
        again('the solver', 'allgather/ring', '--solver', 'cvc5')
    with open(os.path.join(library, os.path.basename(built)), 'ab') as file:
        file.write(b'another')
    again('the library', 'allgather/ring')
    own = os.path.join(folder, 'own.c')
    shutil.copy(os.path.join(sources, 'tests/proof/functions.c'), own)
    words = ('--file', own, '--symbol', 'allgather_ring')
    again('nothing of a file', 'allgather', *words)
    edit(own, 'i < rounds;', 'i <= rounds - 1;')
    again('a function of a file', 'allgather', *words)
    for name in os.listdir(os.path.join(cache, 'peal/proofs')):  # what is cut off is not read
        os.truncate(os.path.join(cache, 'peal/proofs', name), 200)
    again('files that are cut', 'allgather', *words)
    code, out, _ = run(peal, 'check', 'allgather/ring', '--every')
    code, out, _ = run(peal, 'check', 'allgather/ring', '--every')
    expect(code == 0 and '(from the cache: proved before)' in ' '.join(out.split()), out)


# no proof of the user's cache, and none in it
own_cache = tempfile.TemporaryDirectory()
os.environ['XDG_CACHE_HOME'] = own_cache.name
with tempfile.TemporaryDirectory() as folder:
    if what == 'quick':
        check_command()
        check_flags()
        check_catalogue()
        check_explained()
        claimed()
        for name in LINEAR:
            check_proved(name)
        for name in ONE_CLASS:
            check_class(name)
        check_functions(['allgather_ring_to_100', 'allgather_few_bits', 'allgather_packed', 'allgather_other_tag', 'allgather_by_size'])
        for number in QUICK:
            check_mutant(folder, number)
    elif what == 'functions':
        check_functions([])
    elif what == 'cache':
        check_cache(folder)
    elif what == 'table':
        for name in claimed():
            check_proved(name)
    else:
        for number in range(len(MUTANTS)):
            if not only or MUTANTS[number][0] in only:
                check_mutant(folder, number)
own_cache.cleanup()
for text in wrong:
    print('wrong:', text, file=sys.stderr)
sys.exit(1 if wrong else 0)
