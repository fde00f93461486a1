"""Forces: dynamics, friction and springs of joints, reactions, linearization."""
