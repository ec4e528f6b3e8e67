"""Names that files may hold to make something of them run: one list for every writer of text and for the window."""

from html.parser import HTMLParser

RUNS = "import builtins; builtins.hostile = True"  # a script in which a name has become code leaves this mark

HOSTILE = (
    # Python
    f'x"""\n{RUNS}\n"""',
    f"x'''\n{RUNS}\n'''",
    f'x"); {RUNS} #',
    f"x'); {RUNS} #",
    f'"]); {RUNS} #',
    *(f"x{end}{RUNS}" for end in ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")),
    "ends with a stroke \\",
    '\\"',
    "\\N{BULLET} \\x41 \\u0041 {0} %s",
    "nothing\x00more",
    "\u202eturned round",
    # C
    "*/ #error hostile /*",
    "*\\/ #error hostile",
    "*\\\n/ #error hostile",
    "*??/\n/ #error hostile",
    "??/",
    "/* // /*",
    # MATLAB and Octave
    "%{",
    "x\n%}\nsystem('hostile')\n%{",
    "#{\nx",
    "x ...\nsystem('hostile')",
    # LaTeX
    "\\end{document}\\input{/hostile}",
    "^^5cinput{/hostile}",
    "$\\input{/hostile}$",
    "%\n\\input{/hostile}",
    "}\\write18{hostile}{",
    "$x",
    "$\\frac$",
    "# ~ & _ | < >",
    # HTML and XML
    "<script>hostile()</script>",
    '"><img src=x onerror=hostile()>',
    "' onmouseover='hostile()",
    "<img src=file:///hostile.png>",
    "&lt;b&gt; &amp;",
    "--><script>hostile()</script><!--",
    "]]><b>x</b>",
    # spreadsheets
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    " \r=1+1",
    '"=1+1',
    "'=1+1",
    "x;=1+1",
    "x,=1+1",
    "\uff1d1+1",
    # files
    "../../hostile",
    "C:\\hostile",
    "con",
    ". .",
)


class Elements(HTMLParser):
    """Elements of a page with the names of their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [key for key, _ in attrs]))

    def handle_endtag(self, tag):
        self.found.append(tag)

    def handle_comment(self, data):
        self.found.append(data)
