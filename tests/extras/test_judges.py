"""judges: deepeval and ragas score one case with a stand-in model, and ragas is the release that was asked for."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

import pytest

deepeval = pytest.importorskip("deepeval", reason="comes with the extra judges")
ragas = pytest.importorskip("ragas", reason="comes with the extra judges")

pytestmark = pytest.mark.filterwarnings("default")


def test_the_releases_that_fit_each_other() -> None:
    """A higher floor of openai gives ragas 0.3.1 without a word."""
    assert version("ragas") == "0.4.3"
    assert version("langchain-community") == "0.4.1"
    assert version("openai") == "3.3.0"


def test_deepeval_scores_a_case_half_faithful() -> None:
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    class Judge(DeepEvalBaseLLM):
        """Finds one claim of two supported."""

        def load_model(self) -> Judge:
            return self

        def get_model_name(self) -> str:
            return "stand-in"

        def generate(self, prompt: str, schema: Any = None) -> Any:
            verdicts = [{"verdict": "yes"}, {"verdict": "no", "reason": "another year"}]
            known = {"truths": ["a"], "claims": ["a", "b"], "verdicts": verdicts, "reason": "one of two"}
            return schema.model_validate({name: known[name] for name in schema.model_fields})

        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            return self.generate(prompt, schema)

    case = LLMTestCase(input="Revenue?", actual_output="1,284, then 1,300", retrieval_context=["Revenue was 1,284."])
    metric = FaithfulnessMetric(model=Judge(), async_mode=False)
    assert metric.measure(case, _show_indicator=False) == 0.5


def test_ragas_scores_a_case_half_faithful() -> None:
    from ragas.llms.base import InstructorBaseRagasLLM
    from ragas.metrics.collections import Faithfulness

    class Judge(InstructorBaseRagasLLM):
        """Finds one statement of two supported."""

        def generate(self, prompt: str, response_model: Any) -> Any:
            verdicts = [{"statement": name, "reason": "-", "verdict": value} for name, value in (("a", 1), ("b", 0))]
            known = {"statements": ["a", "b"]}, {"statements": verdicts}
            return response_model.model_validate(known["NLI" in response_model.__name__])

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return self.generate(prompt, response_model)

    score = Faithfulness(llm=Judge()).ascore(
        user_input="Revenue?", response="1,284, then 1,300", retrieved_contexts=["Revenue was 1,284."]
    )
    assert asyncio.run(score).value == 0.5
