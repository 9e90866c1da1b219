"""quiff: what an advertising API gives away about people, and what it is still good for.

The public names are listed in ``__init__.pyi`` beside this file; each is loaded when it is first used.
"""

import lazy_loader

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
