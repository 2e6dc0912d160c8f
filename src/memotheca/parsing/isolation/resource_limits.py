"""How much reading one file may cost, and how the system is told."""

import sys
from dataclasses import dataclass
from types import ModuleType

try:
    import resource as _resource
except ImportError:  # Windows has none; there the parent's clock alone ends a parser that does not come back.
    _resource = None

resource: ModuleType | None = _resource


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits:
    """Memory, seconds without any progress, seconds in all, and the size of the result."""

    memory_mb: int = 2048
    step_seconds: float = 60.0
    total_seconds: float = 3600.0
    result_mb: int = 512


def impose(limits: ResourceLimits) -> None:
    """For this process, for good: no large memory, no files written, no core dumps, few open files."""
    if resource is None:
        return
    memory = limits.memory_mb << 20
    if sys.platform != "darwin":  # it refuses or ignores this limit
        _set("RLIMIT_AS", memory, memory)
    _set("RLIMIT_CORE", 0, 0)
    _set("RLIMIT_FSIZE", 0, 0)
    _set("RLIMIT_NOFILE", 64, 64)
    renew(limits)


def renew(limits: ResourceLimits) -> None:
    """From now on, this process may work for another step."""
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    now = int(used.ru_utime + used.ru_stime) + 1
    _set("RLIMIT_CPU", min(now + int(limits.step_seconds), int(limits.total_seconds)), int(limits.total_seconds))


def _set(name: str, soft: int, hard: int) -> None:
    if resource is None:
        return
    kind = getattr(resource, name)
    _, most = resource.getrlimit(kind)
    if most != resource.RLIM_INFINITY:
        hard = min(hard, most)
    resource.setrlimit(kind, (min(soft, hard), hard))
