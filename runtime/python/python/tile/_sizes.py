"""The sizes and element types of what an operator allocates, from its signature and its arguments."""


class Bound:
    """What the arguments of a call bind: sizes by name, element types of generics by name."""

    def __init__(self, name, parameters, given, constants, check=None):
        self._name, self._constants = name, constants
        self.sizes, self.elements, self.first = {}, {}, None
        check = check or _check
        for one, value in zip(parameters, given):
            if one["kind"] == "scalar":
                self.sizes.setdefault(one["name"], value)
                continue
            self.first = value if self.first is None else self.first
            self.elements.setdefault(one["element"], value.dtype)
            for size, found in zip(one["sizes"], value.shape):
                if size in self.sizes:
                    check(found == self.sizes[size], lambda: f"`{size}` of {name} has two sizes")
                elif size.isidentifier() and size not in constants:
                    self.sizes[size] = found

    def shape(self, parameter):
        """The sizes of an output."""
        return [self._size(text) for text in parameter["sizes"]]

    def dtype(self, parameter, dtypes):
        """The element type of an output; `dtypes` are the library's by ours."""
        element = parameter["element"]
        return self.elements.get(element) or dtypes[self._constants.get(element, element)]

    def _size(self, text):
        if text in self.sizes:
            return self.sizes[text]
        text = self._constants.get(text, text)
        try:
            return int(text)
        except (TypeError, ValueError):
            raise ValueError(f"nothing binds the size `{text}` of an output of {self._name}") from None


def _check(holds, message):
    if not holds:
        raise ValueError(message())


def outputs_of(kernel, outputs, generics):
    """The parameters of a kernel that an operator allocates, and those that are its arguments; or what is wrong with the names."""
    parameters = kernel._signature["parameters"]
    known = {one["name"]: one for one in parameters}
    for output in outputs:
        if output not in known or not known[output]["mutable"] or known[output]["kind"] != "tensor":
            raise ValueError(f"`{output}` is no `mut tensor` of {kernel!r}, so it cannot be an output")
    for generic in generics:
        if generic not in kernel._generics:
            raise ValueError(f"`{generic}` is no generic of {kernel!r}")
    made = [one for one in parameters if one["name"] in outputs]
    return made, [one for one in parameters if one["name"] not in outputs]
