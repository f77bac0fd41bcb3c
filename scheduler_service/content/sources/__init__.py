"""Where content comes from: each source lists pages for a target locale and takes published texts back.

Others add a source under the entry-point group ``scheduler_service.content_sources``.
"""
