"""The experiment of the chapter "Which scheme reads farther?": its fits are optima, and known answers come out."""

import numpy as np
import pytest

import experiment
from posenc import frequencies, sinusoidal_table

RIDGE = 1e-3


@pytest.fixture(scope="module")
def problem():
    """Queries, keys, right keys of a short text, and the Fourier features of its offsets."""
    queries, keys = experiment.causal_pairs(range(3, 20))
    features = experiment.fourier_features(np.arange(20), frequencies(8))
    return queries, keys, queries - keys == 3, features


def loss(features, weights):
    """The loss written out query by query."""
    total = 0.0
    for query in range(3, 20):
        scores = features[: query + 1] @ weights  # by offset
        total += np.log(np.exp(scores).sum()) - scores[3]
    return total / 17 + RIDGE / 2 * weights @ weights


def test_causal_pairs_are_every_query_with_every_key_up_to_it():
    queries, keys = experiment.causal_pairs([2, 0])
    assert queries.tolist() == [2, 2, 2, 0]
    assert keys.tolist() == [0, 1, 2, 0]


def test_fourier_features_give_the_score_of_rotated_vectors():
    omega = frequencies(8)
    a, b = np.random.default_rng(0).standard_normal((2, 4))
    expected = (a * np.cos(5 * omega) + b * np.sin(5 * omega)).sum()
    assert experiment.fourier_features(5, omega) @ np.concatenate([a, b]) == pytest.approx(expected, abs=1e-12)


def test_no_step_from_the_fit_lowers_the_loss(problem):
    queries, keys, right, features = problem
    weights = experiment.fit(features, queries - keys, queries, right, RIDGE)
    least = loss(features, weights)
    for axis in np.eye(weights.size):
        for step in (1e-3, -1e-3):
            assert loss(features, weights + step * axis) > least


def test_another_start_ends_at_the_same_weights(problem):
    queries, keys, right, features = problem
    start = np.random.default_rng(1).standard_normal(features.shape[1])
    first = experiment.fit(features, queries - keys, queries, right, RIDGE)
    second = experiment.fit(features, queries - keys, queries, right, RIDGE, start=start)
    np.testing.assert_allclose(second, first, rtol=0, atol=1e-10)


def test_one_slope_has_the_value_that_calculus_gives():
    """For many keys e^(-3m) (1 - e^(-m)) is largest at m = ln(4/3)."""
    queries, keys = experiment.causal_pairs(range(200, 204))
    gap, features = queries - keys, -np.arange(204.0)[:, np.newaxis]
    slope = experiment.fit(features, gap, queries, gap == 3, 1e-12)
    assert slope[0] == pytest.approx(np.log(4 / 3), abs=1e-9)


def test_a_bias_is_part_of_the_scores():
    """With a bias that already says what the features can say, less is left for the weights."""
    queries, keys = experiment.causal_pairs(range(200, 204))
    gap, features = queries - keys, -np.arange(204.0)[:, np.newaxis]
    slope = experiment.fit(features, gap, queries, gap == 3, 1e-12, bias=-0.1 * gap)
    assert slope[0] == pytest.approx(np.log(4 / 3) - 0.1, abs=1e-9)


def test_a_free_table_has_the_scores_of_one_equation():
    """By symmetry there are two scores, the right one and the others, and their sum is zero."""
    scores = experiment.fit_free([5], 3, RIDGE)[5]
    weight = np.exp(scores[2]) / np.exp(scores).sum()
    assert scores.sum() == pytest.approx(0, abs=1e-9)
    assert RIDGE * scores[2] == pytest.approx(1 - weight, abs=1e-9)


def test_curvature_is_the_second_derivative_of_the_loss(problem):
    features = problem[3]
    weights = np.random.default_rng(2).standard_normal(features.shape[1])
    share = np.zeros((17, 20))
    for row, query in enumerate(range(3, 20)):
        powers = np.exp(features[: query + 1] @ weights)
        share[row, : query + 1] = powers / powers.sum()
    step, axes = 1e-4, np.eye(8)

    def second(a, b):
        signs = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
        return sum(sign * loss(features, weights + step * (i * a + j * b)) for i, j, sign in signs) / (4 * step**2)

    expected = [[second(a, b) for b in axes] for a in axes]
    curvature = experiment.curvature(features, share) + RIDGE * np.eye(8)
    np.testing.assert_allclose(curvature, expected, rtol=0, atol=1e-6)


def test_a_matrix_with_few_directions_agrees_with_all_of_them():
    queries, keys = experiment.causal_pairs(range(3, 12))
    right, table = queries - keys == 3, sinusoidal_table(12, 4)
    matrix = experiment.fit_bilinear(table, queries, keys, queries, right, RIDGE)
    features = (table[queries][:, :, np.newaxis] * table[keys][:, np.newaxis]).reshape(len(queries), -1)
    whole = experiment.fit(features, np.arange(len(features)), queries, right, RIDGE).reshape(4, 4)
    np.testing.assert_allclose(matrix, whole, rtol=0, atol=1e-6)


def test_heads_by_offset_and_by_matrix_have_their_scores_in_the_order_of_keys():
    by_offset = experiment.by_offset(np.array([0.0, 1.0, 2.0]))
    assert by_offset(1).tolist() == [1.0, 0.0]
    table, matrix = np.random.default_rng(3).standard_normal((2, 4, 4))
    expected = [table[2] @ matrix @ table[key] for key in range(3)]
    np.testing.assert_allclose(experiment.by_matrix(table, matrix)(2), expected, rtol=0, atol=1e-12)


def test_right_weight_of_equal_scores_is_one_over_the_number_of_keys():
    expected = np.mean([1 / (query + 1) for query in range(48, 64)])
    assert experiment.right_weight(experiment.by_offset(np.zeros(64)), 64) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ridge", [0.0, -1.0, np.nan])
def test_a_ridge_that_leaves_several_optima_is_refused(problem, ridge):
    queries, keys, right, features = problem
    with pytest.raises(ValueError, match="ridge must be above 0"):
        experiment.fit(features, queries - keys, queries, right, ridge)


def test_a_query_without_a_right_key_is_refused(problem):
    queries, keys, right, features = problem
    with pytest.raises(ValueError, match="exactly one right key, got 0 to 1"):
        experiment.fit(features, queries - keys, queries, right & (queries > 5), RIDGE)
