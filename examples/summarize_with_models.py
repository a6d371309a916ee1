"""The tool of a server that sampled, without sampling: it calls a model through the router's model endpoints.

    pip install anthropic
    export ANTHROPIC_BASE_URL=http://127.0.0.1:8787 ANTHROPIC_API_KEY=<a key with the scope models>
    python examples/summarize_with_models.py "A text to summarize."
"""

import sys

from anthropic import Anthropic

models = Anthropic()


def summarize(text: str) -> str:
    answer = models.messages.create(
        model="auto",
        max_tokens=200,
        messages=[{"role": "user", "content": f"Summarize: {text}"}],
        extra_headers={"X-Router-Hints": "haiku, mini", "X-Router-Priorities": "cost=0.8"},
    )
    return answer.content[0].text


print(summarize(sys.argv[1]))
