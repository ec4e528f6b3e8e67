"""HDF5 files of strangers, looked through before anything in them is read.

HDF5 can make a file show what is not in it: links to other files and other names, data sets whose numbers lie in
another file (external storage) or are put together from several (virtual ones), filters that are loaded as programs,
and arrays of any stated size that take no room on the disk. Neither Biomec nor MATLAB writes any of these, so that a
file with one of them is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import h5py

from biomec.base.limits import Budget

_FILTERS = (h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32)
_OBJECT_COST = 256  # bytes of memory that are counted for every object that is looked at


class StrangeContentError(ValueError):
    """The file holds what Biomec does not read, in words that quote nothing of it."""


class Inspector:
    """Looks through objects of one file, each once.

    budget : bytes that all arrays together may take
    stored : every array must lie in the file as it is, without compression; so Biomec writes its projects
    """

    def __init__(self, budget: Budget, *, stored: bool) -> None:
        self._budget, self._stored = budget, stored
        self._seen: set[int] = set()

    def inspect(self, top: h5py.Group | h5py.Dataset) -> None:
        """Refuse an object, or anything below it, that must not be read; what was looked at before is not again."""
        waiting = [top]
        while waiting:
            item = waiting.pop()
            address = int(h5py.h5o.get_info(item.id).addr)
            if address in self._seen:
                if item is not top:
                    raise StrangeContentError("one object has several names, or groups contain each other")
                continue
            self._seen.add(address)
            self._budget.take(_OBJECT_COST)
            if isinstance(item, h5py.Group):
                waiting += _members(item)
            elif isinstance(item, h5py.Dataset):
                self._dataset(item)
            else:
                raise StrangeContentError("it holds an object that is neither a group nor a data set")

    def _dataset(self, item: h5py.Dataset) -> None:
        how = item.id.get_create_plist()
        if how.get_external_count():
            raise StrangeContentError("the numbers of a data set lie in another file (external storage)")
        if how.get_layout() == h5py.h5d.VIRTUAL:
            raise StrangeContentError("a data set is put together from other places (a virtual data set)")
        filters = [how.get_filter(k)[0] for k in range(how.get_nfilters())]
        if self._stored and filters:
            raise StrangeContentError("a data set is compressed, which Biomec never does in a project")
        if any(one not in _FILTERS for one in filters):
            raise StrangeContentError("a data set needs a filter that would be loaded as a program")
        if item.dtype.hasobject and (self._stored or h5py.check_ref_dtype(item.dtype) is None):
            raise StrangeContentError("a data set holds values of varying length")
        if item.dtype.kind not in ("biufcS" if self._stored else "biufcSVO"):
            raise StrangeContentError("a data set holds something other than numbers and text")
        size = int(item.size or 0) * item.dtype.itemsize
        if self._stored and size != item.id.get_storage_size():
            raise StrangeContentError("a data set states a size that the file does not hold")
        self._budget.take(size)


def _members(group: h5py.Group) -> Iterator[h5py.Group | h5py.Dataset]:
    """What a group contains; a link that is not the object itself is refused before it is followed."""
    names: list[bytes] = []
    group.id.links.iterate(names.append)
    for name in names:
        if group.id.links.get_info(name).type != h5py.h5l.TYPE_HARD:
            raise StrangeContentError("it holds a link to another place or file (only what lies in it is read)")
        yield group[name]
