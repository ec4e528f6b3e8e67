"""Curves of a Hill muscle, each with its slope, for compiled kernels.

Two sets, chosen by a number: those of De Groote and colleagues [DeGroote2016], smooth everywhere, and those of Thelen
[Thelen2003], whose force-velocity curve depends on the activation. All are normalised:

    l̃ = fibre length / optimal length       ṽ = fibre velocity / (v_max · optimal length), shortening is negative
    s = tendon length / slack length        forces are fractions of the greatest isometric force
"""

from __future__ import annotations

import math

import numpy as np

from biomec.base.compiled import compiled

DEGROOTE, THELEN = 0, 1
CURVES = {"degroote": DEGROOTE, "thelen": THELEN}

# De Groote, Kinney, Rao, Fregly 2016; the second term of the active curve and c₁ as in OpenSim's implementation
_B1 = (0.8150671134243542, 0.433004984392647, 0.1)
_B2 = (1.055033428970575, 0.716775413397760, 1.0)
_B3 = (0.162384573599574, -0.029947116970696, 0.353553390593274)
_B4 = (0.063303448465465, 0.200356847296188, 0.0)
_D1, _D2, _D3, _D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
_KPE, _E0, _SHORTEST = 4.0, 0.6, 0.2
_C1, _STRAIN = 0.2, 0.049
_KT = math.log(1.2 / 0.2) / _STRAIN
_P_LOW = math.exp(_KPE * (_SHORTEST - 1.0) / _E0)
_P_SPAN = math.exp(_KPE) - _P_LOW

# Thelen 2003, with the constants of the Gait2354 and Gait2392 models
_K_ACT, _AF, _FLEN = 0.5, 0.3, 1.8
_LENGTHENING = (2.0 + 2.0 / _AF) / (_FLEN - 1.0)
_P_TOP = math.exp(_KPE) - 1.0
_TOE, _K_TOE, _TENDON_STRAIN = 0.33, 3.0, 0.033
_TOE_END = 0.609 * _TENDON_STRAIN
_LINEAR = 1.712 / _TENDON_STRAIN
_T_TOP = math.exp(_K_TOE) - 1.0


@compiled
def active_length(curves: int, length: float) -> tuple[float, float]:
    """f_L(l̃) and its slope: what a fully active fibre can do at a length.

    Σ b₁ exp(−u²/2), u = (l̃ − b₂)/(b₃ + b₄ l̃)   or   exp(−(l̃ − 1)²/K)
    """
    if curves == THELEN:
        away = length - 1.0
        value = np.exp(-away * away / _K_ACT)
        return value, -2.0 * away / _K_ACT * value
    value, slope = 0.0, 0.0
    for j in range(3):
        width = _B3[j] + _B4[j] * length
        if width == 0.0:
            continue  # the term and its slope tend to zero
        u = (length - _B2[j]) / width
        bell = _B1[j] * np.exp(-0.5 * u * u)
        value += bell
        slope -= bell * u * (_B3[j] + _B4[j] * _B2[j]) / (width * width)
    return value, slope


@compiled
def force_velocity(curves: int, speed: float, activation: float) -> tuple[float, float]:
    """f_V(ṽ) and its slope with ṽ: less than one while shortening, more while being stretched.

    d₁ asinh(d₂ṽ + d₃) + d₄ for −1 ≤ ṽ ≤ 1, constant beyond   or, with K = ¼ + ¾a,
    (K + ṽ)/(K − ṽ/A_f) shortening, zero beyond −K, and (K + c F ṽ)/(K + c ṽ) lengthening, c = (2 + 2/A_f)/(F − 1)
    """
    if curves == THELEN:
        K = 0.25 + 0.75 * activation
        if speed <= -K:
            return 0.0, 0.0
        if speed <= 0.0:
            below = K - speed / _AF
            return (K + speed) / below, (below + (K + speed) / _AF) / (below * below)
        below = K + _LENGTHENING * speed
        return (K + _LENGTHENING * _FLEN * speed) / below, _LENGTHENING * K * (_FLEN - 1.0) / (below * below)
    bounded = min(max(speed, -1.0), 1.0)
    x = _D2 * bounded + _D3
    slope = _D1 * _D2 / np.sqrt(x * x + 1.0) if bounded == speed else 0.0
    return _D1 * np.arcsinh(x) + _D4, slope


@compiled
def velocity_of_force(force: float) -> float:
    """ṽ at which f_V(ṽ) of De Groote's curve has a value: (sinh((f − d₄)/d₁) − d₃)/d₂."""
    return float((np.sinh((force - _D4) / _D1) - _D3) / _D2)


@compiled
def damped_velocity(ability: float, damping: float, wanted: float, activation: float) -> float:
    """ṽ at which ability · f_V(ṽ) + damping · ṽ of Thelen's curve has a value: a root of a quadratic on either side.

    β/A_f ṽ² − (q + βK + w/A_f) ṽ + K (w − q) = 0 shortening, βc ṽ² + (q c F + βK − w c) ṽ + K (q − w) = 0 lengthening,
    with the ability q, the value w and K, c, F of `force_velocity`.
    """
    K = 0.25 + 0.75 * activation
    if wanted <= -damping * K:
        return wanted / damping
    if wanted <= ability:
        a, b, c = damping / _AF, ability + damping * K + wanted / _AF, K * (wanted - ability)
        root = np.sqrt(b * b - 4.0 * a * c)
        return float(2.0 * c / (b + root) if b > 0.0 else 0.5 * (b - root) / a)
    a, b = damping * _LENGTHENING, (ability * _FLEN - wanted) * _LENGTHENING + damping * K
    c = K * (ability - wanted)
    root = np.sqrt(b * b - 4.0 * a * c)
    return float(-2.0 * c / (b + root) if b > 0.0 else 0.5 * (root - b) / a)


@compiled
def passive_length(curves: int, length: float) -> tuple[float, float]:
    """f_P(l̃) and its slope: what a fibre that is not active pulls with; never less than nothing.

    (e^{k(l̃−1)/e₀} − e^{k(0.2−1)/e₀})/(e^k − e^{k(0.2−1)/e₀})   or   (e^{k(l̃−1)/e₀} − 1)/(e^k − 1) beyond l̃ = 1
    """
    if length <= (1.0 if curves == THELEN else _SHORTEST):
        return 0.0, 0.0
    rise = np.exp(_KPE * (length - 1.0) / _E0)
    if curves == THELEN:
        return (rise - 1.0) / _P_TOP, _KPE / _E0 * rise / _P_TOP
    return (rise - _P_LOW) / _P_SPAN, _KPE / _E0 * rise / _P_SPAN


@compiled
def tendon_force(curves: int, stretch: float) -> tuple[float, float]:
    """f_T(s) and its slope; a slack tendon has neither.

    c₁(e^{k_T(s−1)} − 1), one at a strain of 4.9 %   or   a toe and a straight line, one at 3.3 %
    """
    strain = stretch - 1.0
    if strain <= 0.0:
        return 0.0, 0.0
    if curves == THELEN:
        if strain > _TOE_END:
            return _LINEAR * (strain - _TOE_END) + _TOE, _LINEAR
        rise = np.exp(_K_TOE * strain / _TOE_END)
        return _TOE * (rise - 1.0) / _T_TOP, _TOE * _K_TOE / _TOE_END * rise / _T_TOP
    rise = np.exp(_KT * strain)
    return _C1 * (rise - 1.0), _C1 * _KT * rise


@compiled
def passive_energy(curves: int, length: float) -> float:
    """∫ f_P dl̃ up to a length: elastic energy of the fibre over Fmax · lopt."""
    if length <= (1.0 if curves == THELEN else _SHORTEST):
        return 0.0
    rise = np.exp(_KPE * (length - 1.0) / _E0)
    if curves == THELEN:
        return float((_E0 / _KPE * (rise - 1.0) - (length - 1.0)) / _P_TOP)
    return float((_E0 / _KPE * (rise - _P_LOW) - _P_LOW * (length - _SHORTEST)) / _P_SPAN)


@compiled
def tendon_energy(curves: int, stretch: float) -> float:
    """∫ f_T ds up to a stretch: elastic energy of the tendon over Fmax · lts."""
    strain = stretch - 1.0
    if strain <= 0.0:
        return 0.0
    if curves == THELEN:
        toe = min(strain, _TOE_END)
        bent = _TOE / _T_TOP * (_TOE_END / _K_TOE * (np.exp(_K_TOE * toe / _TOE_END) - 1.0) - toe)
        beyond = strain - toe
        return float(bent + _TOE * beyond + 0.5 * _LINEAR * beyond * beyond)
    return float(_C1 * ((np.exp(_KT * strain) - 1.0) / _KT - strain))
