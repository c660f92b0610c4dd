"""What a call costs, in USD: by the config's `prices:`, else by genai-prices. A price that is not known is None, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.records import Model, Record, Usage

_MILLION = 1_000_000
_CHARACTERS_A_TOKEN = 2
"""As few as texts have in practice: figures and tables. An estimate of the most that a request may hold."""
_TOKENS_AN_IMAGE = 3000

Usd = Annotated[float, Field(ge=0)]


class Price(Record):
    """USD for a million tokens."""

    input: Usd
    """Of what the model reads."""
    output: Usd = 0.0
    """Of what it writes."""
    cached: Usd | None = None
    """Of input tokens that came from the provider's prompt cache; default: as other input."""
    stored: Usd | None = None
    """Of input tokens that went into it; default: as other input."""

    def of(self, usage: Usage) -> float:
        """USD for so many tokens."""
        cached = self.input if self.cached is None else self.cached
        stored = self.input if self.stored is None else self.stored
        fresh = usage.input_tokens - usage.cached_tokens - usage.stored_tokens
        read = fresh * self.input + usage.cached_tokens * cached + usage.stored_tokens * stored
        return (read + usage.output_tokens * self.output) / _MILLION


def cost(endpoint: str, model: str, usage: Usage, own: Mapping[str, Price]) -> float | None:
    """USD of a call of so many tokens, by the provider whose host the endpoint's name is; `own` prices go by model."""
    if usage.cost is None:
        return None  # the provider did not say how many tokens there were
    if model in own:
        return own[model].of(usage)
    from genai_prices import calc_price
    from genai_prices.types import Usage as Tokens

    tokens = Tokens(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.stored_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        return float(calc_price(tokens, model, provider_api_url=f"https://{endpoint}/v1").total_price)
    except (LookupError, ValueError):
        return None


def at_most(endpoint: str, model: Model, body: str, images: int, own: Mapping[str, Price]) -> float | None:
    """The most that a call with this body may cost; None where no price is known."""
    read = len(body) // _CHARACTERS_A_TOKEN + images * _TOKENS_AN_IMAGE
    used = Usage(calls=1, input_tokens=read, output_tokens=model.max_tokens or 0)
    return cost(endpoint, model.name, used, own)


def source(own: Mapping[str, Price]) -> dict[str, Any]:
    """Where prices come from and of when, for a manifest."""
    from importlib.metadata import version

    named = {name: price.model_dump(mode="json") for name, price in sorted(own.items())}
    return {"genai-prices": version("genai-prices"), **({"own": named} if named else {})}
