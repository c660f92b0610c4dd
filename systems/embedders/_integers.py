"""A graph whose weights are stored as int8 but multiplied as float32, rewritten to multiply them as the int8 they are.

The exporter wrote each weight as `Cast(int8) * scale` in front of a float32 MatMul. Here each such MatMul becomes one
DynamicQuantizeMatMul (activations brought to uint8 by the smallest and largest of the tensor, an exact integer product,
one scale a column), about three times as fast on a processor with VNNI or AMX.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_DOMAIN = "com.microsoft"


def exact_options() -> Any:
    """onnxruntime.SessionOptions of one thread under which the integer products are exact on every processor.

    x86 without VNNI adds two products of 8 bits in 16, which overflow to their largest value: a tenth of the result can be
    wrong. "Precision" takes uint8 weights there, which is slower and exact, and changes nothing where VNNI is.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def in_integers(model: bytes) -> bytes:
    """The model with its int8 weights multiplied as int8, and without guards against rows that mask every token.

    A model without such weights comes back with the same products; a guard is of use only to a batch with an empty
    text, and each text passes alone.
    """
    import onnx

    loaded = onnx.load_model_from_string(model)
    graph = _Graph(loaded.graph)
    nodes = [made for node in loaded.graph.node if (made := graph.rewritten(node)) is not None]
    del loaded.graph.node[:]
    loaded.graph.node.extend(nodes)
    loaded.graph.initializer.extend(graph.added)
    loaded.opset_import.append(onnx.helper.make_opsetid(_DOMAIN, 1))
    return bytes(loaded.SerializeToString())


@dataclass(frozen=True)
class _Weight:
    """int8 (inputs, outputs) and its scale, float32, one for each output."""

    values: Any
    scale: Any


class _Graph:
    """Who makes and who reads each value of the graph; `added` collects the tensors that the new nodes need."""

    def __init__(self, graph: Any) -> None:
        self.tensors: Mapping[str, Any] = {tensor.name: tensor for tensor in graph.initializer}
        self.maker = {name: node for node in graph.node for name in node.output}
        self.readers = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self.readers[name].append(node)
        self.added: list[Any] = []
        self._renamed = {node.output[0]: node.input[2] for node in graph.node if self._guards(node)}

    def rewritten(self, node: Any) -> Any | None:
        """The node that stands in its place; None where another has taken its work over."""
        if self._guards(node) or self._only_guards(node) or self._bias_of(node):
            return None
        for place, name in enumerate(node.input):
            node.input[place] = self._renamed.get(name, name)
        weight = self._weight(node)
        return node if weight is None else self._product(node, weight)

    def _guards(self, node: Any) -> bool:
        """`Where(IsNaN(x), instead, x)`."""
        test = self._source(node, "Where", 0, "IsNaN")
        return test is not None and bool(test.input[0] == node.input[2])

    def _only_guards(self, node: Any) -> bool:
        """A test for NaN that nothing but guards read."""
        return node.op_type == "IsNaN" and all(self._guards(reader) for reader in self.readers[node.output[0]])

    def _source(self, node: Any | None, kind: str, place: int, of: str) -> Any | None:
        """The node of kind `of` that makes the input at `place` of a node of this kind."""
        maker = self.maker.get(node.input[place]) if node is not None and node.op_type == kind else None
        return maker if maker is not None and maker.op_type == of else None

    def _product(self, node: Any, weight: _Weight) -> Any:
        import numpy as np
        from onnx import helper, numpy_helper

        name = node.output[0]
        zero = np.zeros(len(weight.scale), dtype=np.int8)
        parts = {f"{name}_int8": weight.values, f"{name}_scale": weight.scale, f"{name}_zero": zero}
        self.added += [numpy_helper.from_array(values, part) for part, values in parts.items()]
        add = next((reader for reader in self.readers[name] if self._bias_of(reader)), None)
        bias = self._bias_of(add)
        inputs = [node.input[0], *parts, *([bias] if bias else [])]
        output = add.output[0] if add is not None else name
        return helper.make_node("DynamicQuantizeMatMul", inputs, [output], domain=_DOMAIN, name=f"{name}_int8")

    def _bias_of(self, node: Any | None) -> str | None:
        """The bias that an Add puts on such a product which nothing else reads."""
        if node is None or node.op_type != "Add":
            return None
        for product, bias in (tuple(node.input), tuple(node.input)[::-1]):
            maker, vector = self.maker.get(product), self.tensors.get(bias)
            if maker is None or vector is None or len(self.readers[product]) != 1:
                continue
            weight = self._weight(maker)
            if weight is not None and tuple(vector.dims) == (len(weight.scale),):
                return str(bias)
        return None

    def _weight(self, node: Any) -> _Weight | None:
        """The weight of a MatMul by `Cast(int8 tensor) * scale of each output`."""
        import numpy as np
        from onnx import TensorProto, numpy_helper

        scaled = self._source(node, "MatMul", 1, "Mul")
        cast = self._source(scaled, "Mul", 0, "Cast")
        stored = self.tensors.get(cast.input[0]) if cast is not None else None
        scale = self.tensors.get(scaled.input[1]) if scaled is not None else None
        if stored is None or scale is None or stored.data_type != TensorProto.INT8 or len(stored.dims) != 2:
            return None
        width = stored.dims[1]
        if tuple(scale.dims) not in {(), (1,), (width,), (1, width)}:
            return None
        each = np.broadcast_to(numpy_helper.to_array(scale).reshape(-1), (width,))
        return _Weight(numpy_helper.to_array(stored), np.ascontiguousarray(each, dtype=np.float32))
