"""The application object for a WSGI server: ``gunicorn review_web.wsgi:application``."""

from review_web.app import create_app

application = create_app()
