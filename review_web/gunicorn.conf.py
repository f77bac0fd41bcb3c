"""gunicorn's configuration, from the site's own settings.

    gunicorn --config review_web/gunicorn.conf.py review_web.wsgi:application

The application is loaded in each worker, after the fork: a gRPC channel doesn't survive one.
"""

import os

from review_web.config import ReviewSettings
from review_web.serving import LISTENING_FD
from translator_service.foundation import logs

_settings = ReviewSettings.load()

bind = [f"fd://{os.environ[LISTENING_FD]}"] if LISTENING_FD in os.environ else [_settings.bind]
worker_class = "review_web.serving.QuietWorker"
workers = _settings.workers
threads = _settings.threads
preload_app = False
# A decision may take the scheduler's whole deadline (20 s) and must be answered; twice that is a hung thread.
timeout = 45
graceful_timeout = 25
keepalive = 5
# Requests that are larger than any page of ours sends.
limit_request_line = 4094
limit_request_fields = 50
limit_request_field_size = 8190
# Heartbeats go through memory, not through a disk that may be slow or read-only.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
# The socket would be made in the home folder, which a container may not have.
control_socket_disable = True
accesslog = None
logger_class = "review_web.serving.ContentFreeLogger"
proc_name = "draftgate-review"


def when_ready(server):
    logs.event("service.started", pid=os.getpid(), port=server.LISTENERS[0].getsockname()[1])


def on_exit(server):
    logs.event("service.stopped", pid=os.getpid())
