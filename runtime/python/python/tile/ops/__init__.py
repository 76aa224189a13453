"""Operators of PyTorch that come with the package. Each is a kernel of `lang-examples` and some lines of Python."""

from ._attention import attention, attention_varlen
from ._glu import geglu, swiglu
from ._linear import linear
from ._loss import cross_entropy
from ._norm import layer_norm, rms_norm
from ._rope import rope
from ._softmax import softmax

__all__ = ["attention", "attention_varlen", "cross_entropy", "geglu", "layer_norm", "linear", "rms_norm", "rope", "softmax", "swiglu"]
