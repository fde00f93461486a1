"""Show the machine in RViz: at home, or in the motion of a recording that Gough has made.

{{ mark }}
"""

from pathlib import Path

import xacro
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    """Return the launch description, for `ros2 launch`."""
    recording = DeclareLaunchArgument(
        "recording", default_value="", description="A results.mcap; without one, the home pose."
    )
    return LaunchDescription([recording, OpaqueFunction(function=shown)])


def shown(context):
    """Return the nodes: the machine's links, RViz, and the publisher of joint states."""
    recording = LaunchConfiguration("recording").perform(context)
    share = Path(get_package_share_directory("{{ package }}"))
    text = xacro.process_file(str(share / "urdf" / "{{ name }}.urdf.xacro")).toxml()
    clock = {"use_sim_time": bool(recording)}
    links = {"robot_description": ParameterValue(text, value_type=str), **clock}
    rviz = ["-d", str(share / "rviz" / "display.rviz")]
    play = ["ros2", "bag", "play", "--storage", "mcap", "--clock", "100", recording]
    joints = Node(
        package="joint_state_publisher", executable="joint_state_publisher", parameters=[clock]
    )
    return [
        Node(
            package="robot_state_publisher", executable="robot_state_publisher", parameters=[links]
        ),
        Node(package="rviz2", executable="rviz2", arguments=rviz, parameters=[clock]),
        ExecuteProcess(cmd=[*play, "--topics", "/joint_states"]) if recording else joints,
    ]
