"""How many bytes of records may be held in memory: a share of what the machine, or its container, has free.

The number depends on the machine and not on what any record holds.
"""

from __future__ import annotations

import os
from pathlib import Path

_SHARE = 8  # one part in so many of what is free: the records are held once, beside work and other programs
_UNKNOWN = 2**31  # free bytes to assume where the system does not say
_NO_LIMIT = 2**62
_MEMORY = Path("/proc/meminfo")
_GROUPS, _OWN_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def memory_limit() -> int:
    """The bytes of numbers that may be held."""
    return min(_free_in_machine(), *_free_in_groups()) // _SHARE


def _free_in_machine() -> int:
    """What the kernel can give without swapping: free pages, and cached ones that it can drop."""
    try:
        fields = dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines())
        return 1024 * int(fields["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _free_in_groups() -> list[int]:
    """What each control group around this process leaves of its limit, for both versions of them."""
    try:
        lines = [line.split(":", 2) for line in _OWN_GROUP.read_text().splitlines()]
    except OSError:
        return [_NO_LIMIT]
    free = [_NO_LIMIT]
    for _, controllers, path in lines:
        if controllers == "":
            root, limit, used = _GROUPS, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root, limit, used = _GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        own = root / path.lstrip("/")
        free += [_left(group, limit, used) for group in (own, *own.parents) if group.is_relative_to(root)]
    return free


def _left(group: Path, limit: str, used: str) -> int:
    """The limit less what is used, without the cached files that the kernel can drop."""
    try:
        most = (group / limit).read_text().strip()
        if most == "max":
            return _NO_LIMIT
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        droppable = int(stat.get("total_inactive_file", stat.get("inactive_file", 0)))
        return max(0, int(most) - int((group / used).read_text()) + droppable)
    except (OSError, ValueError):
        return _NO_LIMIT
