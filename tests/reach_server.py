"""Runs `duels` on a machine with other addresses: python tests/reach_server.py ADDRESSES COMMAND …

Addresses are separated by commas. Only the function that asks the operating system for them is replaced.
"""

from __future__ import annotations

import sys

from digitduels.web import reach

if __name__ == "__main__":
    addresses = [address for address in sys.argv[1].split(",") if address]
    reach.machine_addresses = lambda: addresses
    from digitduels.cli.main import main

    sys.exit(main(sys.argv[2:]))
