"""What there is on this machine, what is broken, and how to mend it: the report behind ``xpu info``.

``collect()`` looks from inside this process, ``collect_safely()`` from a child process that a bad driver may crash.
Both return a :class:`Report`, which ``to_dict()`` turns into data and ``show()`` into a tree for people.
"""

from .collect import collect, collect_safely
from .report import BackendReport, Choice, DeviceReport, Report
from .show import show

__all__ = ["BackendReport", "Choice", "DeviceReport", "Report", "collect", "collect_safely", "show"]
