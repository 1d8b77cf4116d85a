"""The tables that cells display: text that MyST reads as one table with header cells."""

import pytest

from tables import table


def test_header_rows_and_caption():
    text = table(["$k$", "a"], [[0, "1"], [1, ""]], caption="Two pairs.", name="tbl-two").data
    assert isinstance(text, str)
    assert text.splitlines()[0] == "```{list-table} Two pairs."
    assert ":header-rows: 1" in text and ":stub-columns: 1" in text and ":name: tbl-two" in text
    assert [line[4:] for line in text.splitlines() if line[:4] in ("* - ", "  - ")] == ["$k$", "a", "0", "1", "1", " "]


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="row 1 has 1 cells, the header has 2"):
        table(["a", "b"], [[1, 2], [3]])
