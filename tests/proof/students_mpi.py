#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives as students write them for MPI: the right ones are proved, and none that is wrong is, by the proof alone.

  students_mpi.py PROVE SOURCES [NUMBER...]

Each is a collective, and the body of a function.  What is not followed has its line and the construct.
"""
from students import judge

HEAD = """#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int old(n) signed char n; { return n; }
"""
ROOTED = ('const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, '
          'int root, MPI_Comm comm')
COMBINING = 'const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm'
TYPES = {'broadcast': 'void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm', 'scatter': ROOTED, 'gather': ROOTED,
         'allgather': ROOTED.replace('int root, ', ''), 'alltoall': ROOTED.replace('int root, ', ''),
         'reduce': COMBINING.replace('MPI_Comm', 'int root, MPI_Comm'), 'scan': COMBINING, 'exscan': COMBINING, 'barrier': 'MPI_Comm comm'}
# type and length of what all nodes have
SIDE = {'scatter': ('recvtype', 'recvcount'), 'gather': ('sendtype', 'sendcount'), 'allgather': ('recvtype', 'recvcount'),
        'alltoall': ('recvtype', 'recvcount'), 'barrier': None}
STATUS = 'MPI_STATUS_IGNORE'


def written(collective, body):
    """The whole function, of the name NAME."""
    side = SIDE.get(collective, ('datatype', 'count'))
    lengths = '' if side is None else (f'MPI_Aint low, extent; MPI_Type_get_extent({side[0]}, &low, &extent); '
                                       f'MPI_Aint m = {side[1]} * extent; (void)m;')
    if collective in ('scatter', 'gather', 'allgather', 'alltoall'):
        lengths += ' const char *a = sendbuf; char *b = recvbuf; (void)a, (void)b;'
    return (f'int\nNAME({TYPES[collective]})\n{{\nint P, r; MPI_Comm_size(comm, &P); MPI_Comm_rank(comm, &r); {lengths}\n{body}\n'
            'return MPI_SUCCESS;\n}\n')


OWN = 'memcpy(b + r * m, sendbuf, m); '


def ring(rounds='P - 1', sent_tag='1', got_tag='1', to='(r + 1) % P', then=''):
    return (f'{OWN} for (int i = 0; i < {rounds}; i++) {{ MPI_Sendrecv(b + (r - i + P) % P * m, recvcount, recvtype, {to}, {sent_tag}, '
            f'b + (r - i - 1 + P) % P * m, recvcount, recvtype, (r - 1 + P) % P, {got_tag}, comm, {STATUS}); }} {then}')


def requests(wait='MPI_Waitall(2, request, MPI_STATUSES_IGNORE);', between=''):
    """A ring of Isend and Irecv."""
    return (f'{OWN} MPI_Request request[2]; int right = (r + 1) % P, left = (r - 1 + P) % P; for (int i = 0; i < P - 1; i++) {{ '
            f'MPI_Irecv(b + (r - i - 1 + P) % P * m, recvcount, recvtype, left, 0, comm, &request[0]); '
            f'MPI_Isend(b + (r - i + P) % P * m, recvcount, recvtype, right, 0, comm, &request[1]); {between} {wait} }}')


def blocking(order):
    """A ring of Send and Recv, which hangs where no message is buffered, but in the order that the condition gives."""
    send = 'MPI_Send(b + (r - i + P) % P * m, recvcount, recvtype, (r + 1) % P, 0, comm);'
    recv = f'MPI_Recv(b + (r - i - 1 + P) % P * m, recvcount, recvtype, (r - 1 + P) % P, 0, comm, {STATUS});'
    return f'{OWN} for (int i = 0; i < P - 1; i++) {{ if ({order}) {{ {send} {recv} }} else {{ {recv} {send} }} }}'


def direct(first='1', dest='(r + i) % P', tag='0', count='recvcount', of_type='recvtype', comm='comm', less='0', source='(r - i + P) % P',
           got_tag=None, status=STATUS):
    """All exchange with all; from i = 0 on the first one is with itself."""
    return (f'for (int i = {first}; i < P - ({less}); i++) {{ MPI_Sendrecv(sendbuf, sendcount, sendtype, {dest}, {tag}, '
            f'b + (r - i + P) % P * m, {count}, {of_type}, {source}, {got_tag or tag}, {comm}, {status}); }}')


def alltoall(sent='to', got='from', dest='to'):
    return (f'for (int i = 0; i < P; i++) {{ int to = (r + i) % P, from = (r - i + P) % P; MPI_Sendrecv(a + ({sent}) * m, sendcount, '
            f'sendtype, {dest}, 3, b + ({got}) * m, recvcount, recvtype, from, 3, comm, {STATUS}); }}')


def scatter(others=f'MPI_Recv(recvbuf, recvcount, recvtype, root, 0, comm, {STATUS});', own='root', tag='0', before=''):
    return (f'{before} if (r != root) {{ {others} return MPI_SUCCESS; }} for (int i = 0; i < P; i++) if (i != root) '
            f'MPI_Send(a + (MPI_Aint)i * sendcount * extent, sendcount, sendtype, i, {tag}, comm); memcpy(recvbuf, a + ({own}) * m, m);')


def gather(receive=f'MPI_Recv(b + i * m, recvcount, recvtype, i, 0, comm, {STATUS});', own='root', others='', count='sendcount', kind='sendtype'):
    return (f'if (r != root) {{ MPI_Send(sendbuf, {count}, {kind}, root, 0, comm); {others} return 0; }} for (int i = 0; i < P; i++) '
            f'if (i != root) {receive} memcpy(b + ({own}) * m, sendbuf, m);')


def broadcast(tag='0', peers='v + mask < P'):
    """Binomial."""
    return ('int v = (r - root + P) % P, mask = 1; while (mask < P) { if (v & mask) { MPI_Recv(buffer, count, datatype, '
            f'(v - mask + root) % P, 0, comm, {STATUS}); break; }} mask <<= 1; }} for (mask >>= 1; mask > 0; mask >>= 1) if ({peers}) '
            f'MPI_Send(buffer, count, datatype, (v + mask + root) % P, {tag}, comm);')


def reduce(combine='MPI_Reduce_local(other, recvbuf, count, datatype, op);', end='free(other);', others='', to='recvbuf', middle=''):
    """Linear, from the last rank down, which keeps the order."""
    return (f'if (r != root) {{ MPI_Send(sendbuf, count, datatype, root, 4, comm); {others} return 0; }} char *other = malloc(m); '
            'if (root == P - 1) memcpy(recvbuf, sendbuf, m); else { '
            f'MPI_Recv({to}, count, datatype, P - 1, 4, comm, {STATUS}); for (int i = P - 2; i > root; i--) {{ '
            f'MPI_Recv(other, count, datatype, i, 4, comm, {STATUS}); {combine} }} MPI_Reduce_local(sendbuf, recvbuf, count, datatype, op); }} '
            f'{middle} for (int i = root - 1; i >= 0; i--) {{ MPI_Recv(other, count, datatype, i, 4, comm, {STATUS}); '
            f'MPI_Reduce_local(other, recvbuf, count, datatype, op); }} {end}')


def scan(left='r >= d ? r - d : MPI_PROC_NULL', tag='0', combines='r >= d', local='other, recvbuf'):
    """By distances 1, 2, 4, .."""
    return ('char *other = malloc(m); memcpy(recvbuf, sendbuf, m); for (int d = 1; d < P; d <<= 1) { '
            f'MPI_Sendrecv(recvbuf, count, datatype, r + d < P ? r + d : MPI_PROC_NULL, 0, other, count, datatype, {left}, {tag}, comm, {STATUS}); '
            f'if ({combines}) MPI_Reduce_local({local}, count, datatype, op); }} free(other);')


def dissemination(less='0', got_tag='0', words='0'):
    return (f'for (int i = 1; i < P - ({less}); i <<= 1) MPI_Sendrecv(NULL, {words}, MPI_BYTE, (r + i) % P, 0, NULL, {words}, MPI_BYTE, '
            f'(r - i + P) % P, {got_tag}, comm, {STATUS});')


RIGHT = [
    ('allgather', ring()),
    ('allgather', ring('P - 1', 'i & 1', 'i & 1')),
    ('allgather', requests()),
    ('allgather', requests('MPI_Wait(&request[1], MPI_STATUS_IGNORE); MPI_Wait(request, MPI_STATUS_IGNORE);')),
    ('allgather', direct('0')),
    ('allgather', OWN + direct(status='&status').replace('for (', 'MPI_Status status; for (', 1)),
    ('allgather', 'if (sendbuf == MPI_IN_PLACE) return MPI_ERR_ARG; ' + direct('0')),
    ('alltoall', alltoall()),
    ('scatter', scatter()),
    ('gather', gather()),
    ('broadcast', f'if (r == root) {{ for (int i = 0; i < P; i++) if (i != root) MPI_Send(buffer, count, datatype, i, 0, comm); }} else '
                  f'MPI_Recv(buffer, count, datatype, root, 0, comm, {STATUS});'),
    ('reduce', reduce()),
    ('barrier', dissemination()),
    ('scan', scan()),
    ('broadcast', broadcast()),
]
WRONG = [
    # tags
    ('allgather', ring(got_tag='2')),
    ('allgather', ring(got_tag='P > 100 ? 2 : 1')),
    ('allgather', ring(got_tag='i == 70 ? 2 : 1')),
    ('allgather', ring(sent_tag='r == 99 ? 2 : 1')),
    ('allgather', OWN + direct(tag='i')),
    ('allgather', OWN + direct(tag='i == 200 ? -1 : 0')),
    ('broadcast', broadcast('mask == 64 ? 1 : 0')),
    ('barrier', dissemination(got_tag='i == 128')),
    # two messages to one rank, whose receives are in the other order
    ('allgather', OWN + direct() + f'if (P > 100 && r == 0) {{ MPI_Send(b, recvcount, recvtype, 1, 1, comm); MPI_Send(b + m, recvcount, recvtype, 1, 1, comm); }} '
                  f'if (P > 100 && r == 1) {{ MPI_Recv(b + m, recvcount, recvtype, 0, 1, comm, {STATUS}); MPI_Recv(b, recvcount, recvtype, 0, 1, comm, {STATUS}); }}'),
    # wildcards, other communicators and datatypes
    ('allgather', OWN + direct(source='MPI_ANY_SOURCE')),
    ('allgather', OWN + direct(got_tag='MPI_ANY_TAG')),
    ('gather', gather(f'MPI_Recv(b + i * m, recvcount, recvtype, i == 80 ? MPI_ANY_SOURCE : i, 0, comm, {STATUS});')),
    ('allgather', OWN + direct(comm='MPI_COMM_WORLD')),
    ('allgather', OWN + direct(of_type='MPI_LONG')),
    ('allgather', OWN + direct(count='(int)m', of_type='MPI_BYTE')),
    ('allgather', 'MPI_Comm_size(MPI_COMM_WORLD, &P); ' + OWN + direct()),
    # lengths
    ('allgather', OWN + direct(count='2 * recvcount')),
    ('allgather', OWN + direct(count='i == 100 ? 0 : recvcount')),
    ('allgather', OWN + direct(count='recvcount - 1')),
    ('allgather', OWN + direct(count='old(recvcount)')),  # a parameter that nothing is converted to
    ('allgather', OWN + direct().replace('b + (r - i + P) % P * m', 'b + 2 * P * recvcount * extent')),
    ('allgather', 'int size; MPI_Type_size(recvtype, &size); int bytes = recvcount * size; (void)bytes;' + OWN + direct()),
    ('barrier', dissemination(words='1')),
    # deadlocks
    ('allgather', blocking('1')),
    ('allgather', blocking('r != 70')),
    ('allgather', blocking('P > 100 || r % 2')),
    ('allgather', ring('P - 1', then=f'if (P > 100) MPI_Recv(b, recvcount, recvtype, r, 0, comm, {STATUS});')),
    ('scatter', scatter('')),
    # rounds, partners, blocks
    ('allgather', ring('P - 1 - (P > 100)')),
    ('allgather', ring('P - 1 - (r == 130)')),
    ('allgather', ring(to='(r + 1 + (i == 88)) % P')),
    ('allgather', ring(to='i == 88 ? MPI_PROC_NULL : (r + 1) % P')),
    ('allgather', direct()),
    ('allgather', direct('0', less='P > 1000')),
    ('alltoall', alltoall('i == 64 ? from : to')),
    ('alltoall', alltoall(got='P > 90 ? to : from')),
    ('alltoall', alltoall(dest='i == 0 && P > 90 ? MPI_PROC_NULL : to')),
    ('gather', gather(own='root > 77 ? 0 : root')),
    ('scatter', scatter(own='root == 99 ? 98 : root')),
    ('broadcast', broadcast(peers='v + mask < P - (P > 100)')),
    ('barrier', dissemination('P > 100')),
    # requests
    ('allgather', requests('MPI_Wait(&request[0], MPI_STATUS_IGNORE);')),
    ('allgather', requests('if (P < 100) MPI_Waitall(2, request, MPI_STATUSES_IGNORE);')),
    ('allgather', requests('MPI_Waitall(P > 100 ? 1 : 2, request, MPI_STATUSES_IGNORE);')),
    ('allgather', requests(between='if (i == 70) memcpy(b + (r - i + P) % P * m, b + (r - i - 1 + P) % P * m, m);')),
    ('allgather', requests(between='memcpy(b + (r - i - 1 + P) % P * m, sendbuf, m);')),
    ('allgather', requests('MPI_Waitall(2, request, MPI_STATUSES_IGNORE); MPI_Request copy = request[0]; MPI_Isend(b, 0, recvtype, r, 0, comm, &copy);')),
    ('allgather', requests('int done; MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE);')),
    # what counts at the root only, or is not a buffer
    ('scatter', scatter(f'MPI_Recv(recvbuf, sendcount, recvtype, root, 0, comm, {STATUS});')),
    ('scatter', scatter(f'MPI_Recv(recvbuf, recvcount, sendtype, root, 0, comm, {STATUS});')),
    ('scatter', scatter(f'MPI_Recv(recvbuf, recvcount, recvtype, root, 0, comm, {STATUS}); if (r == 5) memcpy(recvbuf, sendbuf, m);')),
    ('gather', gather(count='recvcount')),
    ('gather', gather(others='if (r == 90) memcpy(b, sendbuf, m);')),
    ('reduce', reduce(others='if (r == 90) memcpy(recvbuf, sendbuf, m);')),
    ('allgather', direct('0').replace('sendbuf', 'P > 100 ? MPI_IN_PLACE : sendbuf')),
    ('allgather', OWN + direct() + f'MPI_Sendrecv(b, recvcount, recvtype, r, 0, b, recvcount, recvtype, r, 0, comm, {STATUS});'),
    # results, statuses, memory
    ('allgather', direct('0') + 'return P > 100;'),
    ('allgather', OWN + direct(status='&status').replace('for (', 'MPI_Status status = {0}; for (', 1) + 'if (status.MPI_SOURCE == 99) return 1;'),
    ('reduce', reduce(end='')),
    ('reduce', reduce(end='free(other); if (P > 100) free(other);')),
    ('reduce', reduce(end='if (P < 100) free(other);')),
    ('reduce', reduce(middle='if (P > 100) free(other);', end='if (P <= 100) free(other);')),
    # order and operands
    ('reduce', reduce('MPI_Reduce_local(recvbuf, other, count, datatype, op); memcpy(recvbuf, other, m);')),
    ('reduce', reduce('if (i != 70) MPI_Reduce_local(other, recvbuf, count, datatype, op);')),
    ('reduce', reduce('MPI_Reduce_local(other, recvbuf, count, datatype, MPI_SUM);')),
    ('scan', scan(combines='r >= d && d != 64')),
    ('scan', scan(local='recvbuf, other')),
]

if __name__ == '__main__':
    judge(HEAD, [(collective, written(collective, body)) for collective, body in RIGHT + WRONG], '', len(RIGHT), 'mpi')
