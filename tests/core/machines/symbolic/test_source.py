"""Exported programs compute what the equations say; typeset lines can be drawn."""

import importlib.util
import re
import shutil
import subprocess

import numpy as np
import pytest
import sympy as sp

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.symbolic.compiled import compiled
from biomec.machines.symbolic.equations import state_jacobians
from biomec.machines.symbolic.lagrange import planar_chain
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.placing import start_state
from biomec.machines.symbolic.source import matrices_source, to_source
from biomec.machines.symbolic.typeset import formulae, mathml, text

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
CASES = [("triple-pendulum", False), ("triple-pendulum", True), ("tied-triple-pendulum", False), ("four-bar", False),
         ("slider-crank", False), ("finger", False), ("posture", True)]  # fmt: skip
AWKWARD = """
name = "awkward"
dimension = 2
[parameters]
goto = 1.5
x = 2.0
double = 0.25
end = 0.3
z0 = 0.1
"η" = 3.0
S = 0.2
[[body]]
name = "bar"
points = { O = [0.0, 0.0], P = ["=x", "=z0"] }
basis = ["O", "P"]
mass = "=goto*η"
centre_of_mass = ["=double", "=end"]
inertia = "=S"
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "bar.O"
[[motor]]
name = "the motor */ \\"\\"\\" %"
proximal = "ground"
distal = "bar"
"""


def case(name):
    machine = parse_machine(AWKWARD, "awkward.toml") if name == "awkward" else load_machine(name)
    equations = machine_equations(machine)
    rng = np.random.default_rng(11)
    n = equations.n
    x = np.tile(start_state(machine), (5, 1))
    x[:, :n] += rng.normal(scale=0.2, size=(5, n))
    x[:, n:] += rng.normal(size=(5, n))
    return equations, x, rng.normal(size=(5, len(equations.inputs)))


def imported(text, folder, name):
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    made = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def same(found, wanted):
    """To round-off: the condition of these equations is up to 1e4, so 1e-12 of the largest rate."""
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize(("name", "explicit"), [*CASES, ("awkward", False), ("awkward", True)])
def test_exported_python_is_imported_again_and_equal(name, explicit, tmp_path):
    equations, x, u = case(name)
    module = imported(to_source(equations, "python", explicit=explicit), tmp_path, "exported")
    wanted = compiled(equations).xdot(x, u)
    for k in range(len(x)):
        same(module.xdot(0.0, x[k], u[k]), wanted[k])
    other = equations.with_values({next(iter(equations.parameters)).name: 0.77}) if equations.parameters else equations
    same(module.xdot(0.0, x[0], u[0], other.values), compiled(other).xdot(x[0], u[0]))
    np.testing.assert_array_equal(module.xdot(0.0, x[0]), module.xdot(0.0, x[0], 0.0 * u[0]))  # inputs are 0 by default


def run_c(source, main, folder):
    (folder / "exported.c").write_text(source + main, encoding="utf-8")
    program = folder / "exported"
    strict = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    done = subprocess.run(
        [CC, *strict, "exported.c", "-o", str(program), "-lm"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    out = subprocess.run([str(program)], cwd=folder, capture_output=True, text=True, check=True).stdout
    return np.array([float(one) for one in out.split()])


@pytest.mark.skipif(CC is None, reason="there is no C compiler on this computer")
@pytest.mark.parametrize(("name", "explicit"), [*CASES, ("awkward", False)])
def test_exported_c_compiles_without_a_warning_and_is_equal(name, explicit, tmp_path):
    equations, x, u = case(name)
    n, values = equations.n, (*equations.values, 0.0)  # a C array is not empty
    numbers = lambda row: ", ".join(repr(float(one)) for one in (*row, 0.0))
    calls = "".join(
        f"  {{ const double x[] = {{{numbers(x[k])}}}, u[] = {{{numbers(u[k])}}}; double dx[{2 * n}];\n"
        "    if (xdot(0.0, x, u, p, dx)) { return 1; }\n"
        f'    for (int k = 0; k < {2 * n}; k++) printf("%.17g\\n", dx[k]); }}\n'
        for k in range(len(x))
    )
    main = f"\n#include <stdio.h>\nint main(void) {{ const double p[] = {{{numbers(values)}}};\n{calls}  return 0; }}\n"
    found = run_c(to_source(equations, "c", explicit=explicit), main, tmp_path).reshape(len(x), 2 * n)
    wanted = compiled(equations).xdot(x, u)
    for one, other in zip(found, wanted, strict=True):
        same(one, other)


def slope_of_a_magnitude(language):
    s = sp.Symbol("s", real=True)
    return matrices_source(language, "slope", {"x": (s,)}, {"J": sp.Matrix([3 * sp.Abs(s)]).jacobian([s])})


def test_the_slope_of_a_magnitude_is_exported_to_python(tmp_path):
    module = imported(slope_of_a_magnitude("python"), tmp_path, "slopes")
    assert [float(np.ravel(module.slope([x]))[0]) for x in (-0.2, 0.0, 0.2)] == [-3.0, 0.0, 3.0]


@pytest.mark.skipif(CC is None, reason="there is no C compiler on this computer")
def test_the_slope_of_a_magnitude_is_exported_to_c(tmp_path):
    main = (
        "\n#include <stdio.h>\nint main(void) { const double x[] = {-0.2, 0.0, 0.2}; double J[1];\n"
        '  for (int k = 0; k < 3; k++) { slope(x + k, J); printf("%.17g\\n", J[0]); }\n  return 0; }\n'
    )
    assert run_c(slope_of_a_magnitude("c"), main, tmp_path).tolist() == [-3.0, 0.0, 3.0]


@pytest.mark.skipif(CC is None, reason="there is no C compiler on this computer")
def test_vectors_and_matrices_are_exported_to_c_with_one_and_two_indices(tmp_path):
    equations = planar_chain(2)
    by_state, by_input = state_jacobians(equations)
    arguments = {"x": equations.coordinates.x, "u": equations.inputs, "p": tuple(equations.parameters)}
    energy = sp.Matrix([equations.kinetic, equations.potential])
    source = matrices_source("c", "slopes", arguments, {"Jx": by_state, "Ju": by_input, "energy": energy})
    assert "Jx[2][0] = " in source
    assert "energy[1] = " in source
    assert "const double z0 = " in source  # common parts are computed once
    x, u = [0.3, -0.8, 1.0, 2.0], [0.5, -0.25]
    given = [", ".join(map(repr, one)) for one in (x, u, equations.values)]
    main = (
        f"\n#include <stdio.h>\nint main(void) {{ const double x[] = {{{given[0]}}}, u[] = {{{given[1]}}}, "
        f"p[] = {{{given[2]}}};\n  double Jx[4][4], Ju[4][2], energy[2];\n  slopes(x, u, p, Jx, Ju, energy);\n"
        '  for (int k = 0; k < 16; k++) printf("%.17g\\n", Jx[k / 4][k % 4]);\n'
        '  for (int k = 0; k < 8; k++) printf("%.17g\\n", Ju[k / 2][k % 2]);\n'
        '  printf("%.17g %.17g\\n", energy[0], energy[1]); return 0; }\n'
    )
    found = run_c(source, main, tmp_path)
    numbers = compiled(equations)
    wanted = [one.ravel() for one in numbers.jacobians(x, u)] + [np.array(numbers.energies(np.array(x)))]
    np.testing.assert_allclose(found, np.concatenate(wanted), rtol=1e-12, atol=1e-12)


def test_matrices_in_python_and_matlab(tmp_path):
    equations = planar_chain(2)
    arguments = {"x": equations.coordinates.x, "p": tuple(equations.parameters)}
    outputs = {"A": equations.A, "E": equations.E}
    module = imported(matrices_source("python", "terms", arguments, outputs), tmp_path, "terms")
    x = [0.3, -0.8, 1.0, 2.0]
    A, E = module.terms(x, equations.values)
    matrix, right = compiled(planar_chain(2)).system([*x[:2], 0.0, 0.0])
    np.testing.assert_allclose(A, matrix, rtol=1e-14)
    np.testing.assert_allclose(E, -right, rtol=1e-14)
    assert matrices_source("matlab", "terms", arguments, outputs).startswith("function [A, E] = terms(x, p)\n")
    with pytest.raises(BiomecError, match="no language fortran"):
        matrices_source("fortran", "terms", arguments, outputs)


@pytest.mark.parametrize(("name", "explicit"), [*CASES, ("awkward", False)])
def test_exported_matlab_is_well_formed_and_computes_the_same(name, explicit):
    """Without the program itself: names are defined before use, and its lines, read as Python, give the numbers."""
    equations, x, u = case(name)
    source = to_source(equations, "matlab", explicit=explicit)
    lines = [line for line in source.splitlines() if not line.lstrip().startswith("%")]
    assert re.fullmatch(r"function dx = xdot\(t, x, u, p\)", lines[0])
    assert lines[-1] == "end"
    assert source.isascii() or "η" in source.split("\n  ")[0]  # only the comment may name a parameter as it is
    for opening, closing in ("()", "[]"):
        assert source.count(opening) == source.count(closing)
    known = {"t", "x", "u", "p", "sin", "cos", "sqrt", "pi", "atan2", "zeros", "nargin", "reshape", "if", "end"}
    space = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "pi": np.pi, "np": np}
    space |= {"x": x[0], "u": u[0], "p": np.array(equations.values)}
    for line in lines[1:-1]:
        for word in re.findall(r"(?<!\w)[A-Za-z_]\w*", line.partition("=")[2]):
            assert word in known | {"nargin", "u", "p"}, (word, line)
        if line.lstrip().startswith("if "):
            assert line.rstrip().endswith("; end")
            continue
        target, value = line.strip().removesuffix(";").split(" = ", 1)
        assert re.fullmatch(r"[A-Za-z]\w*", target)  # a name that the language knows
        known.add(target)
        plain = value.replace(".*", "*").replace("./", "/").replace(".^", "**")
        if target == "dx":
            break
        if target == "a" and "\\" in value:
            space["a"] = np.linalg.solve(np.atleast_2d(space["S"]), space["r"])
        elif value.startswith("["):
            rows = [[eval(one, space) for one in row.split(", ")] for row in plain.strip("[]").split("; ")]
            space[target] = np.array(rows) if len(rows[0]) > 1 else np.array(rows)[:, 0]
        else:
            space[target] = eval(re.sub(r"\b([xup])\((\d+)\)", lambda m: f"{m[1]}[{int(m[2]) - 1}]", plain), space)
    n = equations.n
    assert lines[-2].strip() == f"dx = [reshape(x({n + 1}:{2 * n}), {n}, 1); a(1:{n})];"
    same(space["a"][:n], compiled(equations).xdot(x[0], u[0])[n:])


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed on this computer")
@pytest.mark.parametrize(("name", "explicit"), [("triple-pendulum", False), ("four-bar", False), ("posture", True)])
def test_exported_matlab_runs_in_octave(name, explicit, tmp_path):
    equations, x, u = case(name)
    (tmp_path / "xdot.m").write_text(to_source(equations, "matlab", explicit=explicit), encoding="utf-8")
    row = lambda values: "[" + "; ".join(repr(float(one)) for one in values) + "]"
    script = f"printf('%.17g\\n', xdot(0, {row(x[0])}, {row(u[0])}, {row(equations.values)}))"
    done = subprocess.run(
        [OCTAVE, "--norc", "--eval", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    same(np.array([float(one) for one in done.stdout.split()]), compiled(equations).xdot(x[0], u[0]))


def test_languages_that_are_not_there_and_formulas_that_would_be_endless():
    equations = machine_equations(load_machine("four-bar"))
    with pytest.raises(BiomecError, match="The languages are python, c, matlab, latex"):
        to_source(equations, "fortran")
    with pytest.raises(BiomecError, match="closed loops"):
        to_source(equations, "c", explicit=True)


# ---------------------------------------------------------------------- typeset


def test_the_lines_of_the_pendulum():
    lines = formulae(machine_equations(load_machine("triple-pendulum")))
    assert lines[0] == r"A\,\ddot{q} + B\,\dot{q}^{2} + E = F\,u"
    assert lines[1] == r"q = (\varphi_{1},\; \varphi_{2},\; \varphi_{3})"
    assert r"A_{33} = \dfrac{L_{3}^{2}\,m_{3}}{3}" in lines
    closed = formulae(machine_equations(load_machine("four-bar")))
    assert closed[0] == r"A\,\ddot{q} + B\,\dot{q}^{2} + E + \Phi_q^{T}\lambda = F\,u"
    assert any(line.startswith(r"\gamma_{2} = ") for line in closed)
    tied = formulae(machine_equations(load_machine("tied-triple-pendulum")))
    assert tied[0].endswith(r"F\,u + G")


@pytest.mark.parametrize("name", ["tied-triple-pendulum", "four-bar", "slider-crank", "posture", "finger", "awkward"])
def test_every_line_can_be_drawn_by_mathtext(name):
    mathtext = pytest.importorskip("matplotlib.mathtext")
    parser = mathtext.MathTextParser("path")
    for line in formulae(case(name)[0]):
        assert r"\begin" not in line
        assert "\n" not in line
        parser.parse(f"${line}$")


def test_numbers_are_shown_with_the_digits_that_are_asked_for():
    made = machine_equations(load_machine("tied-triple-pendulum")).with_numbers()
    assert "A_{22} = 10.4652" in formulae(made)
    assert "A_{22} = 10.5" in formulae(made, 3)
    assert "A[2,2] = 10.5" in text(made, 3).splitlines()


def test_latex_documents_and_mathml():
    made = machine_equations(load_machine("tied-triple-pendulum"))
    source = to_source(made, "latex", title="K & C")
    assert r"\section*{K \& C}" in source
    assert source.count(r"\begin{") == source.count(r"\end{")
    assert r"\end{document}" in source
    page = mathml(made.A[0, 1], made)
    assert page.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow>')
    assert page.endswith("</math>")
    assert "<mi>cos</mi>" in page
