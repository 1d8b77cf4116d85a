"""Verdicts on what the sources print."""

import math

import pytest

from cited_numbers import source_verdict
from cited_numbers.numbers_of_record import source_rows
from cited_numbers.source_verdict import BELOW, DIFFERS, SAME

ROWS = source_rows()


@pytest.mark.parametrize(
    "row, count",
    [
        ("L01", 1),
        ("L07", 2),
        ("L08", 6),
        ("L19", 1),
        ("L20", 3),
        ("L23", 2),
        ("L32", 2),
        ("L44", 2),
        ("L46", 0),
        ("L50", 2),
        ("L51", 1),
        ("P01", 6),
        ("P04", 24),
        ("P05", 24),
        ("T03", 8),
        ("T04", 4),
        ("T10", 2),
    ],
)
def test_every_number_of_a_row_is_read(row, count):
    assert len(source_verdict.read(ROWS[row])) == count


def test_every_row_that_prints_something_is_read():
    assert [name for name, row in ROWS.items() if row["kind"] != "derived" and not source_verdict.read(row)] == []


@pytest.mark.parametrize(
    "row, value, expected",
    [
        ("L13", 5.968563765195686, SAME),
        ("L13", 5.968563765195688, SAME),  # two units of the sixteenth digit
        ("L13", 5.968563765195689, DIFFERS),  # three
        ("L24", 20 * math.pi, SAME),
        ("L04", 0.5623413251903491, SAME),
        ("L04", 0.56224, DIFFERS),
        ("L06", 62831.853, SAME),  # printed as 62800, rounded to hundreds
        ("L06", 62851, DIFFERS),
        ("L05", 35332.9, DIFFERS),
        ("L09", [0.920026, 0.391857, -0.990428, -0.138029, 0.983524, 0.180776], SAME),
        ("L09", [0.391857, 0.920026, -0.990428, -0.138029, 0.983524, 0.180776], DIFFERS),  # out of order
        ("L09", [0.983524, 0.180776], SAME),  # a part of the row
        ("L09", [0.983524, -0.180776], DIFFERS),
        ("T04", [[0.8415, 0.9093], [0.5403, -0.4161]], SAME),
        ("T04", [[0.8415, 0.5403], [0.9093, -0.4161]], SAME),  # the same table by columns
        ("T04", [[0.8415, -0.4161], [0.9093, 0.5403]], DIFFERS),
        ("L14", 28, SAME),
        ("L14", 27, DIFFERS),
        ("L17", 0, SAME),
        ("L17", 1e-17, DIFFERS),
        ("L51", math.pi, SAME),
        ("L51", 3.14159, DIFFERS),
        ("T10", [8192, 131072], SAME),
        ("T10", [8000, 128000], SAME),
        ("T10", [8192, 65536], DIFFERS),
        ("L46", 35332.9, ""),
    ],
)
def test_a_value_is_compared_to_all_printed_digits(row, value, expected):
    assert source_verdict.verdict(value, None, [ROWS[row]]) == expected


@pytest.mark.parametrize(
    "rows, below, expected",
    [
        (["L01", "L02"], 1e-14, BELOW),
        (["L01"], 1e-16, DIFFERS),
        (["L01", "L39"], 1e-15, DIFFERS),
        (["L46"], 1e-9, ""),
    ],
)
def test_a_residual_is_compared_with_its_bound(rows, below, expected):
    assert source_verdict.verdict(None, below, [ROWS[row] for row in rows]) == expected


def test_a_row_of_several_values_may_be_served_by_several_numbers():
    row = ROWS["L32"]
    assert source_verdict.unserved(row, [1.1716234976260362], []) == [1.0]
    assert source_verdict.unserved(row, [1.1716234976260362, 1], []) == []
    assert source_verdict.unserved(ROWS["L01"], [], [1e-14]) == []
    assert source_verdict.unserved(ROWS["L01"], [], []) == [4.44e-16]
