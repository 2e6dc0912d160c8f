"""What does a client show in its own window?

Views of the page as one file, for clients that show such (MCP Apps), and which tools they belong to. Not for the page
that this server serves (`page_files.py`) nor for what a view is told (`tools/console`). Look first at `app_views.py`.
"""
