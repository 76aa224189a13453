"""Operators of PyTorch that come with the package. Each is a kernel of `lang-examples` and some lines of Python."""

from ._attention import attention

__all__ = ["attention"]
