"""The reviewer's pages: queue, one item, decisions."""
