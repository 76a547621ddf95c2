"""What clerks do with an order across all subjects, and all that they see of it."""
