"""The official Python SDKs, unmodified: each wire whole and streamed, two turns with a tool, models, counts, and an error."""
import json
import os
import anthropic
import openai

base, key, model = (os.environ[name] for name in ("BASE", "KEY", "MODEL"))
question = "What is the weather in Oslo?"
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
chat = openai.OpenAI(api_key=key, base_url=f"{base}/v1")
claude = anthropic.Anthropic(api_key=key, base_url=base)
said = {}

asked = {"role": "user", "content": question}
tools = [{"type": "function", "function": {"name": "weather", "parameters": schema}}]
first = chat.chat.completions.create(model=model, messages=[asked], tools=tools).choices[0].message
result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "Sunny."}
second = chat.chat.completions.create(model=model, messages=[asked, first, result], tools=tools)
said["chat"] = second.choices[0].message.content
chunks = chat.chat.completions.create(model=model, messages=[asked, first, result], tools=tools, stream=True)
said["chat streamed"] = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)

tools = [{"type": "function", "name": "weather", "parameters": schema, "strict": False}]
shared = {"model": model, "tools": tools, "store": False}
first = chat.responses.create(**shared, input=[asked])
call = next(each for each in first.output if each.type == "function_call")
output = {"type": "function_call_output", "call_id": call.call_id, "output": "Sunny."}
inputs = [asked, *[each.model_dump(exclude_none=True) for each in first.output], output]
said["responses"] = chat.responses.create(**shared, input=inputs).output_text
with chat.responses.stream(**shared, input=inputs) as events:
    deltas = "".join(each.delta for each in events if each.type == "response.output_text.delta")
    said["responses streamed"] = deltas if deltas == events.get_final_response().output_text else "unlike the response"

shared = {"model": model, "max_tokens": 1000, "tools": [{"name": "weather", "input_schema": schema}]}
first = claude.messages.create(**shared, messages=[asked])
use = next(each for each in first.content if each.type == "tool_use")
turns = [
    asked,
    {"role": "assistant", "content": first.content},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "Sunny."}]},
]
said["messages"] = claude.messages.create(**shared, messages=turns).content[0].text
with claude.messages.stream(**shared, messages=turns) as stream:
    said["messages streamed"] = "".join(stream.text_stream)

said["models"] = [any(each.id == "auto" for each in client.models.list()) for client in (chat, claude)]
said["counted"] = claude.messages.count_tokens(model=model, messages=[asked]).input_tokens > 0
for name, create in {
    "chat": lambda: chat.chat.completions.create(model="absent", messages=[asked]),
    "messages": lambda: claude.messages.create(model="absent", max_tokens=10, messages=[asked]),
}.items():
    try:
        create()
    except (openai.NotFoundError, anthropic.NotFoundError) as error:
        said[f"error of {name}"] = type(error).__name__
print(json.dumps(said))
