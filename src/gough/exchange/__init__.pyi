from .importing.imported import (
    Imported as Imported,
    import_robot as import_robot,
    imported as imported,
)
from .tree.document import Export as Export
from .tree.urdf import urdf_text as urdf_text
from .tree.export import export_machine as export_machine, machine_export as machine_export
from .joint_maps import (
    JointMaps as JointMaps,
    export_joint_maps as export_joint_maps,
    joint_maps as joint_maps,
)
from .joint_states import JointStates as JointStates, joint_states as joint_states
from .ros2.node import export_ros2_node as export_ros2_node
from .ros2.recording import export_mcap as export_mcap
from .source import export_controller as export_controller, export_kernels as export_kernels
from .firmware.export import export_firmware as export_firmware
from .linuxcnc.component import export_linuxcnc as export_linuxcnc
from .fmu.export import export_fmu as export_fmu
