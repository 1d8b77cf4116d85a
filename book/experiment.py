"""One head of attention that is to attend a fixed number of tokens back, fitted to its one optimum.

The score of a query and a key is linear in the head's weights, score = features @ weights. The loss is the mean of
-ln(weight on the right key) over the queries, plus ridge / 2 times the sum of the squared weights. It is strictly
convex, so there is one optimum, and Newton's method finds it to rounding on every machine:

    queries, keys = causal_pairs(range(3, 64))
    gap = queries - keys
    features = fourier_features(np.arange(64), frequencies(64))  # one row for each offset
    weights = fit(features, gap, queries, gap == 3, ridge=1e-4)

The module takes arrays and returns arrays; what they mean is told in the chapter "Which scheme reads farther?".
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc import softmax

Floats = NDArray[np.float64]
Scores = Callable[[int], Floats]  # from the position of a query to its scores of the keys 0 .. position

ENOUGH = 1e-16  # squared length of a Newton step in the metric of the loss, after which only rounding is left
STEPS = 100  # Newton steps before the fit gives up; a dozen do


def causal_pairs(queries: Iterable[int]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return every query with every key from 0 up to itself, as two arrays of one length."""
    queries = np.asarray(list(queries))
    counts = queries + 1
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(queries, counts), np.arange(counts.sum()) - starts


def fourier_features(offsets: ArrayLike, omega: ArrayLike) -> Floats:
    """Return cos(omega_j offset) for all pairs, then sin(omega_j offset): (..., 2 n) for n frequencies.

    A query and a key with constant content have a RoPE score that is linear in these.
    """
    angles = np.multiply.outer(np.asarray(offsets, float), np.asarray(omega, float))
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def one_hot(numbers: ArrayLike, count: int) -> Floats:
    """Return a row for each of `numbers`, 1 at that place and 0 elsewhere: (..., count)."""
    return np.eye(count)[np.asarray(numbers)]


def fit(
    features: Floats,
    rows: NDArray,
    group: NDArray,
    right: NDArray[np.bool_],
    ridge: float,
    *,
    bias: ArrayLike = 0.0,
    start: ArrayLike | None = None,
) -> Floats:
    """Return the weights that minimise the loss.

    Parameters: `features` (m, p); `rows` (n,), for each query and key the row of `features` that belongs to it, so
    that what depends on the offset alone is written once for each offset; `group` (n,), the query of each, all of one
    query side by side; `right` (n,), true for the one right key of each query; `ridge` > 0; `bias`, a fixed part of
    the scores, a number or (n,); `start` (p,), where the search begins (None: at zero), which changes nothing in the
    end.
    Returns: float64 array of shape (p,).
    Raises: ValueError if a query has not exactly one right key or `ridge` is not above 0; ArithmeticError if Newton's
    method does not end.
    """
    if not ridge > 0:
        raise ValueError(f"ridge must be above 0, because only then there is one optimum; got {ridge}")
    starts, which = _queries(group)
    found = np.add.reduceat(right.astype(int), starts)
    if not (found == 1).all():
        raise ValueError(f"every query needs exactly one right key, got {found.min()} to {found.max()}")
    weights = np.zeros(features.shape[1]) if start is None else np.array(start, float)
    if weights.size == 0:
        return weights
    bias = np.broadcast_to(np.asarray(bias, float), group.shape)
    wanted = _by_row(right.astype(float), rows, which, len(features)).sum(axis=0)

    def at(trial: Floats) -> tuple[float, Floats]:
        """The loss, and the attention that each query gives to each row of the features."""
        scores = (features @ trial)[rows] + bias
        share, log_sums = _softmax(scores, starts, which)
        loss = (log_sums - scores[right]).mean() + ridge / 2 * trial @ trial
        return float(loss), _by_row(share, rows, which, len(features))

    value, share = at(weights)
    decrement = np.inf
    for _ in range(STEPS):
        gradient = features.T @ (share.sum(axis=0) - wanted) / starts.size + ridge * weights
        step = np.linalg.solve(curvature(features, share) + ridge * np.eye(weights.size), gradient)
        decrement = gradient @ step
        if decrement < ENOUGH:
            return weights - step
        scale = 1.0
        while True:
            trial, share = at(weights - scale * step)
            if trial <= value - 1e-4 * scale * decrement or decrement < 1e-10:  # so near, a full step is right
                break
            scale /= 2
        weights, value = weights - scale * step, trial
    raise ArithmeticError(f"Newton's method has not ended after {STEPS} steps, the last of squared length {decrement}")


def curvature(features: Floats, share: Floats) -> Floats:
    """Return the second derivatives of the loss without its ridge, (p, p).

    It is the mean over the queries of the covariance of the features under the attention. Parameters: `features`
    (m, p); `share` (number of queries, m), the attention of each query on each row of the features.
    """
    means = share @ features
    return ((features.T * share.sum(axis=0)) @ features - means.T @ means) / len(share)


def fit_free(queries: Iterable[int], back: int, ridge: float) -> dict[int, Floats]:
    """Return the scores of a head that has a weight of its own for each query and key: an array for each query.

    That is what learned positions can do at most. The queries share no weight, so each is fitted alone; `ridge` is
    that of the loss over all of them.
    """
    queries = list(queries)
    rows = {query: np.arange(query + 1) for query in queries}
    return {
        query: fit(np.eye(query + 1), keys, np.zeros(query + 1, int), keys == query - back, ridge * len(queries))
        for query, keys in rows.items()
    }


def fit_bilinear(
    table: Floats, queries: NDArray, keys: NDArray, group: NDArray, right: NDArray[np.bool_], ridge: float
) -> Floats:
    """Return the matrix M, (d, d), of the scores table[query] @ M @ table[key], fitted as by `fit`.

    M has d * d weights, but the rows of the table that take part reach into few of their directions. In the basis of
    the singular vectors of those rows, only products of directions are kept whose singular values have a product above
    1e-3; along the others training hardly changes a score, and the ridge holds the weights at zero.
    """
    used = np.unique(np.concatenate([queries, keys]))
    _, singular, basis = np.linalg.svd(table[used], full_matrices=False)
    first, second = np.nonzero(np.multiply.outer(singular, singular) > 1e-3)
    turned = table @ basis.T
    features = turned[queries][:, first] * turned[keys][:, second]
    weights = fit(features, np.arange(len(features)), group, right, ridge)
    inner = np.zeros((len(basis), len(basis)))
    inner[first, second] = weights
    return basis.T @ inner @ basis


def by_offset(scores: Floats) -> Scores:
    """Return the head whose score depends on the offset alone; `scores` holds it for the offsets 0, 1, …"""
    return lambda query: scores[query::-1]


def by_matrix(table: Floats, matrix: Floats) -> Scores:
    """Return the head with the scores table[query] @ matrix @ table[key]."""
    return lambda query: table[: query + 1] @ (matrix.T @ table[query])


def attended(head: Scores, query: int) -> Floats:
    """Return the attention weights of a query on the keys 0 .. query."""
    return softmax(head(query))


def right_weight(head: Scores, length: int, back: int = 3) -> float:
    """Return the mean weight on the key `back` tokens back, over 16 queries spread over the last quarter of a text."""
    queries = range(3 * length // 4, length, length // 64)
    return float(np.mean([attended(head, query)[query - back] for query in queries]))


def by_distance(weights: Floats, edges: NDArray[np.int_]) -> Floats:
    """Return sums of the attention weights of a query over its keys by distance, nearest first.

    `edges` holds the least distance of each sum; the sums end with the last edge that the query has a key for.
    """
    return np.add.reduceat(weights[::-1], edges[edges < len(weights)])


def _queries(group: NDArray) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return where the rows of each query begin, and for each row the number of its query."""
    begins = np.r_[True, group[1:] != group[:-1]]
    return np.flatnonzero(begins), np.cumsum(begins) - 1


def _softmax(scores: Floats, starts: NDArray, which: NDArray) -> tuple[Floats, Floats]:
    """Return the softmax over the rows of each query, and the logarithm of each query's sum of exponentials."""
    largest = np.maximum.reduceat(scores, starts)
    powers = np.exp(scores - largest[which])
    sums = np.add.reduceat(powers, starts)
    return powers / sums[which], np.log(sums) + largest


def _by_row(values: Floats, rows: NDArray, which: NDArray, count: int) -> Floats:
    """Return the sums of `values` by query and row of the features, (number of queries, count)."""
    queries = int(which[-1]) + 1
    sums: NDArray[Any] = np.bincount(which * count + rows, values, minlength=queries * count)
    return sums.reshape(queries, count)
