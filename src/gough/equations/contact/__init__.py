"""What the world does to the platform: tools, and a surface to lean on."""
