"""A machine as a description package of ROS 2."""
