"""The answers of the page Questions are found by the site's search with the words that people use."""

import pytest

WORDS = [
    "why 10000",
    "base of RoPE",
    "RoPE frequency scale",
    "factor original_max_position_embeddings",
    "does static YaRN hurt short texts",
    "LongRoPE switch",
    "left padding",
    "packed sequences",
    "positions start at 0 or 1",
    "KV cache",
    "W_q W_k permuted",
    "interleaved or half layout",
    "rotate the values",
    "rotate queries only",
    "cross-attention",
    "RoPE decay with distance",
    "ALiBi slope times column",
    "ALiBi encoder",
    "ALiBi KV cache",
    "sines only",
    "added or concatenated",
    "decoder without positions",
]
FIRST = 8  # results that a reader looks at


@pytest.fixture(scope="module")
def found(browser, site):
    """Return a function from words to the pages that the search lists, in its order; the index is loaded once."""
    page = browser.new_page()
    page.goto(f"{site.url}search.html?q=phase")
    page.locator("#search-results li a").first.wait_for()
    search = "words => Search._performSearch(...Search._parseQuery(words)).map(result => result[0]).reverse()"
    yield lambda words: page.evaluate(search, words)
    page.close()


@pytest.mark.parametrize("words", WORDS)
def test_the_answer_is_among_the_first_results(found, words):
    assert "book/questions" in found(words)[:FIRST]


def test_words_that_stand_nowhere_find_nothing(found):
    assert found("positionless zebra crossing") == []
