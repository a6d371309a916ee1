"""An MCP server in Python, by FastMCP 4, with one tool that samples. It has no model and no key.

    pip install "fastmcp>=4"
    python examples/fastmcp_server.py     listens on http://127.0.0.1:3001/mcp; PORT sets another port
"""

import os

from fastmcp import Context, FastMCP
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)

mcp = FastMCP("haiku")


@mcp.tool
async def haiku(subject: str, ctx: Context) -> str | InputRequiredResult:
    """Writes a haiku."""
    text = TextContent(text=f"Write a haiku about {subject}.")
    messages = [SamplingMessage(role="user", content=text)]
    if ctx.request_context.protocol_version < "2026-07-28":
        # The request travels on the stream of the tool call that it belongs to.
        answer = await ctx.session.create_message(
            messages, max_tokens=100, related_request_id=ctx.request_id
        )
    else:
        # Since 2026-07-28 a tool asks with its result, and runs again with the answer.
        answer = (ctx.input_responses or {}).get("haiku")
        if answer is None:
            params = CreateMessageRequestParams(messages=messages, max_tokens=100)
            return InputRequiredResult(
                input_requests={"haiku": CreateMessageRequest(params=params)}
            )
    return answer.content.text


if __name__ == "__main__":
    mcp.run(transport="http", host="127.0.0.1", port=int(os.environ.get("PORT", "3001")))
