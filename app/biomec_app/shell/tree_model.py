"""The nodes of the tree as Qt wants them, and how a line of it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from biomec_app.kit.painted import dot
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.curve_drop import MIME
from biomec_app.shell.tree_content import BAD, CURRENT, DOUBT, STALE, TODO, Node

LONG = 12  # letters of a detail that may be cut; a shorter one is shown whole or not at all
PART = ", "  # between the parts of a label
LEAST = 7  # letters of the first part that are left
SHORT = 18  # letters of a label that is never cut
NODE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex


class TreeModel(QAbstractItemModel):
    """A tree of nodes; boxes turn curves on and off.

    chosen : tells which curves are plotted
    choose : is called with keys, and whether they are to be plotted
    """

    def __init__(
        self,
        chosen: Callable[[], Sequence[str]],
        choose: Callable[[Sequence[str], bool], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chosen, self._choose = chosen, choose
        self._root = Node("", "")
        self._parents: dict[int, tuple[Node, int]] = {}
        self._theme = LIGHT
        self._icons: dict[str, QIcon] = {}
        self._bold = QFont()
        self._bold.setBold(True)

    # ------------------------------------------------------------------ content

    def set_root(self, root: Node) -> None:
        """Show another tree."""
        self.beginResetModel()
        self._root = root
        self._parents = {}
        self.endResetModel()

    def set_theme(self, theme: Theme) -> None:
        """Draw the signs of states in the colours of a theme."""
        self._theme, self._icons = theme, {}

    def node(self, index: Index) -> Node:
        """Node of an index; the root for an invalid one."""
        return index.internalPointer() if index.isValid() else self._root

    def _children(self, node: Node) -> tuple[Node, ...]:
        children = node.children
        if children and id(children[0]) not in self._parents:
            for row, child in enumerate(children):
                self._parents[id(child)] = (node, row)
        return children

    # ------------------------------------------------------------------ what Qt asks

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        """Index of a child."""
        children = self._children(self.node(parent))
        return self.createIndex(row, column, children[row]) if 0 <= row < len(children) else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """Index of what is above."""
        found = self._parents.get(id(self.node(index)))
        if found is None or found[0] is self._root:
            return QModelIndex()
        above = found[0]
        return self.createIndex(self._parents[id(above)][1], 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        """Number of children."""
        return len(self._children(self.node(parent)))

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        """One column."""
        return 1

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:
        """Whether there may be children, without making them."""
        return self.node(parent).below is not tuple

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Curves can be checked and dragged."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        node = self.node(index)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if node.checkable:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if node.curves:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a line says."""
        if not index.isValid():
            return None
        node = self.node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return node.label
        if role == Qt.ItemDataRole.ToolTipRole:
            whole = len(node.label) > SHORT or PART in node.label  # it may have been cut
            return f"{node.label}\n{node.tip}".strip() if whole else node.tip or None
        if role == Qt.ItemDataRole.FontRole and self._parents.get(id(node), (None, 0))[0] is self._root:
            return self._bold
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(words for words in (node.label, node.meaning, node.detail) if words)
        if role == Qt.ItemDataRole.CheckStateRole and node.checkable:
            return self._state(node)
        if role == Qt.ItemDataRole.DecorationRole and node.state:
            return self._icon(node.state)
        return node if role == NODE else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Turn curves on and off."""
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self._choose(self.node(index).curves, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def mimeTypes(self) -> list[str]:
        """Keys of curves, and the same as text."""
        return [MIME, "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Keys of the curves that are dragged."""
        keys = "\n".join(dict.fromkeys(key for index in indexes for key in self.node(index).curves))
        data = QMimeData()
        data.setData(MIME, keys.encode())
        data.setText(keys)
        return data

    def _state(self, node: Node) -> Qt.CheckState:
        chosen = set(self._chosen())
        count = sum(key in chosen for key in node.curves)
        if not count:
            return Qt.CheckState.Unchecked
        return Qt.CheckState.Checked if count == len(node.curves) else Qt.CheckState.PartiallyChecked

    def _icon(self, state: str) -> QIcon | None:
        if state not in self._icons:
            theme = self._theme
            tints = {CURRENT: theme.contact, STALE: theme.rebuilt, TODO: "", DOUBT: theme.rebuilt, BAD: theme.failed}
            if state not in tints:
                return None
            self._icons[state] = dot(tints[state], theme.faint)
        return self._icons[state]


def fitted(label: str, metrics: QFontMetrics, width: int) -> str:
    """A label in so many pixels: what follows its first comma tells it from others, so that is cut last.

    "Joint moments, gravity part, joint axes" becomes "Joint moments, gravity part…", then "Joint mo…, gravity part".
    """
    if PART not in label or metrics.horizontalAdvance(label) <= width:
        return label
    first, telling, *rest = label.split(PART)
    if rest and metrics.horizontalAdvance(f"{first}{PART}{telling}…") <= width:
        return metrics.elidedText(label, Qt.TextElideMode.ElideRight, width)
    left = width - metrics.horizontalAdvance(f"{PART}{telling}")
    if left >= metrics.horizontalAdvance(first[:LEAST] + "…"):
        return f"{metrics.elidedText(first, Qt.TextElideMode.ElideRight, left)}{PART}{telling}"
    return metrics.elidedText(f"…{telling}", Qt.TextElideMode.ElideRight, width)


class LineDelegate(QStyledItemDelegate):
    """Draws the label at the left, fainter what it means, and the detail at the right end of the line."""

    faint = "#808080"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a line."""
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        node = index.data(NODE)
        style = whole.widget.style() if whole.widget is not None else QApplication.style()
        place = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, whole, whole.widget)
        label = QFontMetrics(whole.font).horizontalAdvance(node.label)
        whole.text = fitted(node.label, QFontMetrics(whole.font), place.width() - 6)
        room = place.width() - label - 14
        detail = "" if node.step is not None and node.state in (CURRENT, TODO) else node.detail  # its dot says so
        full = whole.fontMetrics.horizontalAdvance(detail) + 4
        wanted = min(full, max(0, room))
        fits = wanted == full or (len(detail) > LONG and wanted > whole.fontMetrics.averageCharWidth() * LONG)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, whole, painter, whole.widget)
        painter.save()
        selected = bool(whole.state & QStyle.StateFlag.State_Selected)
        painter.setFont(option.font)
        painter.setPen(whole.palette.highlightedText().color() if selected else QColor(self.faint))
        if node.meaning:
            between = room - (wanted if detail and fits else 0)
            text = whole.fontMetrics.elidedText(node.meaning, Qt.TextElideMode.ElideRight, between)
            start = QRect(place.left() + label + 10, place.top(), max(0, between), place.height())
            painter.drawText(start, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        if detail and fits:
            right = QRect(place.right() - wanted - 2, place.top(), wanted, place.height())
            text = whole.fontMetrics.elidedText(detail, Qt.TextElideMode.ElideRight, wanted)
            painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A little air between lines."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(20, size.height() + 3))
