"""Time MuJoCo's step; run by a Python that has MuJoCo. Reads the model as XML from the standard input, prints µs."""

import sys
import time


def main() -> None:
    """Print version, velocities, and the best microseconds of ``mj_step`` and ``mj_forward``."""
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_string(sys.stdin.read())
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(0).normal(size=model.nv)
    best = [float("inf"), float("inf")]
    for _ in range(40):
        for k, call in enumerate((mujoco.mj_step, mujoco.mj_forward)):
            mujoco.mj_resetData(model, data)
            began = time.process_time()
            for _ in range(50):
                call(model, data)
            best[k] = min(best[k], (time.process_time() - began) / 50)
    print(mujoco.__version__, model.nv, 1e6 * best[0], 1e6 * best[1])


if __name__ == "__main__":
    main()
