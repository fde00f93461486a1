"""What `import gough` gives: the public names, quickly, and no more than is needed."""

import importlib
import inspect
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.resources import files
from pathlib import Path

import pytest

import gough

PUBLIC = """AssemblyModes BaseParameters BeamStiffness Body Calibration Comparison CompilerError
            CrossingMotion Design DesignResult Drive Excitation ExplicitForm FlexibleMachine
            ForwardKinematics Frames Front GoughError GridResults Hexapod Home Identified
            IdentifiedPayload InputError Kernel KernelArgumentError Leg Mechanism Model
            MotionProof NaturalModes
            NoDesignError PlannedMotion Platform Proof Recording Results Robot RobotError SelfMotion
            SingularConfiguration Status Stiffness Study Tolerances __version__
            base_parameters calibrate calibration_poses elastic exchange excitation identify
            identify_payload standard_parameters crossing_motion elastic_state_space
            euler explicit_form import_robot kinematics learning library_names load motion
            natural_modes plan_motion plots pose poses prove prove_motion rotation run save
            Scenario simulate
            simulation stiffness tolerances view Envelope
            Selection envelope load_catalogue select DisplayUnits with_recording""".split()

ENDINGS = tuple(EXTENSION_SUFFIXES)
SOURCES = Path(gough.__file__).parent
STUDY = Path(__file__).parents[1] / "studies" / "demo-machining.toml"

TWO_MEANINGS = {"rotation", "opened"}
"""Functions that two rooms offer under one name: no more may come."""
OTHER_WORDS = re.compile(
    r"(^|_)(ways?|turn|turning|softest|freedoms|spins|shaken|shaking|warming|spread|yields|yielding"
    r"|drawn|least|greatest|largest|seed)(_|$)"
)
"""Words for which the field has others: position error, degrees of freedom, minimum, rng."""
OTHER_WORDS_KEPT = {"least_share", "noise_samples.seed", "errors.seed"}


def public_things():
    """Name, room and value of all that front doors offer."""
    source = Path(gough.__file__).parent
    for door in sorted(source.rglob("__init__.pyi")):
        room = ".".join(("gough", *door.parent.relative_to(source).parts))
        module = importlib.import_module(room)
        for name in module.__all__:
            yield name, room, getattr(module, name)


def words_of(name, value):
    """Names that a user writes: the thing's own, its public attributes, and parameters."""
    yield re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    attributes = vars(value).items() if inspect.isclass(value) else [(name, value)]
    for own, thing in attributes:
        if inspect.isclass(value) and not own.startswith("_"):
            yield own
        if inspect.isfunction(thing) and not own.startswith("_"):
            yield from (
                f"{own}.{given}" if given == "seed" else given
                for given in inspect.signature(thing).parameters
            )


def test_a_public_name_means_one_thing_wherever_it_is_offered():
    found = {}
    for name, room, value in public_things():
        found.setdefault(name, {}).setdefault(id(value), []).append(room)
    assert {name: rooms for name, rooms in found.items() if len(rooms) > 1}.keys() <= TWO_MEANINGS


def test_public_names_are_the_words_of_the_field():
    said = {word for name, _, value in public_things() for word in words_of(name, value)}
    others = {word for word in said if OTHER_WORDS.search(word.replace(".", "_"))}
    assert others - OTHER_WORDS_KEPT == set()


def test_functions_take_a_robot_or_a_model_as_robot():
    functions = (v for _, _, v in public_things() if inspect.isfunction(v))
    assert [f.__name__ for f in functions if "model" in inspect.signature(f).parameters] == []


def test_the_public_names_are_these():
    assert sorted(gough.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(gough, name)
    assert name in dir(gough)
    assert isinstance(value, str) or value.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="gough attribute nonsense"):
        gough.nonsense  # noqa: B018


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_loads_nothing_heavy():
    heavy = "numpy scipy casadi llvmlite pydantic pint matplotlib".split()
    loaded = python("import gough, sys; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)


def test_importing_leaves_the_global_lock_of_python_as_it_is():
    """On Python without the lock extension modules turn it on: Gough has none and imports none."""
    code = (
        "import sys\n"
        "is_on = getattr(sys, '_is_gil_enabled', lambda: True)\n"
        "before, others = is_on(), {*sys.modules}\n"
        "import gough\n"
        "print(is_on() == before)\n"
        "print(*(getattr(sys.modules[m], '__file__', None) for m in sys.modules.keys() - others))"
    )
    unchanged, *paths = python(code).split()
    assert unchanged == "True"
    assert not [path for path in paths if "site-packages" in path and path.endswith(ENDINGS)]
    assert not [file for file in SOURCES.rglob("*") if file.name.endswith(ENDINGS)]


def test_the_first_number_of_a_hexapod_needs_few_modules():
    code = (
        "import gough, sys\n"
        "gough.Model(gough.load('demo-hexapod')).inverse_kinematics([0, 0, 0.5, 1, 0, 0, 0])\n"
        "print(*sys.modules)"
    )
    python(code)  # keeps its kernel
    loaded = python(code).split()
    assert sum(name.split(".")[0] == "gough" for name in loaded) <= 90
    assert not {"numpy.ma", "pandas", "psutil", "scipy"} & set(loaded)


def test_margins_of_stability_are_found_without_scipy():
    code = (
        "import sys, numpy as np\n"
        "from gough.simulation.tuning.margins import stability_margins\n"
        "stability_margins(lambda w: 4 / (1j * w + 1) ** 3, np.geomspace(0.1, 10))\n"
        "print(*sys.modules)"
    )
    assert not {"scipy", "control"} & set(python(code).split())


def test_columns_of_numbers_are_written_and_read_without_pandas():
    code = (
        "import sys, numpy as np\n"
        "from gough.disk.tables import read_table, table_content\n"
        "read_table(table_content({'x': np.arange(3.0), 'n': np.arange(3)}), None)\n"
        "print(*sys.modules)"
    )
    assert "pandas" not in python(code).split()


def test_the_gpu_loader_needs_numpy_only_until_it_is_used():
    loaded = python("import gough.compiler.source.gpu, sys; print(*sys.modules)").split()
    assert not {"casadi", "llvmlite", "pydantic", "scipy"} & set(loaded)


def test_poses_are_made_and_moved_without_scipy():
    code = (
        "import gough, sys\n"
        "a = gough.pose([0, 0, 1], rpy=[0, 0.1, 0])\n"
        "gough.poses.distance(gough.poses.interpolate(a, gough.pose([0, 0, 2]), 0.5), a)\n"
        "gough.poses.euler(a, 'xyz')\n"
        "print(*sys.modules)"
    )
    assert not {"casadi", "pydantic", "scipy"} & set(python(code).split())


def test_every_error_is_a_gough_error_and_a_value_error():
    for name in ("CompilerError", "KernelArgumentError", "RobotError"):
        assert issubclass(getattr(gough, name), gough.GoughError)
    assert issubclass(gough.GoughError, ValueError)


def test_type_checkers_are_told_that_gough_has_types():
    assert (files("gough") / "py.typed").is_file()


def loaded_by(*words):
    """Names of the modules that a command needs."""
    code = (
        "import sys\n"
        "from gough.cli.main import main\n"
        f"sys.argv = {['gough', *map(str, words)]!r}\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(*sys.modules)"
    )
    return python(code).split()


def test_a_study_and_its_report_are_made_without_scipy_and_matplotlib(tmp_path):
    loaded = loaded_by("run", STUDY, "--output", tmp_path / "results")
    assert not {"scipy", "matplotlib"} & set(loaded)


def test_help_needs_no_numbers():
    assert "numpy" not in loaded_by("--help")


def test_a_second_run_needs_neither_other_commands_nor_equations_of_the_dynamics():
    loaded_by("pose", "ik", "demo-hexapod")  # keeps its kernel
    loaded = loaded_by("pose", "ik", "demo-hexapod")
    assert "gough.cli.commands.poses" in loaded
    assert not {"gough.cli.commands.motions", "gough.equations.dynamics"} & set(loaded)
