"""Python's search for garbage rests while much is made that stays, and goes on afterwards."""

import gc

import pytest

from biomec.base.compiled import compiled, watched_compiling
from biomec.base.garbage import without_search


@pytest.fixture(params=[True, False], ids=["searched", "stopped before"])
def usual(request):
    """Whether Python searches by itself."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_the_search_goes_on_as_it_was_also_after_an_error(usual):
    with without_search():
        assert not gc.isenabled()
        with without_search():
            pass
        assert not gc.isenabled()
    assert gc.isenabled() == usual
    with pytest.raises(ZeroDivisionError), without_search():
        raise ZeroDivisionError
    assert gc.isenabled() == usual


def test_functions_are_compiled_without_it(usual, monkeypatch):
    """The one that is called is compiled within the compiling of its caller; it can also be stopped there."""
    monkeypatch.setattr("biomec.base.compiled._cache_folder", lambda source: None)  # what is kept is not compiled
    found = []

    @compiled
    def inner(x):
        return x + 1.0

    @compiled
    def outer(x):
        return 2.0 * inner(x)

    def watch(name, here):
        found.append((name, gc.isenabled()))
        if len(found) == 2:
            raise KeyboardInterrupt

    with watched_compiling(watch), pytest.raises(KeyboardInterrupt):
        outer(1.0)
    assert found == [("outer", usual), ("inner", False)]
    assert gc.isenabled() == usual
    assert outer(1.0) == 4.0
    assert gc.isenabled() == usual
