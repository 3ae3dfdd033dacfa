"""The games for research frameworks, one file each. Every one is an extra: `pip install 'digitduels[gymnasium]'`."""
