"""Pure rules: states and moves, leases, attempts, codes, calls, money, authority. Values and `now` in, values out."""
