"""The scheduler: the only owner of the database, of leases, budgets, money and people."""
