"""Results as recordings of ROS 2."""
