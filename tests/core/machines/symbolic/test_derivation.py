"""Equations of motion from energies, from machines and ready-made: they are the published ones, and one another."""

import numpy as np
import pytest
import sympy as sp

from biomec.base.errors import BiomecError, DescriptionError
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.symbolic.algebra import coordinates, exact, multiple_angles, rounded, symbol, tidy, time_derivative
from biomec.machines.symbolic.equations import accelerations, multiple_angle_fractions, state_vector
from biomec.machines.symbolic.lagrange import (
    equations_from_texts,
    from_equations,
    from_lagrangian,
    generalised_forces,
    lagrange_equations,
    planar_chain,
)
from biomec.machines.symbolic.machine_equations import machine_equations, machine_tree
from tests.core.machines.shared_pendulum import shared_pendulum

MATRICES = ("A", "B", "X", "C", "D", "E", "F", "G")


def is_zero(matrix):
    return all(tidy(one) == 0 for one in matrix)


# ---------------------------------------------------------------------- derivative by time


def test_the_total_derivative_of_the_published_example():
    L1, L2, phi1, phi2 = sp.symbols("L1 L2 phi1 phi2", real=True)
    phi1d, phi2d = symbol("phi1d"), symbol("phi2d")
    position = L1 * sp.cos(phi1) / 2 + L2 * sp.cos(phi2) / 2
    first, second = -phi1d * L1 * sp.sin(phi1) / 2, -phi2d * L2 * sp.sin(phi2) / 2
    assert time_derivative(position, [phi1, phi2]) == first + second
    assert time_derivative(position) == first  # without a list only the default variable moves
    assert time_derivative(L1) == symbol("L1d")
    assert time_derivative(sp.Integer(3)) == 0


def test_rates_have_accelerations():
    coords = coordinates(["a", "b"])
    (a, b), (ad, bd), (add, bdd) = coords.q, coords.qdot, coords.qddot
    assert sp.expand(coords.derivative(ad * b**2) - (add * b**2 + 2 * ad * b * bd)) == 0
    assert coords.derivative(bd) == bdd
    assert coords.derivative(a + 7) == ad


def test_a_coordinate_gives_way_to_a_parameter_of_its_name():
    assert coordinates(["phi1"], taken=[symbol("phi1")]).q[0].name == "phi1_"


# ---------------------------------------------------------------------- planar chains


def chain_in_closed_form(count):
    """A, B, E of a chain of bars [Silva2007, Eq. 3.31], written for any number of them."""
    m, L, I = ([symbol(f"{letter}{k + 1}") for k in range(count)] for letter in "mLI")
    phi = [symbol(f"phi{k + 1}") for k in range(count)]
    beyond = [sum(m[k + 1 :], sp.S.Zero) for k in range(count)]
    A, B = sp.zeros(count), sp.zeros(count)
    for i in range(count):
        for j in range(count):
            last = max(i, j)
            mu = (m[last] / 2 + beyond[last]) * L[i] * L[j]
            A[i, j] = (m[i] / 4 + beyond[i]) * L[i] ** 2 + I[i] if i == j else mu * sp.cos(phi[i] - phi[j])
            B[i, j] = 0 if i == j else mu * sp.sin(phi[i] - phi[j])
    E = sp.Matrix([(m[i] / 2 + beyond[i]) * symbol("g") * L[i] * sp.cos(phi[i]) for i in range(count)])
    return A, B, E


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_planar_chain_has_the_published_matrices(count):
    made = planar_chain(count)
    A, B, E = chain_in_closed_form(count)
    assert is_zero(made.A - A)
    assert is_zero(made.B - B)
    assert is_zero(made.E - E)
    assert made.C.is_zero_matrix
    assert made.D.is_zero_matrix
    assert made.pairs == ()
    assert sp.Matrix(count, count, lambda i, j: (i == j) - (j == i + 1)) == made.F


@pytest.mark.parametrize("name", ["triple-pendulum", "tied-triple-pendulum", "four-bar"])
def test_machines_have_the_published_matrices_too(name):
    made = machine_equations(load_machine(name))
    inertia = {symbol(f"I{k}"): symbol(f"m{k}") * symbol(f"L{k}") ** 2 / 12 for k in (1, 2, 3)}
    A, B, E = (one.subs(inertia) for one in chain_in_closed_form(3))
    assert is_zero(made.A - A)
    assert is_zero(made.B - B)
    assert is_zero(made.E - E)
    assert made.F[:, :3] == sp.Matrix([[1, -1, 0], [0, 1, -1], [0, 0, 1]])


def test_the_numbers_of_the_mass_matrix_of_the_tied_pendulum():
    made = machine_equations(load_machine("tied-triple-pendulum")).with_numbers()
    printed = {(0, 0): 5.7041667, (1, 1): 10.4652, (2, 2): 1.4814333, (0, 1): 6.68025, (0, 2): 1.58725, (1, 2): 2.85705}
    for (i, j), value in printed.items():
        assert float(made.A[i, j].subs(dict.fromkeys(made.coordinates.q, 0))) == pytest.approx(value, abs=5e-8)


# ---------------------------------------------------------------------- sorting


def test_sorting_puts_every_term_where_it_belongs_and_loses_none():
    coords = coordinates(["a", "b"])
    (a, b), (ad, bd), (add, bdd) = coords.q, coords.qdot, coords.qddot
    u, k = symbol("u"), symbol("k")
    first = 2 * add + sp.cos(b) * bdd + 3 * ad**2 + sp.sin(a) * ad * bd + k * ad + 5 * a + sp.sin(a) + ad**3 - u
    second = sp.cos(b) * add + bdd + bd * a + k * b * a + b * sp.cos(b) + 4 * b
    made = from_equations([first, second], coords, [u], {k: 1.0})
    assert sp.Matrix([[2, sp.cos(b)], [sp.cos(b), 1]]) == made.A
    assert sp.Matrix([[3, 0], [0, 0]]) == made.B
    assert (made.pairs, made.X) == (((0, 1),), sp.Matrix([sp.sin(a), 0]))
    assert sp.Matrix([[k, 0], [0, a]]) == made.C
    assert sp.Matrix([[5, 0], [0, 4]]) == made.D  # b cos b and a b are not taken for b
    assert sp.Matrix([sp.sin(a) + ad**3, k * a * b + b * sp.cos(b)]) == made.E
    assert sp.Matrix([1, 0]) == made.F
    assert is_zero(made.left_minus_right - sp.Matrix([first, second]))


def test_equations_that_are_not_linear_in_the_accelerations_are_refused():
    coords = coordinates(["a"])
    with pytest.raises(BiomecError, match="linear in the accelerations"):
        from_equations([coords.qddot[0] ** 2], coords)
    with pytest.raises(BiomecError, match="1 coordinates need 1 equations"):
        from_equations([], coords)


def test_ready_made_equations_give_the_same_as_energies():
    made = planar_chain(3)
    again = from_equations(list(made.left_minus_right), made.coordinates, made.inputs, made.parameters)
    for name in MATRICES:
        assert is_zero(getattr(again, name) - getattr(made, name)), name


def test_relative_angles_have_products_of_different_rates():
    """A double pendulum in relative angles against the same in absolute angles, at one state, with numbers."""
    m, L, g = sp.Integer(2), sp.Rational(3, 2), sp.Rational(981, 100)
    coords = coordinates(["a", "b"])
    a, b = coords.q
    ends = [(L * sp.cos(a), L * sp.sin(a))]
    ends += [(ends[0][0] + L * sp.cos(a + b), ends[0][1] + L * sp.sin(a + b))]
    kinetic = sum(m * (coords.derivative(x) ** 2 + coords.derivative(y) ** 2) / 2 for x, y in ends)
    made = from_lagrangian(kinetic, m * g * sum(y for _, y in ends), coords)
    assert made.pairs == ((0, 1),)
    assert not is_zero(made.X)
    at = {a: 0.3, b: 0.5, coords.qdot[0]: 1.1, coords.qdot[1]: -0.7}
    relative = np.array(accelerations(made).subs(at), dtype=float).ravel()
    phi, rate = np.array([0.3, 0.8]), np.array([1.1, 0.4])
    c, s = np.cos(phi[0] - phi[1]), np.sin(phi[0] - phi[1])
    M = 2.0 * 1.5**2 * np.array([[2.0, c], [c, 1.0]])
    force = -2.0 * 1.5**2 * s * np.array([rate[1] ** 2, -(rate[0] ** 2)]) - 2.0 * 9.81 * 1.5 * np.array(
        [2.0, 1.0]
    ) * np.cos(phi)
    absolute = np.linalg.solve(M, force)
    np.testing.assert_allclose(relative, [absolute[0], absolute[1] - absolute[0]], rtol=1e-12)


# ---------------------------------------------------------------------- generalised forces


def test_the_tie_pulls_as_virtual_work_says_and_vanishes_on_the_closed_linkage():
    machine = load_machine("tied-triple-pendulum")
    made = machine_equations(machine)
    coords, tree = made.coordinates, machine_tree(machine)
    X, Y = (tree.point("follower.D") - tree.point("ground.D")).components()
    K, C = symbol("K"), symbol("C")
    pairs = [(-K * X - C * coords.derivative(X), X), (-K * Y - C * coords.derivative(Y), Y)]
    assert is_zero(made.G - generalised_forces(pairs, coords))
    L = [symbol(f"L{k}") for k in (1, 2, 3, 4)]
    (p1, p2, p3), (w1, w2, w3) = coords.q, coords.qdot
    first = -L[0] * (
        C * (L[0] * w1 + L[1] * w2 * sp.cos(p1 - p2) + L[2] * w3 * sp.cos(p1 - p3))
        + K * (L[3] * sp.sin(p1) - L[1] * sp.sin(p1 - p2) - L[2] * sp.sin(p1 - p3))
    )
    assert tidy(made.G[0] - first) == 0
    start = {**dict(zip(coords.q, machine.start.angles.values(), strict=True)),
             **dict(zip(coords.qdot, machine.start.rates.values(), strict=True))}  # fmt: skip
    at_rest = np.array(made.G.subs(start).subs(made.parameters), dtype=float)
    assert np.abs(at_rest).max() < 1e-9  # 1e5 N/m times round-off of the closure, 1e-16 m


def test_springs_and_hinges_store_what_they_give_back():
    text = """
name = "arm"
dimension = 2
[parameters]
k = 300.0
c = 4.0
kappa = 2.0
[ground]
W = [0.3, 0.4]
[[body]]
name = "arm"
points = { O = [0.0, 0.0], P = [0.5, 0.1] }
basis = ["O", "P"]
mass = 2.0
centre_of_mass = [0.2, 0.0]
inertia = 0.03
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "arm.O"
[[spring]]
name = "coil"
first = "ground.W"
second = "arm.P"
stiffness = "=k"
damping = "=c"
free_length = 0.2
actuation = 5.0
[[hinge]]
name = "twist"
proximal = "ground"
distal = "arm"
stiffness = "=kappa"
rest_deg = 30.0
damping = 0.5
"""
    made = machine_equations(parse_machine(text, "arm.toml"))
    (phi,), (rate,) = made.coordinates.q, made.coordinates.qdot
    from_energy = -sp.diff(made.potential, phi) + made.E[0]
    values = {phi: 0.7, rate: -1.3, **made.parameters}
    still = {**values, rate: 0}
    assert float(made.G[0].subs(still)) == pytest.approx(float((from_energy).subs(still).subs(values)), rel=1e-12)
    x, y = 0.5 * np.cos(0.7) - 0.1 * np.sin(0.7) - 0.3, 0.5 * np.sin(0.7) + 0.1 * np.cos(0.7) - 0.4
    by = np.array([-0.5 * np.sin(0.7) - 0.1 * np.cos(0.7), 0.5 * np.cos(0.7) - 0.1 * np.sin(0.7)])
    length = np.hypot(x, y)
    share = (x * by[0] + y * by[1]) / length
    pull = 300.0 * (length - 0.2) + 4.0 * share * -1.3 + 5.0
    twist = -2.0 * (0.7 - np.deg2rad(30.0)) - 0.5 * -1.3
    assert float(made.G[0].subs(values)) == pytest.approx(-pull * share + twist, rel=1e-12)


# ---------------------------------------------------------------------- closed chains and sliders


def test_a_four_bar_is_cut_at_its_last_pin():
    made = machine_equations(load_machine("four-bar"))
    L = [symbol(f"L{k}") for k in (1, 2, 3, 4)]
    phi = made.coordinates.q
    x = L[3] - sum(L[k] * sp.cos(phi[k]) for k in range(3))
    y = -sum(L[k] * sp.sin(phi[k]) for k in range(3))
    assert is_zero(made.constraints - sp.Matrix([x, y]))
    assert made.freedom == 1
    assert list(made.F[:, 3]) == [0, 0, 1]
    qdot, qddot = sp.Matrix(made.coordinates.qdot), sp.Matrix(made.coordinates.qddot)
    twice = sp.Matrix([made.coordinates.derivative(made.coordinates.derivative(one)) for one in made.constraints])
    assert is_zero(made.jacobian * qddot - made.gamma - twice)
    assert is_zero(made.constraint_rates - made.jacobian * qdot)


def test_a_slider_gets_its_way_as_coordinate():
    made = machine_equations(load_machine("slider-crank"))
    assert [one.name for one in made.coordinates.q] == ["phi1", "phi2", "s3"]
    assert (made.constraints.rows, made.freedom) == (2, 1)
    assert made.A[2, 2] == sp.Rational(1, 2)
    assert made.notices == ("Drivers are left out: the machine is free to move.",)


def test_a_slide_on_a_turning_arm_has_coriolis_terms_and_a_lonely_body_falls():
    text = """
name = "arm and ring"
dimension = 2
gravity = [0.0, -10.0]
[[body]]
name = "arm"
points = { O = [0.0, 0.0] }
basis = ["O", "x"]
inertia = 3.0
[[body]]
name = "ring"
points = { C = [0.0, 0.0] }
basis = ["C", "x"]
mass = 2.0
inertia = 1.0
[[body]]
name = "stone"
points = { C = [0.0, 0.0] }
basis = ["C", "x"]
mass = 5.0
inertia = 7.0
[[joint]]
type = "prismatic"
name = "slide"
proximal = "arm.O"
distal = "ring.C"
axis = "arm.x"
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "arm.O"
"""
    made = machine_equations(parse_machine(text, "arm.toml"))
    phi, s, x, y, turn = made.coordinates.q
    assert [one.name for one in made.coordinates.q] == ["phi1", "s2", "x3", "y3", "phi3"]
    assert tidy(made.A[0, 0] - (4 + 2 * s**2)) == 0
    assert made.A[1, 1] == 2
    assert made.pairs == ((0, 1),)
    assert tidy(made.X[0, 0] - 4 * s) == 0  # 2 m s ṡ φ̇
    assert tidy(made.B[1, 0] + 2 * s) == 0  # −m s φ̇²
    assert tidy(made.E[0] - 20 * s * sp.cos(phi)) == 0
    assert list(made.E[2:]) == [0, 50, 0]
    assert not made.A.free_symbols & {x, y, turn}


def test_welds_and_rods_and_what_is_not_known():
    text = """
name = "two"
dimension = 2
[[body]]
name = "a"
points = { O = [0.0, 0.0], P = [1.0, 0.0] }
basis = ["O", "P"]
mass = 1.0
inertia = 1.0
[[body]]
name = "b"
points = { P = [0.0, 0.0], Q = [1.0, 0.0] }
basis = ["P", "Q"]
mass = 1.0
inertia = 1.0
position = [1.0, 0.0]
angle_deg = 90.0
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "a.O"
[[joint]]
type = "weld"
name = "P"
proximal = "a.P"
distal = "b.P"
"""
    made = machine_equations(parse_machine(text, "two.toml"))
    (phi,) = made.coordinates.q
    assert tidy(made.A[0, 0] - 3) == 0
    machine = parse_machine(text, "two.toml")
    x, y = machine_tree(machine).point("b.Q").components()
    assert (tidy(x - sp.cos(phi) + sp.sin(phi)), tidy(y - sp.sin(phi) - sp.cos(phi))) == (0, 0)
    rod = "[[joint]]\ntype = 'distance'\nname = 'rod'\nfirst = 'ground.origin'\nsecond = 'b.Q'\n"
    rod += "length = 1.4142135623730951\n"
    assert machine_equations(parse_machine(text + rod, "two.toml")).constraints.rows == 1
    with pytest.raises(DescriptionError, match="give its length"):
        machine_equations(parse_machine(text + rod.replace("1.4142135623730951", "'reference'"), "two.toml"))


def test_spatial_machines_are_refused():
    with pytest.raises(DescriptionError, match="spatial"):
        machine_equations(load_machine("bennett"))


def test_shared_points_are_pins():
    made = machine_equations(shared_pendulum())
    c = sp.cos(made.coordinates.q[0] - made.coordinates.q[1])
    assert is_zero(made.A - sp.Matrix([[sp.Rational(1, 3), c / 8], [c / 8, sp.Rational(1, 12)]]))


# ---------------------------------------------------------------------- rounding and the published sample

PRINTED = {  # [Silva2007, App. A], rows of the sample file: (input or squared rate, wave) -> coefficient, 3 digits
    0: {("u1", "1"): -0.318, ("u2", "1"): 0.318, ("x6", "sin(x1-x3)"): 0.0341, ("u3", "cos(x1+x3-2*x2)"): -0.375},
    1: {("u2", "1"): -0.651, ("u3", "1"): 0.651, ("x4", "sin(x1+x2-2*x3)"): 0.104, ("u1", "cos(x1-x2)"): 0.374},
    2: {("u3", "1"): -1.97, ("x4", "sin(x1-x3)"): -0.113, ("u1", "cos(x1+x3-2*x2)"): -0.375},
}


def test_the_published_sample_file_comes_out():
    """All eleven coefficients that are printed, from unit bars, with matrices rounded to 3 digits before solving."""
    made = planar_chain(3).with_numbers().rounded(3)
    above, below = multiple_angle_fractions(made)
    x = dict(zip((f"x{k}" for k in range(1, 7)), made.coordinates.x, strict=True))
    inputs = {one.name: one for one in made.inputs}
    for row, terms in PRINTED.items():
        for (factor, wave), value in terms.items():
            angles = sp.sympify(wave, locals=x)
            share = sp.expand(above[row]).coeff(inputs[factor] if factor in inputs else x[factor] ** 2)
            sign, bare = angles.as_coeff_Mul()
            found = sp.expand(share).coeff(bare) * sign if bare != 1 else share.as_independent(*x.values())[0]
            assert float(rounded(sp.sympify(found), 3)) == pytest.approx(value, rel=1e-12), (row, factor, wave)
    p1, p2, p3 = made.coordinates.q
    published = {
        1: -0.387309,
        sp.cos(2 * p1 - 2 * p2): 0.187125,
        sp.cos(2 * p1 - 2 * p3): -0.02125,
        sp.cos(2 * p2 - 2 * p3): 0.10375,
    }
    for wave, value in published.items():
        found = below.as_independent(p1, p2, p3)[0] if wave == 1 else below.coeff(wave)
        assert float(found) == pytest.approx(value, abs=5e-7)


def test_without_rounding_the_sample_is_up_to_six_thousandths_away():
    above, _ = multiple_angle_fractions(planar_chain(3).with_numbers())
    made = planar_chain(3)
    exactly = [float(above[k].coeff(made.inputs[k]).as_independent(*made.coordinates.q)[0]) for k in range(3)]
    np.testing.assert_allclose(exactly, [-0.31944, -0.65278, -1.98611], atol=5e-6)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [("7/3", 3, "233/100"), ("1/3", 3, "333/1000"), ("-4/3", 3, "-133/100"), ("0.0340749", 3, "341/10000"),
     ("123456", 3, "123000"), ("0.9996", 3, "1"), ("2", 3, "2"), ("1000", 3, "1000"), ("1/2000", 1, "1/2000")],
)  # fmt: skip
def test_numbers_are_rounded_to_significant_digits(value, digits, shown):
    assert rounded(sp.Rational(value), digits) == sp.Rational(shown)


def test_powers_and_angles_keep_their_numbers():
    a = symbol("a")
    assert rounded(a ** sp.Rational(1, 3) * sp.Rational(1, 3), 2) == a ** sp.Rational(1, 3) * sp.Rational(33, 100)
    assert rounded(sp.cos(2 * a), 1) == sp.cos(2 * a)


@pytest.mark.parametrize("value", [1 / 12, 0.1, 9.81, 1e-7, 0.1372916666666667, 123456.789, -2.5, 0.0])
def test_exact_numbers_are_the_same_to_the_last_bit(value):
    assert float(exact(value)) == value


def test_products_of_sines_become_sums():
    a, b = sp.symbols("a b", real=True)
    for one in (sp.sin(a) * sp.cos(b), sp.cos(a) ** 3 * sp.sin(b) ** 2, sp.sin(a) * sp.sin(b) * sp.sin(a - b)):
        made = multiple_angles(one)
        assert float((made - one).subs({a: 0.7, b: -1.9})) == pytest.approx(0.0, abs=1e-15)
        assert all(term.func is not sp.Pow for term in sp.preorder_traversal(made))
    assert tidy(sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1) == 0


def test_the_formulas_solve_the_equations_and_are_refused_where_they_would_be_endless():
    made = planar_chain(2)
    solved = dict(zip(made.coordinates.qddot, accelerations(made), strict=True))
    at = {one: 0.1 + 0.3 * k for k, one in enumerate((*made.coordinates.x, *made.inputs))} | dict(made.parameters)
    left = np.array(made.left_minus_right.subs(solved).subs(at), dtype=float)
    np.testing.assert_allclose(left, 0.0, atol=1e-12)
    assert list(state_vector(made)[:2]) == list(made.coordinates.qdot)
    with pytest.raises(BiomecError, match="closed loops"):
        accelerations(machine_equations(load_machine("four-bar")))
    with pytest.raises(BiomecError, match="at most 4"):
        accelerations(machine_equations(parse_machine(long_chain(5), "chain.toml")))


def long_chain(count):
    text = 'name = "chain"\ndimension = 2\n'
    for k in range(count):
        text += (
            f"[[body]]\nname = 'b{k}'\npoints = {{ A = [0.0, 0.0], B = [1.0, 0.0] }}\nbasis = ['A', 'B']\nmass = 1.0\n"
        )
        text += f"centre_of_mass = [0.5, 0.0]\ninertia = 0.1\nposition = [{k}.0, 0.0]\n"
    for k in range(count):
        first = "ground.origin" if k == 0 else f"b{k - 1}.B"
        text += f"[[joint]]\ntype = 'revolute'\nname = 'j{k}'\nproximal = '{first}'\ndistal = 'b{k}.A'\n"
    return text


def test_parameters_can_be_changed_and_put_in():
    made = planar_chain(1).with_values({"m1": 3.0, "L1": 2.0})
    assert made.with_numbers().A[0, 0] == 3 + sp.Rational(1, 12)
    assert made.with_numbers().parameters == {}
    with pytest.raises(BiomecError, match="no parameter m2"):
        made.with_values({"m2": 1.0})


def test_energies_written_by_hand_give_a_damped_oscillator():
    coords = coordinates(["x"])
    (x,), (v,), (a,) = coords.q, coords.qdot, coords.qddot
    m, k, c, f = (symbol(name) for name in "mkcf")
    assert sp.expand(lagrange_equations(m * v**2 / 2, k * x**2 / 2, coords)[0] - (m * a + k * x)) == 0
    made = from_lagrangian(m * v**2 / 2, k * x**2 / 2, coords, inputs=[f], F=sp.Matrix([1]), G=[-c * v])
    assert (made.A[0], made.D[0], made.G[0], made.F[0]) == (m, k, -c * v, 1)
    assert sp.simplify(accelerations(made)[0] - (f - c * v - k * x) / m) == 0


# ---------------------------------------------------------------------- energies in texts


def test_energies_in_texts_give_the_equations_of_a_cart_and_its_pendulum():
    made = equations_from_texts(
        ["x", "phi"],
        "M*xd**2/2 + m*(xd**2 + 2*L*xd*phid*cos(phi) + L**2*phid**2)/2",
        "-m*g*L*cos(phi)",
        {"M": 1.0, "m": 0.2, "L": 0.5, "g": 9.81},
        forces={"x": "f - c0*xd".replace("c0", "0.5")},
        inputs=["f"],
    )
    M, m, L, g = (symbol(name) for name in ("M", "m", "L", "g"))
    (_, phi), (v, _) = made.coordinates.q, made.coordinates.qdot
    assert is_zero(made.A - sp.Matrix([[M + m, m * L * sp.cos(phi)], [m * L * sp.cos(phi), m * L**2]]))
    assert tidy(made.E[1] - m * g * L * sp.sin(phi)) == 0
    assert (list(made.F), list(made.G)) == ([1, 0], [-v / 2, 0])


def test_a_constraint_in_a_text_gets_a_multiplier():
    made = equations_from_texts(
        ["x", "y"], "m*(xd**2 + yd**2)/2", "m*g*y", {"m": 2.0, "g": 9.81, "L": 1.0}, constraints=["x**2 + y**2 - L**2"]
    )
    assert made.freedom == 1
    assert list(made.jacobian) == [2 * made.coordinates.q[0], 2 * made.coordinates.q[1]]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kinetic": "__import__('os')"}, "Kinetic energy: .* cannot be computed"),
        ({"potential": "k*x**2/2"}, "Potential energy: there is no parameter k"),
        ({"forces": {"y": "1"}}, "not a coordinate"),
        ({"forces": {"x": "u**2"}}, "linear in the inputs"),
        ({"parameters": {"xd": 1.0}}, "xd is used twice"),
    ],
)
def test_texts_that_cannot_be_read_are_told(changes, said):
    given = {"names": ["x"], "kinetic": "xd**2/2", "potential": "0", "parameters": {}, "inputs": ["u"]} | changes
    with pytest.raises(DescriptionError, match=said):
        equations_from_texts(**given)
