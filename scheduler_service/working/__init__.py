"""The running part: a worker's hands, the way of one item, the paid call, and the ticks."""
