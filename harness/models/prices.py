"""What a call costs, in USD, by genai-prices. A price that is not known is None, never 0."""

from __future__ import annotations

from harness.records import Usage


def cost(endpoint: str, model: str, usage: Usage) -> float | None:
    """USD of a call of so many tokens, by the provider whose host the endpoint's name is."""
    from genai_prices import calc_price
    from genai_prices.types import Usage as Tokens

    tokens = Tokens(
        input_tokens=usage.input_tokens, cache_read_tokens=usage.cached_tokens, output_tokens=usage.output_tokens
    )
    try:
        price = calc_price(tokens, model, provider_api_url=f"https://{endpoint}/v1")
    except LookupError:
        return None
    return float(price.total_price)
