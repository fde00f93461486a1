"""Results as a recording of ROS 2, which Foxglove and `ros2 bag` play."""
