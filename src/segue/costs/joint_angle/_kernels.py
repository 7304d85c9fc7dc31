"""Compiled inner loop of the joint-angle cost. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

from segue._jit import fast_kernel
from segue.arrays import Ints


@fast_kernel
def joint_angles(a: Any, b: Any, terms: Any, places_a: Any, places_b: Any, left: Ints, out: Any) -> None:
    """Add squared half angles and squared gaps of places to ``out`` (N, M), and let nothing fall below zero.

    ``a`` (N, 4K) holds quaternions of the rows, ``b`` (4K, M) of the columns; N is a multiple of 4. ``terms`` (K, 7)
    are each joint's weight times the coefficients of ``acos(1 - u)^2 = u p(u)`` in rising order. ``places_a`` (N, D)
    and ``places_b`` (D, M). Of rows 4g to 4g + 3 columns before ``left[g]`` may stay as they are.
    """
    one = out.dtype.type(1.0)
    zero = out.dtype.type(0.0)
    for i in range(0, out.shape[0], 4):
        start = min(left[i // 4] // 64 * 64, out.shape[1])
        d0, d1, d2, d3 = out[i][start:], out[i + 1][start:], out[i + 2][start:], out[i + 3][start:]
        for k in range(terms.shape[0]):
            c0, c1, c2, c3 = terms[k, 0], terms[k, 1], terms[k, 2], terms[k, 3]
            c4, c5, c6 = terms[k, 4], terms[k, 5], terms[k, 6]
            w, x, y, z = b[4 * k][start:], b[4 * k + 1][start:], b[4 * k + 2][start:], b[4 * k + 3][start:]
            p0, p1, p2, p3 = a[i, 4 * k], a[i, 4 * k + 1], a[i, 4 * k + 2], a[i, 4 * k + 3]
            q0, q1, q2, q3 = a[i + 1, 4 * k], a[i + 1, 4 * k + 1], a[i + 1, 4 * k + 2], a[i + 1, 4 * k + 3]
            r0, r1, r2, r3 = a[i + 2, 4 * k], a[i + 2, 4 * k + 1], a[i + 2, 4 * k + 2], a[i + 2, 4 * k + 3]
            s0, s1, s2, s3 = a[i + 3, 4 * k], a[i + 3, 4 * k + 1], a[i + 3, 4 * k + 2], a[i + 3, 4 * k + 3]
            for j in range(d0.shape[0]):
                u = one - abs(p0 * w[j] + p1 * x[j] + p2 * y[j] + p3 * z[j])
                d0[j] += u * (c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6))))))
                u = one - abs(q0 * w[j] + q1 * x[j] + q2 * y[j] + q3 * z[j])
                d1[j] += u * (c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6))))))
                u = one - abs(r0 * w[j] + r1 * x[j] + r2 * y[j] + r3 * z[j])
                d2[j] += u * (c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6))))))
                u = one - abs(s0 * w[j] + s1 * x[j] + s2 * y[j] + s3 * z[j])
                d3[j] += u * (c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6))))))
        for d in range(places_a.shape[1]):
            here = places_b[d][start:]
            p0, p1, p2, p3 = places_a[i, d], places_a[i + 1, d], places_a[i + 2, d], places_a[i + 3, d]
            for j in range(d0.shape[0]):
                d0[j] += (p0 - here[j]) * (p0 - here[j])
                d1[j] += (p1 - here[j]) * (p1 - here[j])
                d2[j] += (p2 - here[j]) * (p2 - here[j])
                d3[j] += (p3 - here[j]) * (p3 - here[j])
        for j in range(d0.shape[0]):
            d0[j] = max(d0[j], zero)
            d1[j] = max(d1[j], zero)
            d2[j] = max(d2[j], zero)
            d3[j] = max(d3[j], zero)
