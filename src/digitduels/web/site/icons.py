"""The icons of an installed site: the sign of the page (page/icon.svg), drawn in any size."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

GROUND = (0x17, 0x69, 0x4F)
UNITS = 64  # of the drawing on each side
Distance = npt.NDArray[np.float64]


def icon(size: int, maskable: bool = False) -> bytes:
    """Returns the sign as a PNG image. A maskable one fills the square, and keeps to the circle in its middle."""
    scale = UNITS / size * (1.25 if maskable else 1)
    at: Distance = (np.arange(size, dtype=np.float64) + 0.5 - size / 2) * scale
    x, y = at[None, :], at[:, None]
    ground = _covered(_rounded(x, y, 32, 32, 15), scale) if not maskable else np.ones((size, size))
    white = np.maximum.reduce(
        [
            _covered(np.hypot(x, y + 16.5) - 7.5, scale),
            _covered(_rounded(x, y, 21, 3.5, 3.5), scale),
            _covered(np.abs(np.hypot(x, y - 16.5) - 5.5) - 2, scale),
        ]
    )
    pixels = np.empty((size, size, 4), np.uint8)
    for channel, green in enumerate(GROUND):
        pixels[..., channel] = np.rint(green + (255 - green) * white)
    pixels[..., 3] = np.rint(255 * ground)
    return _png(pixels)


def _rounded(x: Distance, y: Distance, width: float, height: float, radius: float) -> Distance:
    """The distance from the edge of a rounded rectangle around the middle, given half its sides; negative inside."""
    dx, dy = np.abs(x) - (width - radius), np.abs(y) - (height - radius)
    return np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0) - radius


def _covered(distance: Distance, scale: float) -> Distance:
    """How much of each pixel a shape covers, from 0 to 1."""
    return np.clip(0.5 - distance / scale, 0, 1)


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with the number of its filter
    rows[:, 1:] = pixels.reshape(height, -1)
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
