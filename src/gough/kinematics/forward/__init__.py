"""Forward kinematics: the pose at given leg lengths."""
