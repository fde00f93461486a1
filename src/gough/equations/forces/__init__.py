"""Forces: dynamics, friction and springs of joints, reactions, what actuators can carry."""
