"""The translator: a stateless service that plans, generates, judges and checks translations."""
