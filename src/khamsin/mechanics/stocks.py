"""Stocks: points in locations, such as supply points on the map. A stock is a dictionary from location to number, an
`AMOUNTS` field of a state; a location without points is not a key."""

from __future__ import annotations

from collections.abc import MutableMapping

Stock = MutableMapping[int, int]


def put(stock: Stock, location: int, number: int) -> None:
    """Add points to a location.

    >>> stock = {7: 1}
    >>> put(stock, 7, 2), put(stock, 8, 0), stock
    (None, None, {7: 3})
    """
    if number < 0:
        raise ValueError(f"{number}: expected at least 0 points")
    if number:
        stock[location] = stock.get(location, 0) + number


def take(stock: Stock, location: int, number: int) -> None:
    """Remove points from a location, which must have them.

    >>> stock = {7: 3, 8: 1}
    >>> take(stock, 7, 1), take(stock, 8, 1), stock
    (None, None, {7: 2})
    """
    left = stock.get(location, 0) - number
    if number < 0 or left < 0:
        raise ValueError(f"{number}: expected 0 to {stock.get(location, 0)} points in location {location}")
    if left:
        stock[location] = left
    else:
        stock.pop(location, None)


def share(points: int, percent: int) -> int:
    """Return a share of points in per cent, rounded, halves up.

    >>> share(3, 50), share(3, 25), share(1, 50), share(4, 75)
    (2, 1, 1, 3)
    """
    return (2 * points * percent + 100) // 200
