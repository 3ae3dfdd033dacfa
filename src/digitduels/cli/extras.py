"""Optional packages: how to install the one that a command needs."""

from __future__ import annotations

from importlib import import_module

from digitduels.cli.errors import FAILURE, Failure

_PACKAGES = {  # by module: the name of the package, and the extra of ours that installs it
    "distributed": ("Dask", "cluster"),
    "inspect_ai": ("Inspect", "inspect"),
    "matplotlib": ("Matplotlib", "plots"),
    "optuna": ("Optuna", "search"),
    "pyarrow": ("pyarrow", "parquet"),
}


def require(module: str, purpose: str) -> None:
    """Imports an optional package; if it is missing, the failure says how to install it."""
    try:
        import_module(module)
    except ImportError:
        name, extra = _PACKAGES[module]
        raise Failure(FAILURE, f"{purpose} requires {name}: pip install 'digitduels[{extra}]'.") from None
