"""The rewriting of a graph to int8 products: the same function, up to what eight bits lose, and nothing else touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from systems.embedders._integers import exact_options, in_integers

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

_RANDOM = np.random.default_rng(3)
_WEIGHT = _RANDOM.integers(-127, 128, size=(16, 8)).astype(np.int8)
_SCALE = _RANDOM.uniform(0.001, 0.02, size=(1, 8)).astype(np.float32)
_BIAS = _RANDOM.normal(size=8).astype(np.float32)
_INPUT = _RANDOM.normal(size=(1, 5, 16)).astype(np.float32)
_PRODUCT = (
    ("Cast", ["weight"], "cast", {"to": onnx.TensorProto.FLOAT}),
    ("Mul", ["cast", "scale"], "scaled", {}),
    ("MatMul", ["x", "scaled"], "product", {}),
)


def _model(*nodes: tuple[str, list[str], str, dict[str, Any]], **tensors: NDArray[Any]) -> bytes:
    make = onnx.helper
    made = [make.make_node(kind, inputs, [output], **options) for kind, inputs, output, options in nodes]
    given = make.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, None, 16])
    result = make.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    kept = [onnx.numpy_helper.from_array(values, name) for name, values in tensors.items()]
    graph = make.make_graph(made, "graph", [given], [result], kept)
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def _run(model: bytes) -> NDArray[Any]:
    session = onnxruntime.InferenceSession(model, exact_options(), providers=["CPUExecutionProvider"])
    result: NDArray[Any] = session.run(None, {"x": _INPUT})[0]
    return result


def _kinds(model: bytes) -> list[str]:
    return [node.op_type for node in onnx.load_model_from_string(model).graph.node]


def test_a_scaled_int8_weight_and_its_bias_become_one_integer_product() -> None:
    model = _model(*_PRODUCT, ("Add", ["bias", "product"], "y", {}), weight=_WEIGHT, scale=_SCALE, bias=_BIAS)
    rewritten = in_integers(model)
    assert "MatMul" not in _kinds(rewritten)
    assert "Add" not in _kinds(rewritten)
    exact = _INPUT @ (_WEIGHT * _SCALE) + _BIAS
    assert np.allclose(_run(model), exact, atol=1e-4)
    assert np.abs(_run(rewritten) - exact).max() < 0.02 * np.abs(exact).max()


def test_the_integer_product_is_exact_on_every_processor() -> None:
    """Sums of extreme products overflow 16 bits, which processors without VNNI add in unless they are told not to."""
    weight = np.full((16, 8), 127, dtype=np.int8)
    model = _model(*_PRODUCT, ("Add", ["bias", "product"], "y", {}), weight=weight, scale=_SCALE, bias=_BIAS)
    low, high = min(_INPUT.min(), 0), max(_INPUT.max(), 0)
    step = (high - low) / 255
    zero = np.rint(-low / step)
    integers = np.clip(np.rint(_INPUT / step) + zero, 0, 255) - zero
    exact = (integers @ weight.astype(np.float64)) * step * _SCALE + _BIAS
    assert np.allclose(_run(in_integers(model)), exact, rtol=1e-5, atol=1e-5)


def test_a_bias_that_others_need_the_product_without_stays_an_addition() -> None:
    nodes = (*_PRODUCT, ("Add", ["product", "bias"], "sum", {}), ("Mul", ["sum", "product"], "y", {}))
    model = _model(*nodes, weight=_WEIGHT, scale=_SCALE, bias=_BIAS)
    assert "Add" in _kinds(in_integers(model))
    assert np.abs(_run(in_integers(model)) - _run(model)).max() < 0.03 * np.abs(_run(model)).max()


@pytest.mark.parametrize(
    ("weight", "scale"),
    [
        (_WEIGHT.astype(np.int16), _SCALE),
        (_WEIGHT, _RANDOM.uniform(0.001, 0.02, size=(16, 1)).astype(np.float32)),
    ],
    ids=["not int8", "a scale for each input"],
)
def test_other_weights_are_multiplied_as_before(weight: NDArray[Any], scale: NDArray[Any]) -> None:
    nodes = (*_PRODUCT[:2], ("MatMul", ["x", "scaled"], "y", {}))
    model = _model(*nodes, weight=weight, scale=scale)
    assert _kinds(in_integers(model)) == _kinds(model)
    assert (_run(in_integers(model)) == _run(model)).all()


def test_guards_against_empty_rows_go_and_other_choices_stay() -> None:
    nodes = (
        ("IsNaN", ["x"], "empty", {}),
        ("Where", ["empty", "zero", "x"], "safe", {}),
        ("Greater", ["safe", "zero"], "positive", {}),
        ("Where", ["positive", "safe", "zero"], "y", {}),
    )
    model = _model(*nodes, zero=np.zeros((), dtype=np.float32))
    assert _kinds(in_integers(model)) == ["Greater", "Where"]
    assert (_run(in_integers(model)) == np.maximum(_INPUT, 0)).all()


def test_a_choice_that_is_no_guard_keeps_its_test() -> None:
    nodes = (("IsNaN", ["x"], "empty", {}), ("Neg", ["x"], "minus", {}), ("Where", ["empty", "x", "minus"], "y", {}))
    model = _model(*nodes)
    assert _kinds(in_integers(model)) == ["IsNaN", "Neg", "Where"]
    assert (_run(in_integers(model)) == -_INPUT).all()
