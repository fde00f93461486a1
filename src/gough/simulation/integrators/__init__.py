"""How a plant moves on: RK4 as equations of a compiled loop, or steps that adapt themselves."""
