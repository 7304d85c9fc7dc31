"""Compiled inner loops of the cost matrices. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel, kernel


@fast_kernel
def products(a: Any, b: Any, out: Any) -> None:
    """Multiply matrices: out[i, j] = sum_k a[i, k] b[k, j] of (N, K) and (K, M) features.

    N is a multiple of 4 and K of 8. A linear algebra library is faster on an idle machine; on a busy one its threads
    wait for each other and take forty times as long.
    """
    zero = out.dtype.type(0.0)
    for i in range(0, out.shape[0], 4):
        d0, d1, d2, d3 = out[i], out[i + 1], out[i + 2], out[i + 3]
        d0[:] = zero
        d1[:] = zero
        d2[:] = zero
        d3[:] = zero
        for k in range(0, a.shape[1], 8):
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            b4, b5, b6, b7 = b[k + 4], b[k + 5], b[k + 6], b[k + 7]
            p0, p1, p2, p3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
            p4, p5, p6, p7 = a[i, k + 4], a[i, k + 5], a[i, k + 6], a[i, k + 7]
            q0, q1, q2, q3 = a[i + 1, k], a[i + 1, k + 1], a[i + 1, k + 2], a[i + 1, k + 3]
            q4, q5, q6, q7 = a[i + 1, k + 4], a[i + 1, k + 5], a[i + 1, k + 6], a[i + 1, k + 7]
            r0, r1, r2, r3 = a[i + 2, k], a[i + 2, k + 1], a[i + 2, k + 2], a[i + 2, k + 3]
            r4, r5, r6, r7 = a[i + 2, k + 4], a[i + 2, k + 5], a[i + 2, k + 6], a[i + 2, k + 7]
            s0, s1, s2, s3 = a[i + 3, k], a[i + 3, k + 1], a[i + 3, k + 2], a[i + 3, k + 3]
            s4, s5, s6, s7 = a[i + 3, k + 4], a[i + 3, k + 5], a[i + 3, k + 6], a[i + 3, k + 7]
            for j in range(out.shape[1]):
                v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
                v4, v5, v6, v7 = b4[j], b5[j], b6[j], b7[j]
                d0[j] += p0 * v0 + p1 * v1 + p2 * v2 + p3 * v3 + (p4 * v4 + p5 * v5 + p6 * v6 + p7 * v7)
                d1[j] += q0 * v0 + q1 * v1 + q2 * v2 + q3 * v3 + (q4 * v4 + q5 * v5 + q6 * v6 + q7 * v7)
                d2[j] += r0 * v0 + r1 * v1 + r2 * v2 + r3 * v3 + (r4 * v4 + r5 * v5 + r6 * v6 + r7 * v7)
                d3[j] += s0 * v0 + s1 * v1 + s2 * v2 + s3 * v3 + (s4 * v4 + s5 * v5 + s6 * v6 + s7 * v7)


@kernel
def _running_sums(b: Any, out: Any) -> None:
    """Sums over features (K, M) of each column, added in the order of `absolute_sums`."""
    out[:] = out.dtype.type(0.0)
    for k in range(0, b.shape[0], 8):
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        b4, b5, b6, b7 = b[k + 4], b[k + 5], b[k + 6], b[k + 7]
        for j in range(out.shape[0]):
            out[j] += b0[j] + b1[j] + b2[j] + b3[j] + (b4[j] + b5[j] + b6[j] + b7[j])


@kernel
def absolute_sums(a: Any, b: Any, out: Any) -> None:
    """Sum absolute differences: out[i, j] = sum_k |a[i, k] - b[k, j]| of (N, K) and (K, M) features.

    N is a multiple of 4 and K of 8. ``|x - y| = 2 max(x, y) - x - y``, so that a term takes one comparison and one
    addition; the sums of x and of y are added in the same order as the maxima, so that equal features cost nothing.
    """
    zero, two = out.dtype.type(0.0), out.dtype.type(2.0)
    theirs = np.empty(b.shape[1], dtype=out.dtype)
    _running_sums(b, theirs)
    mine = np.empty(4, dtype=out.dtype)
    for i in range(0, out.shape[0], 4):
        d0, d1, d2, d3 = out[i], out[i + 1], out[i + 2], out[i + 3]
        d0[:] = zero
        d1[:] = zero
        d2[:] = zero
        d3[:] = zero
        mine[:] = zero
        for k in range(0, a.shape[1], 8):
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            b4, b5, b6, b7 = b[k + 4], b[k + 5], b[k + 6], b[k + 7]
            p0, p1, p2, p3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
            p4, p5, p6, p7 = a[i, k + 4], a[i, k + 5], a[i, k + 6], a[i, k + 7]
            q0, q1, q2, q3 = a[i + 1, k], a[i + 1, k + 1], a[i + 1, k + 2], a[i + 1, k + 3]
            q4, q5, q6, q7 = a[i + 1, k + 4], a[i + 1, k + 5], a[i + 1, k + 6], a[i + 1, k + 7]
            r0, r1, r2, r3 = a[i + 2, k], a[i + 2, k + 1], a[i + 2, k + 2], a[i + 2, k + 3]
            r4, r5, r6, r7 = a[i + 2, k + 4], a[i + 2, k + 5], a[i + 2, k + 6], a[i + 2, k + 7]
            s0, s1, s2, s3 = a[i + 3, k], a[i + 3, k + 1], a[i + 3, k + 2], a[i + 3, k + 3]
            s4, s5, s6, s7 = a[i + 3, k + 4], a[i + 3, k + 5], a[i + 3, k + 6], a[i + 3, k + 7]
            mine[0] += p0 + p1 + p2 + p3 + (p4 + p5 + p6 + p7)
            mine[1] += q0 + q1 + q2 + q3 + (q4 + q5 + q6 + q7)
            mine[2] += r0 + r1 + r2 + r3 + (r4 + r5 + r6 + r7)
            mine[3] += s0 + s1 + s2 + s3 + (s4 + s5 + s6 + s7)
            for j in range(out.shape[1]):
                v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
                v4, v5, v6, v7 = b4[j], b5[j], b6[j], b7[j]
                first = max(p0, v0) + max(p1, v1) + max(p2, v2) + max(p3, v3)
                d0[j] += first + (max(p4, v4) + max(p5, v5) + max(p6, v6) + max(p7, v7))
                first = max(q0, v0) + max(q1, v1) + max(q2, v2) + max(q3, v3)
                d1[j] += first + (max(q4, v4) + max(q5, v5) + max(q6, v6) + max(q7, v7))
                first = max(r0, v0) + max(r1, v1) + max(r2, v2) + max(r3, v3)
                d2[j] += first + (max(r4, v4) + max(r5, v5) + max(r6, v6) + max(r7, v7))
                first = max(s0, v0) + max(s1, v1) + max(s2, v2) + max(s3, v3)
                d3[j] += first + (max(s4, v4) + max(s5, v5) + max(s6, v6) + max(s7, v7))
        for r in range(4):
            d, own = out[i + r], mine[r]
            for j in range(out.shape[1]):
                d[j] = max(two * d[j] - own - theirs[j], zero)
