"""Files of others, imported, against MuJoCo on the files themselves.

    python -m benchmarks.imported_files FOLDER

FOLDER has the files and a list of them, files.toml: for each [[files]] its `path` there, and where
it is from (`repository`, `source`, `commit`), with the `options` of `gough import` that it needs.
Printed is a table: what became of each file, and by which share the efforts of its motors differ
from those that MuJoCo's mass matrix and Jacobians give at random states of the original.

MuJoCo reads URDF, too; what closes its loops is taken from the YAML file, or the frames
closing_…_1 and closing_…_2. Efforts of a machine with passive degrees of freedom are compared at
home, where these move as nothing drives them. Of one whose rounded places were changed until its
loops close, a second number is for the file with these changes. A mesh that is missing is replaced
by a small one: it matters to no body that states its inertia, and others are refused.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mujoco
import numpy as np
import yaml

import gough
from gough.exchange.importing import imported as importing
from gough.exchange.importing.file_machine import FileJoint, FileMachine

LOOSE, TIGHT = 1e-5, 1e-9
"""Shares below which singular values count as zero: of rounded numbers, and of others."""
LEAST = 2e-15
"""Mass and inertia of links that have none [kg, kg m²]: below, MuJoCo refuses them."""
STATES = 3


class FileModel:
    """A file as MuJoCo sees it: rows of its closures, what they leave free, and efforts."""

    def __init__(
        self,
        path: Path,
        options: dict[str, Any],
        robot: gough.Robot,
        machine: FileMachine,
        home: FileMachine,
        seen: float,
        changed: bool = False,
    ):
        self.seen = seen
        spec, pairs = _spec(path)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.pairs = [
            (self.model.body(a).id, self.model.body(b).id, rows, np.eye(4), np.eye(4))
            for a, b, rows in pairs
        ]
        if changed:
            self._change(machine)
        self.start = self.model.qpos0.copy()
        key = options.get("home") or re.search(r"Home is near keyframe (\w+)", robot.notes)
        if key:
            self.start = self.model.key(key if isinstance(key, str) else key[1]).qpos.copy()
        self.held = self._held(home, "floats: here it is held" in robot.notes)
        for link in home.tree:  # so that the branch is the same
            for freedom in link.freedoms:
                joint = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, freedom.name)
                at = self.model.jnt_qposadr[joint] if joint >= 0 else 0
                if joint >= 0 and freedom.is_single:
                    self.start[at] = freedom.zero
                elif joint >= 0 and freedom.kind == "ball":
                    hung = np.zeros(9)
                    mujoco.mju_quat2Mat(hung, self.model.body(link.second).quat)
                    turned = hung.reshape(3, 3).T @ _hung(home, link)[:3, :3]
                    mujoco.mju_mat2Quat(self.start[at : at + 4], turned.ravel())

    def _change(self, machine: FileMachine) -> None:
        """Put all bodies and anchors where the import has changed their places to."""
        model = self.model
        for joint in machine.tree:
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, joint.second)
            if body > 0:
                place = _hung(machine, joint)
                model.body_pos[body] = place[:3, 3]
                mujoco.mju_mat2Quat(model.body_quat[body], place[:3, :3].ravel())
        ends = [
            [
                np.linalg.inv(machine.bodies[body].place) @ end
                for body, end in zip(joint.between, joint.ends, strict=True)
            ]
            for joint in machine.loops
        ]
        if self.pairs:
            own = zip(self.pairs, ends, strict=True)
            self.pairs = [(*pair[:3], *places) for pair, places in own]
            return
        tied = np.flatnonzero(model.eq_active0 & (model.eq_type != mujoco.mjtEq.mjEQ_JOINT))
        for k, places in zip(tied, ends, strict=True):
            assert model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE, "anchors of bodies"
            sites = model.eq_obj1id[k], model.eq_obj2id[k]
            for site, place in zip(sites, places, strict=True):
                model.site_pos[site] = place[:3, 3]
                mujoco.mju_mat2Quat(model.site_quat[site], place[:3, :3].ravel())

    def _held(self, kept: FileMachine, floats: bool) -> list[int]:
        """Degrees of freedom that options, or a floating base, hold still."""
        model, held = self.model, set[int]()
        names = {freedom.name for freedom in kept.freedoms}
        for j in range(model.njnt):
            name, type_ = model.joint(j).name, int(model.jnt_type[j])
            if (type_ == 0 and floats) or (name and name not in names):
                size = {0: 6, 1: 3}.get(type_, 1)
                held |= {*range(model.jnt_dofadr[j], model.jnt_dofadr[j] + size)}
        return sorted(held)

    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian of all that is closed or held, the gaps, and the drift of the rows."""
        model, data = self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        moved = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, moved, 1.0, self.start, data.qpos)
        found = [(np.eye(model.nv)[self.held], moved[self.held], np.zeros(len(self.held)))]
        for *bodies, count, first, second in self.pairs:
            ends = [*zip(bodies, (first, second), strict=True)]
            places = tuple(self._carried(body, place[:3, 3]) for body, place in ends)
            axes = [data.xmat[body].reshape(3, 3) @ place[:3, :3] for body, place in ends]
            turned = _turned(*axes, [1, 0, 0, 0])
            found.append(self._between(bodies, places, turned, count))
        for k in np.flatnonzero(model.eq_active0):
            numbers, kind = model.eq_data[k], mujoco.mjtEq(model.eq_type[k])
            ends = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            if kind == mujoco.mjtEq.mjEQ_JOINT:
                found.append(self._coupled(ends, numbers))
                continue
            weld = kind == mujoco.mjtEq.mjEQ_WELD
            if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
                bodies = tuple(model.site_bodyid[site] for site in ends)
                places, turned = tuple(data.site_xpos[site] for site in ends), np.zeros(3)
            else:
                anchors = (numbers[3:6], numbers[:3]) if weld else (numbers[:3], numbers[3:6])
                bodies = ends
                places = tuple(map(self._carried, ends, anchors))
                turned = _turned(data.xmat[ends[0]], data.xmat[ends[1]], numbers[6:10])
            found.append(self._between(bodies, places, turned, 6 if weld else 3))
        loose = [k for k in range(model.nv) if k not in self.held]
        first, *others = found
        kept = [first, *(part for part in others if np.abs(part[0][:, loose]).max() > 0.0)]
        rows, gaps, drift = zip(*kept, strict=True)
        return np.vstack(rows), np.concatenate(gaps), np.concatenate(drift)

    def _carried(self, body: int, point: np.ndarray) -> np.ndarray:
        return self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ point

    def _between(self, bodies: Any, places: Any, turned: np.ndarray, count: int) -> Any:
        (J, rate), (K, other) = (self.seen_at(*end) for end in zip(bodies, places, strict=True))
        gap = np.r_[places[1] - places[0], turned][:count]
        return (K - J)[:count], gap, ((other - rate) @ self.data.qvel)[:count]

    def _coupled(self, joints: tuple[int, int], numbers: np.ndarray) -> Any:
        model, row, gap = self.model, np.zeros(self.model.nv), -numbers[0]
        for joint, factor in zip(joints, (1.0, -numbers[1]), strict=True):
            if joint >= 0:
                at = model.jnt_qposadr[joint]
                row[model.jnt_dofadr[joint]] = factor
                gap += factor * (self.data.qpos[at] - model.qpos0[at])
        return row[None], np.array([gap]), np.zeros(1)

    def seen_at(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of a body at a point, moving above turning, and its rate."""
        J, rate = np.zeros((2, 6, self.model.nv))
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], point, body)
        mujoco.mj_jacDot(self.model, self.data, rate[:3], rate[3:], point, body)
        return J, rate

    def _joint(self, name: str) -> int:
        """Number of a joint; one without a name is called by its body and what it is."""
        found = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        if found >= 0:
            return int(found)
        body, _, kind = name.rpartition("-")
        types = {"slide": mujoco.mjtJoint.mjJNT_SLIDE, "hinge": mujoco.mjtJoint.mjJNT_HINGE}
        own = self.model.jnt_bodyid == self.model.body(body).id
        return int(np.flatnonzero(own & (self.model.jnt_type == types[kind]))[0])

    def free(self) -> np.ndarray:
        """Rates that keep everything closed."""
        _, sigma, Vt = np.linalg.svd(self.rows()[0])
        return Vt[int((sigma > self.seen * sigma.max()).sum()) :].T

    def close(self) -> None:
        """Close all loops near by."""
        for _ in range(60):
            J, gaps, _ = self.rows()
            step = -np.linalg.lstsq(J, gaps, rcond=self.seen)[0]
            step *= min(1.0, 0.2 / (np.abs(step).max() or 1.0))
            mujoco.mj_integratePos(self.model, self.data.qpos, step, 1.0)
        gap = np.abs(self.rows()[1]).max()
        assert gap < (1e-5 if self.seen == LOOSE else 1e-11), f"MuJoCo's loops are {gap:.1g} open"

    def error(self, robot: gough.Robot, platform: str, motors: list[str], rng: Any) -> float:
        """Difference of motor efforts at a random state, as a share of the largest."""
        model, data = self.model, self.data
        data.qpos[:] = self.start
        data.qvel[:] = 0.0
        self.close()
        N = self.free()
        step = N @ rng.standard_normal(N.shape[1])
        mujoco.mj_integratePos(model, data.qpos, 0.05 * step / np.abs(step).max(), 1.0)
        self.close()
        N = self.free()
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, platform)
        body = model.site_bodyid[site] if site >= 0 else model.body(platform).id
        J, _ = self.seen_at(body, data.site_xpos[site] if site >= 0 else data.xpos[body])
        _, sigma, Vt = np.linalg.svd(J @ N)
        idle = N @ Vt[int((sigma > 1e-7 * sigma.max()).sum()) :].T
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        v = N @ rng.standard_normal(N.shape[1])
        data.qvel[:] = _without(v, idle, M, np.zeros(model.nv))
        J_c, _, drift = self.rows()
        a = N @ rng.standard_normal(N.shape[1]) - np.linalg.lstsq(J_c, drift, rcond=self.seen)[0]
        mujoco.mj_forward(model, data)
        bias = data.qfrc_bias.copy()
        a = _without(a, idle, M, bias)  # nothing drives what only spins
        point = data.site_xpos[site] if site >= 0 else data.xpos[body]
        J, rate = self.seen_at(body, point)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, data.site_xmat[site] if site >= 0 else data.xmat[body])
        pose, twist = np.r_[point, quaternion], J @ data.qvel
        wrench = rng.standard_normal(6)
        driven = [model.jnt_dofadr[self._joint(name)] for name in motors]
        needed = N.T @ (M @ a + bias - J.T @ wrench)
        theirs = np.linalg.lstsq(N[driven].T, needed, rcond=1e-9)[0]
        ours = gough.Model(robot).inverse_dynamics(pose, twist, J @ a + rate @ data.qvel, wrench)
        return float(np.abs(ours - theirs).max() / np.abs(theirs).max())

    def joint_error(self, robot: gough.Robot, platform: str, motors: list[str], rng: Any) -> float:
        """Difference of motor efforts at home, where passive joints move as nothing drives them.

        Rates are those of minimum kinetic energy for the rates of the motors, in both models.
        """
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:] = self.start, 0.0
        self.close()
        N, driven = self.free(), [model.jnt_dofadr[self._joint(name)] for name in motors]
        _, sigma, Vt = np.linalg.svd(N[driven])
        idle = N @ Vt[int((sigma > 1e-7 * sigma.max()).sum()) :].T
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        data.qvel[:] = _without(N @ rng.standard_normal(N.shape[1]), idle, M, np.zeros(model.nv))
        J_c, _, drift = self.rows()
        a = N @ rng.standard_normal(N.shape[1]) - np.linalg.lstsq(J_c, drift, rcond=self.seen)[0]
        mujoco.mj_forward(model, data)
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, platform)
        body = model.site_bodyid[site] if site >= 0 else model.body(platform).id
        J, _ = self.seen_at(body, data.site_xpos[site] if site >= 0 else data.xpos[body])
        wrench = rng.standard_normal(6)
        load = data.qfrc_bias - data.qfrc_spring - J.T @ wrench
        a = _without(a, idle, M, load)
        theirs = np.linalg.lstsq(N[driven].T, N.T @ (M @ a + load), rcond=1e-9)[0]
        ours = gough.FlexibleMachine(robot)
        z = ours.at()
        zero = np.zeros_like(z)
        M_z, _ = ours.kernel("dynamics")(z, zero, np.zeros(6))
        A = np.vstack([ours.closing(z)[1], np.eye(len(z))[ours.motors]])
        wanted = np.r_[np.zeros(len(A) - len(driven)), data.qvel[driven]]
        start = np.linalg.lstsq(A, wanted, rcond=TIGHT)[0]
        _, sigma, Vt = np.linalg.svd(A)
        free = Vt[int((sigma > TIGHT * sigma.max()).sum()) :].T
        rate = _without(start, free, M_z, zero)
        found, _ = ours.inverse_dynamics(z, rate, a[driven], wrench)
        return float(np.abs(found - theirs).max() / np.abs(theirs).max())


def _hung(machine: FileMachine, joint: FileJoint) -> np.ndarray:
    """Place of a body in the one that it hangs from."""
    first, second = (machine.bodies[body].place for body in joint.between)
    return np.linalg.inv(first) @ second


def _without(x: np.ndarray, idle: np.ndarray, M: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Motion x, changed along idle ones until these need no effort."""
    return x - idle @ np.linalg.lstsq(idle.T @ M @ idle, idle.T @ (M @ x + bias), rcond=1e-12)[0]


def _turned(first: np.ndarray, second: np.ndarray, quaternion: Any) -> np.ndarray:
    relative = np.zeros(9)
    mujoco.mju_quat2Mat(relative, np.asarray(quaternion, float))
    R = second.reshape(3, 3) @ (first.reshape(3, 3) @ relative.reshape(3, 3)).T
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2.0


def _spec(path: Path) -> tuple[mujoco.MjSpec, list[tuple[str, str, int]]]:
    """MuJoCo's reading of a file, and the pairs of links that close a URDF's loops."""
    text, pairs = path.read_text(), list[tuple[str, str, int]]()
    if "<robot" not in text:
        spec = mujoco.MjSpec.from_file(str(path))
    else:
        bare = re.sub(r"<(visual|collision)>.*?</\1>", "", text, flags=re.DOTALL)
        compiler = '<mujoco><compiler fusestatic="false" strippath="false"/></mujoco></robot>'
        spec = mujoco.MjSpec.from_string(bare.replace("</robot>", compiler))
        beside = path.with_name("robot.yaml")
        stated = yaml.safe_load(beside.read_text()) if beside.is_file() else {}
        children = dict(
            re.findall(r'<joint name="([^"]+)".*?<child link="([^"]+)"', bare, re.DOTALL)
        )
        if older := stated.get("name_closedloop"):
            ends = [f"{older}{k + 1}" for k in range(stated["closed_loop_number"])]
            stated["closed_loop"] = [(f"{end}_A", f"{end}_B") for end in ends]
            stated["type"] = [stated["type"]] * len(ends)
        types = stated.get("type") or ["6d"] * len(stated.get("closed_loop", ()))
        for (a, b), type_ in zip(stated.get("closed_loop", ()), types, strict=True):
            count = 3 if type_.lower() == "3d" else 6
            pairs.append((children.get(a, a), children.get(b, b), count))
        for name in re.findall(r'<link name="(closing_[^"]+)_1"', bare):
            pairs.append((f"{name}_1", f"{name}_2", 3))
        for name, type_ in zip(
            stated.get("joint_name") or (), stated.get("joint_type") or (), strict=True
        ):
            joint = spec.joint(name)
            if type_ == "SPHERICAL":
                joint.type = mujoco.mjtJoint.mjJNT_BALL
            else:  # two hinges in one body
                first, second = (np.eye(3)["XYZ".index(letter)] for letter in type_[-2:])
                joint.name, joint.axis = f"{name}_{type_[-2]}", first
                joint.parent.add_joint(name=f"{name}_{type_[-1]}", axis=second)
    spec.compiler.boundmass = spec.compiler.boundinertia = LEAST  # which MuJoCo asks for
    for mesh in spec.meshes:
        mesh.name = mesh.name or Path(mesh.file).stem
        mesh.file, mesh.uservert = "", [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    for texture in spec.textures:
        texture.file, texture.width, texture.height = "", 1, 1
        texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
    return spec, pairs


def outcome(folder: Path, entry: dict[str, Any]) -> str:
    """What became of a file, in words."""
    path, options = folder / entry["path"], entry.get("options", {})
    drawn, homes = list[FileMachine](), list[FileMachine]()
    close, of_home = importing.assembled, importing.machine_of
    first = patch.object(importing, "assembled", lambda m: drawn.append(m) or close(m))
    then = patch.object(importing, "machine_of", lambda m: homes.append(m) or of_home(m))
    try:
        with first, then:
            found = importing.imported(path, **options)
    except gough.GoughError as error:
        return f"refused: {str(error).replace(f'{path}: ', '')}"
    notes = found.robot.notes
    rounded, passive = (
        "places in the file were changed" in notes,
        any('"joints" carry' in x for x in found.assumed),
    )
    words = f"imported, platform {found.platform}"
    motors = [actuator.name for actuator in found.robot.driven]

    def compared(seen: float, changed: bool) -> str:
        rng = np.random.default_rng(1)
        file = FileModel(path, options, found.robot, drawn[-1], homes[-1], seen, changed)
        error = file.joint_error if passive else file.error
        errors = [error(found.robot, found.platform, motors, rng) for _ in range(STATES)]
        return f"{max(errors):.1g}{', with passive joints' * passive}"

    try:
        words += f"; {compared(LOOSE if rounded else TIGHT, False)}"
        return words + (f"; {compared(TIGHT, True)} with places as changed" if rounded else "")
    except (AssertionError, ValueError, KeyError) as error:
        return f"{words}; not compared: {error}"


def main(folder: Path) -> None:
    """Print the table, and how many files were imported."""
    entries, counts = tomllib.loads((folder / "files.toml").read_text())["files"], [0, 0]
    print("| file | options | outcome |\n| --- | --- | --- |")
    for entry in entries:
        options = entry.get("options", {})
        said = outcome(folder, entry)
        counts[0] += said.startswith("imported")
        counts[1] += said.startswith("imported") and not options
        words = [
            f"--{key.replace('_', '-')} {','.join(value) if isinstance(value, list) else value}"
            for key, value in options.items()
        ]
        given = f"`{' '.join(words)}`" if words else "none" if said.startswith("imp") else ""
        note = f", {entry['note']}" if "note" in entry else ""
        where = f"{entry['repository']} {entry['commit'][:8]}, `{entry['source']}`{note}"
        print(f"| {where} | {given} | {said.replace(str(folder) + '/', '')} |", flush=True)
    print(f"\n{counts[0]} of {len(entries)} are imported, {counts[1]} of these without an option")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
