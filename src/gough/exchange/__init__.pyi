from .importing.imported import (
    Imported as Imported,
    import_robot as import_robot,
    imported as imported,
)
from .tree.document import Export as Export
from .machines import export_machine as export_machine, machine_export as machine_export
from .joint_maps import (
    JointMaps as JointMaps,
    export_joint_maps as export_joint_maps,
    joint_maps as joint_maps,
)
from .joint_states import JointStates as JointStates, joint_states as joint_states
from .ros2.recording import export_mcap as export_mcap
from .source import export_controller as export_controller, export_kernels as export_kernels
from .fmu.export import export_fmu as export_fmu
