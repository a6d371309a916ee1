/**
 * What the specification demands of us, sentence by sentence: of the client side of sampling, and of
 * a server of Streamable HTTP. A test says which sentence it checks with a line `// cites: S-001, S-002`
 * directly above its `it(`; `requirements.test.ts` fails on a sentence that no test checks. An id is
 * never used for another sentence.
 *
 * `section` is a page of https://modelcontextprotocol.io/specification/ and its heading, a definition
 * of a revision's schema.json, or one of the reference documents.
 */

interface Sentence {
  id: string;
  section: string;
  /** quoted, or shortened with its MUST, SHOULD or MAY kept */
  sentence: string;
  era: "legacy" | "modern" | "both";
}

export type Requirement =
  | (Sentence & { status?: undefined })
  | (Sentence & { status: "not-yet" | "by-design"; reason: string });

/** The first letter of an id. */
export const groups: Readonly<Record<string, string>> = {
  S: "Sampling",
  C: "Client capabilities",
  L: "Lifecycle, versions, extensions",
  J: "JSON-RPC",
  H: "Streamable HTTP",
  U: "Ping, cancellation, tasks, time-outs",
  R: "Multi round-trip requests",
  M: "SEP-2278, supported modalities",
  N: "Content negotiation",
};

const sampling: readonly Requirement[] = [
  {
    id: "S-001",
    section: "2025-11-25/client/sampling#capabilities",
    sentence:
      "Clients that support sampling MUST declare the `sampling` capability during initialization.",
    era: "legacy",
  },
  {
    id: "S-002",
    section: "2026-07-28/client/sampling#capabilities",
    sentence:
      "Clients that support sampling MUST declare the `sampling` capability in `_meta.io.modelcontextprotocol/clientCapabilities` on each request.",
    era: "modern",
  },
  {
    id: "S-003",
    section: "2025-11-25/client/sampling#tools-in-sampling",
    sentence:
      "Servers MUST NOT send tool-enabled sampling requests to Clients that have not declared support for tool use via the `sampling.tools` capability.",
    era: "both",
  },
  {
    id: "S-004",
    section: "2025-11-25/schema CreateMessageRequestParams.tools",
    sentence:
      "tools: The client MUST return an error if this field is provided but ClientCapabilities.sampling.tools is not declared.",
    era: "both",
  },
  {
    id: "S-005",
    section: "2025-11-25/schema CreateMessageRequestParams.toolChoice",
    sentence:
      "toolChoice: The client MUST return an error if this field is provided but ClientCapabilities.sampling.tools is not declared.",
    era: "both",
  },
  {
    id: "S-006",
    section: "2024-11-05/schema CreateMessageRequest",
    sentence: "`messages` and `maxTokens` are required.",
    era: "both",
  },
  {
    id: "S-007",
    section: "2026-07-28/client/sampling#messages",
    sentence:
      'Sampling messages MUST contain a `role` field of "user" or "assistant"; and a `content` field representing the message data.',
    era: "both",
  },
  {
    id: "S-008",
    section: "2024-11-05/schema SamplingMessage",
    sentence: "The content of a message is one block, text or image.",
    era: "legacy",
  },
  {
    id: "S-009",
    section: "2025-03-26/client/sampling#audio-content",
    sentence: "Sampling messages can contain audio content.",
    era: "both",
  },
  {
    id: "S-010",
    section: "2025-11-25/schema SamplingMessage",
    sentence: "The content of a message is one block or an array of blocks.",
    era: "both",
  },
  {
    id: "S-011",
    section: "2025-11-25/client/sampling#tool-result-messages",
    sentence:
      'When a user message contains tool results (type: "tool_result"), it MUST contain ONLY tool results.',
    era: "both",
  },
  {
    id: "S-012",
    section: "2025-11-25/client/sampling#tool-use-and-result-balance",
    sentence:
      "Every assistant message containing `ToolUseContent` blocks MUST be followed by a user message that consists entirely of `ToolResultContent` blocks, with each tool use matched by a corresponding tool result, before any other message.",
    era: "both",
  },
  {
    id: "S-013",
    section: "2025-11-25/schema ToolResultContent.toolUseId",
    sentence: "toolUseId: This MUST match the ID from a previous ToolUseContent.",
    era: "both",
  },
  {
    id: "S-014",
    section: "2025-11-25/client/sampling#error-handling",
    sentence:
      "Clients SHOULD return errors for common failure cases: Tool result missing in request: `-32602` (Invalid params).",
    era: "both",
  },
  {
    id: "S-015",
    section: "2025-11-25/client/sampling#error-handling",
    sentence:
      "Clients SHOULD return errors for common failure cases: Tool results mixed with other content: `-32602` (Invalid params).",
    era: "both",
  },
  {
    id: "S-016",
    section: "2025-11-25/client/sampling#error-handling",
    sentence:
      "Clients SHOULD return errors for common failure cases: User rejected sampling request: `-1`.",
    era: "legacy",
  },
  {
    id: "S-017",
    section: "2025-11-25/client/sampling#user-interaction-model",
    sentence:
      "There SHOULD always be a human in the loop with the ability to deny sampling requests.",
    era: "both",
  },
  {
    id: "S-018",
    section: "2025-11-25/client/sampling#user-interaction-model",
    sentence:
      "Applications SHOULD provide UI that makes it easy and intuitive to review sampling requests.",
    era: "both",
  },
  {
    id: "S-019",
    section: "2025-11-25/client/sampling#user-interaction-model",
    sentence: "Applications SHOULD allow users to view and edit prompts before sending.",
    era: "both",
  },
  {
    id: "S-020",
    section: "2025-11-25/client/sampling#user-interaction-model",
    sentence: "Applications SHOULD present generated responses for review before delivery.",
    era: "both",
  },
  {
    id: "S-021",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Clients SHOULD implement user approval controls.",
    era: "both",
  },
  {
    id: "S-022",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Clients SHOULD respect model preference hints.",
    era: "both",
  },
  {
    id: "S-023",
    section: "2024-11-05/schema ModelHint.name",
    sentence: "The client SHOULD treat this as a substring of a model name.",
    era: "both",
  },
  {
    id: "S-024",
    section: "2024-11-05/schema ModelPreferences.hints",
    sentence:
      "If multiple hints are specified, the client MUST evaluate them in order (such that the first match is taken).",
    era: "both",
  },
  {
    id: "S-025",
    section: "2024-11-05/schema ModelPreferences.hints",
    sentence:
      "The client SHOULD prioritize these hints over the numeric priorities, but MAY still use the priorities to select from ambiguous matches.",
    era: "both",
  },
  {
    id: "S-026",
    section: "2025-11-25/client/sampling#model-hints",
    sentence: "Clients MAY map hints to equivalent models from different providers.",
    era: "both",
  },
  {
    id: "S-027",
    section: "2025-11-25/client/sampling#model-hints",
    sentence: "Hints are advisory: clients make final model selection.",
    era: "both",
  },
  {
    id: "S-028",
    section: "2025-11-25/client/sampling#capability-priorities",
    sentence: "costPriority: Higher values prefer cheaper models.",
    era: "both",
  },
  {
    id: "S-029",
    section: "2025-11-25/client/sampling#capability-priorities",
    sentence: "speedPriority: Higher values prefer faster models.",
    era: "both",
  },
  {
    id: "S-030",
    section: "2025-11-25/client/sampling#capability-priorities",
    sentence: "intelligencePriority: Higher values prefer more capable models.",
    era: "both",
  },
  {
    id: "S-031",
    section: "2025-11-25/client/sampling#capability-priorities",
    sentence: "Servers express their needs through three normalized priority values (0-1).",
    era: "both",
  },
  {
    id: "S-032",
    section: "2026-07-28/client/sampling#sampling-parameters",
    sentence: "The client MUST respect the `maxTokens` parameter.",
    era: "both",
  },
  {
    id: "S-033",
    section: "2024-11-05/schema CreateMessageRequest.maxTokens",
    sentence: "The client MAY choose to sample fewer tokens than requested.",
    era: "both",
  },
  {
    id: "S-034",
    section: "2026-07-28/client/sampling#system-prompt",
    sentence:
      "The optional `systemPrompt` field allows servers to request a specific system prompt. The client MAY modify or ignore this field.",
    era: "both",
  },
  {
    id: "S-035",
    section: "2025-11-25/schema CreateMessageRequestParams.includeContext",
    sentence:
      'A request to include context from one or more MCP servers. The client MAY ignore this request. Default is "none".',
    era: "both",
  },
  {
    id: "S-036",
    section: "2025-11-25/client/sampling#capabilities",
    sentence:
      "Servers SHOULD avoid using `thisServer` and `allServers`, and SHOULD NOT use them unless the client declares `sampling.context` capability.",
    era: "both",
    status: "by-design",
    reason:
      "The server's duty. The router never declares `context` for itself and treats the values as `none` (S-035).",
  },
  {
    id: "S-037",
    section: "2026-07-28/client/sampling#sampling-parameters",
    sentence: "stopSequences: Array of sequences that stop generation.",
    era: "both",
  },
  {
    id: "S-038",
    section: "2026-07-28/client/sampling#sampling-parameters",
    sentence: "temperature: Controls randomness in model responses.",
    era: "both",
  },
  {
    id: "S-039",
    section: "2026-07-28/client/sampling#sampling-parameters",
    sentence: "The client MAY modify or ignore `temperature`, `stopSequences` and `metadata`.",
    era: "both",
  },
  {
    id: "S-040",
    section: "2024-11-05/schema CreateMessageRequest.metadata",
    sentence: "Optional metadata to pass through to the LLM provider.",
    era: "both",
  },
  {
    id: "S-041",
    section: "2026-07-28/client/sampling#result-fields",
    sentence: "Sampling results will contain `role`, `content` and `model`.",
    era: "both",
  },
  {
    id: "S-042",
    section: "2026-07-28/client/sampling#result-fields",
    sentence: "model: The name of the model that generated the message.",
    era: "both",
  },
  {
    id: "S-043",
    section: "2026-07-28/client/sampling#result-fields",
    sentence:
      "content: A single content block when the response contains only one content block; an array of content blocks when the response contains one or more.",
    era: "both",
  },
  {
    id: "S-044",
    section: "2024-11-05/schema CreateMessageResult.content",
    sentence: "The content of a result is one block, before 2025-11-25.",
    era: "legacy",
  },
  {
    id: "S-045",
    section: "2025-11-25/schema CreateMessageResult.stopReason",
    sentence:
      '"endTurn": Natural end of the assistant\'s turn; "stopSequence": A stop sequence was encountered; "maxTokens": Maximum token limit was reached; "toolUse": The model wants to use one or more tools.',
    era: "both",
  },
  {
    id: "S-046",
    section: "2025-11-25/schema CreateMessageResult.stopReason",
    sentence: "This field is an open string to allow for provider-specific stop reasons.",
    era: "both",
  },
  {
    id: "S-047",
    section: "2025-11-25/client/sampling#tool-choice-modes",
    sentence: '{mode: "auto"}: Model decides whether to use tools (default).',
    era: "both",
  },
  {
    id: "S-048",
    section: "2025-11-25/client/sampling#tool-choice-modes",
    sentence: '{mode: "required"}: Model MUST use at least one tool before completing.',
    era: "both",
  },
  {
    id: "S-049",
    section: "2025-11-25/client/sampling#tool-choice-modes",
    sentence: '{mode: "none"}: Model MUST NOT use any tools.',
    era: "both",
  },
  {
    id: "S-050",
    section: "2025-11-25/client/sampling#parallel-tool-use",
    sentence:
      "MCP allows models to make multiple tool use requests in parallel (returning an array of `ToolUseContent`).",
    era: "both",
  },
  {
    id: "S-051",
    section: "2025-11-25/schema ToolUseContent._meta, ToolResultContent._meta",
    sentence:
      "Clients SHOULD preserve this field when including tool uses and tool results in subsequent sampling requests to enable caching optimizations.",
    era: "both",
  },
  {
    id: "S-052",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Clients SHOULD implement rate limiting.",
    era: "both",
  },
  {
    id: "S-053",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Both parties SHOULD validate message content.",
    era: "both",
  },
  {
    id: "S-054",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Both parties MUST handle sensitive data appropriately.",
    era: "both",
  },
  {
    id: "S-055",
    section: "2025-11-25/client/sampling#security-considerations",
    sentence: "Both parties SHOULD implement iteration limits for tool loops.",
    era: "both",
  },
  {
    id: "S-056",
    section: "2026-07-28/client/sampling#messages",
    sentence:
      "The list of messages in a sampling request SHOULD NOT be retained between separate requests.",
    era: "modern",
  },
  {
    id: "S-057",
    section: "2026-07-28/client/sampling",
    sentence: "New implementations SHOULD NOT adopt it (Sampling is deprecated).",
    era: "modern",
    status: "by-design",
    reason:
      "The router is for servers that sample today; the revision keeps sampling for at least twelve months.",
  },
];

const capabilities: readonly Requirement[] = [
  {
    id: "C-001",
    section: "ClientCapabilities, forVersion",
    sentence:
      "roots/rootsListChanged, a bare sampling, and experimental exist in every supported version and pass through unchanged.",
    era: "both",
  },
  {
    id: "C-002",
    section: "ClientCapabilities, forVersion",
    sentence:
      "elicitation is gated to >= 2025-06-18 (a client that set only an elicitation submode still projects a bare elicitation there).",
    era: "both",
  },
  {
    id: "C-003",
    section: "ClientCapabilities, forVersion",
    sentence:
      "The sampling/elicitation sub-objects (sampling.tools/sampling.context, elicitation.form/elicitation.url) apply from 2025-11-25 and are stripped below that.",
    era: "both",
  },
  {
    id: "C-004",
    section: "ClientCapabilities, forVersion",
    sentence: "tasks is a first-class client capability in the stable 2025-11-25 era.",
    era: "legacy",
  },
  {
    id: "C-005",
    section: "ClientCapabilities, forVersion",
    sentence:
      "The draft schema has no top-level client tasks, so for draft it is folded into extensions[tasksExtensionKey].",
    era: "modern",
    status: "by-design",
    reason:
      "Dropped and not folded: the extension's tasks (SEP-2663) are another protocol than those of 2025-11-25, so who declared the old ones has not declared the new.",
  },
  {
    id: "C-006",
    section: "ClientCapabilities, forVersion",
    sentence: "The extensions negotiation map itself is draft-only (2026-07-28).",
    era: "both",
  },
  {
    id: "C-007",
    section: "ClientCapabilities, supports",
    sentence:
      "supports: whether cap is advertised. The single lookup that owns the capability->field mapping.",
    era: "both",
  },
  {
    id: "C-008",
    section: "ClientCapabilities, elicitationForm",
    sentence: "An empty elicitation object is equivalent to declaring form mode only.",
    era: "both",
  },
  {
    id: "C-009",
    section: "ClientCapabilities, samplingTools",
    sentence: "Sub-capability flags imply their parent presence.",
    era: "both",
  },
  {
    id: "C-010",
    section: "ClientCapabilities, missingFrom",
    sentence:
      "The result is null iff every requirement is met; a non-null value carries exactly the unmet ones.",
    era: "both",
  },
  {
    id: "C-011",
    section: "ClientCapabilities, missingFrom",
    sentence:
      "The experimental and extensions maps are compared by required-key presence: any required key absent from declared is reported.",
    era: "both",
  },
  {
    id: "C-012",
    section: "ClientCapabilities, missingFrom",
    sentence:
      "Used to build the data.requiredCapabilities payload of a -32003 MissingRequiredClientCapabilityError.",
    era: "modern",
    status: "by-design",
    reason: "-32003 was a draft's number; the revision says -32021 (C-014).",
  },
  {
    id: "C-013",
    section: "2025-11-25/schema ClientCapabilities",
    sentence: "This is not a closed set: any client can define its own, additional capabilities.",
    era: "both",
  },
  {
    id: "C-014",
    section: "2026-07-28/basic#meta",
    sentence:
      "If processing a request requires a capability the client did not include, the server MUST return a MissingRequiredClientCapabilityError (-32021) whose `data.requiredCapabilities` lists the missing capabilities. On HTTP, the response status MUST be 400 Bad Request.",
    era: "modern",
  },
  {
    id: "C-015",
    section: "2025-11-25/basic/lifecycle#operation",
    sentence: "Both parties MUST only use capabilities that were successfully negotiated.",
    era: "legacy",
  },
];

const lifecycle: readonly Requirement[] = [
  {
    id: "L-001",
    section: "2025-11-25/basic/lifecycle#initialization",
    sentence: "The initialization phase MUST be the first interaction between client and server.",
    era: "legacy",
  },
  {
    id: "L-002",
    section: "2025-11-25/basic/lifecycle#initialization",
    sentence:
      "The client MUST initiate this phase by sending an `initialize` request containing: protocol version supported, client capabilities, client implementation information.",
    era: "legacy",
  },
  {
    id: "L-003",
    section: "2025-11-25/basic/lifecycle#initialization",
    sentence: "The server MUST respond with its own capabilities and information.",
    era: "legacy",
  },
  {
    id: "L-004",
    section: "2025-11-25/basic/lifecycle#version-negotiation",
    sentence:
      "If the server supports the requested protocol version, it MUST respond with the same version.",
    era: "legacy",
  },
  {
    id: "L-005",
    section: "2025-11-25/basic/lifecycle#version-negotiation",
    sentence:
      "Otherwise, the server MUST respond with another protocol version it supports. This SHOULD be the latest version supported by the server.",
    era: "legacy",
  },
  {
    id: "L-006",
    section: "2025-11-25/basic/lifecycle#initialization",
    sentence:
      "After successful initialization, the client MUST send an `initialized` notification.",
    era: "legacy",
  },
  {
    id: "L-007",
    section: "2025-03-26/basic/lifecycle#initialization",
    sentence: "The initialize request MUST NOT be part of a JSON-RPC batch.",
    era: "legacy",
  },
  {
    id: "L-008",
    section: "2025-11-25/basic/lifecycle#operation",
    sentence: "Both parties MUST respect the negotiated protocol version.",
    era: "legacy",
  },
  {
    id: "L-009",
    section: "2026-07-28/basic/versioning#protocol-version-negotiation",
    sentence:
      "If the server does not support the requested version, it MUST respond with an UnsupportedProtocolVersionError, listing the versions it supports.",
    era: "modern",
  },
  {
    id: "L-010",
    section: "2026-07-28/server/discover",
    sentence: "Servers MUST implement `server/discover`.",
    era: "modern",
  },
  {
    id: "L-011",
    section:
      "2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    sentence:
      "A dual-era server selects its behavior from how the client opens: a request carrying modern per-request `_meta` is served statelessly; an `initialize` request selects legacy semantics. It MAY serve both eras concurrently on the same endpoint.",
    era: "both",
  },
  {
    id: "L-012",
    section: "2026-07-28/basic/versioning#extension-negotiation",
    sentence:
      "If one party supports an extension but the other does not, the supporting party MUST either revert to core protocol behavior or reject the request.",
    era: "modern",
  },
  {
    id: "L-013",
    section: "2026-07-28/basic/versioning#extension-negotiation",
    sentence:
      "Extension identifiers MUST follow the `_meta` key naming rules, with a mandatory prefix.",
    era: "both",
  },
  {
    id: "L-014",
    section: "2025-11-25/basic#meta",
    sentence:
      "`_meta` key names: the prefix, if specified, MUST be a series of labels separated by dots, followed by a slash; the name MUST begin and end with an alphanumeric character.",
    era: "both",
  },
  {
    id: "L-015",
    section: "2026-07-28/basic#meta",
    sentence:
      "Servers SHOULD include `io.modelcontextprotocol/serverInfo` in every result's `_meta`.",
    era: "modern",
  },
  {
    id: "L-016",
    section: "2026-07-28/server/discover#discoverresult",
    sentence:
      "`_meta['io.modelcontextprotocol/serverInfo']`: Name and version of the server software. Servers SHOULD include this field.",
    era: "modern",
  },
  {
    id: "L-017",
    section: "2026-07-28/server/utilities/caching#cacheable-results",
    sentence:
      'Servers MUST include caching hints on results with `resultType: "complete"` of `server/discover`, and MUST provide a `ttlMs` value that is >= 0.',
    era: "modern",
  },
  {
    id: "L-018",
    section: "2026-07-28/basic#meta",
    sentence:
      "A request missing any required field of `_meta` is malformed; the server MUST reject it with -32602 (Invalid params). On HTTP, the response status MUST be 400 Bad Request.",
    era: "modern",
  },
  {
    id: "L-019",
    section: "2026-07-28/basic#meta",
    sentence:
      "Clients SHOULD include `io.modelcontextprotocol/clientInfo` on every request unless specifically configured not to do so (it is not required).",
    era: "modern",
  },
  {
    id: "L-020",
    section: "2026-07-28/basic#statelessness",
    sentence:
      "Servers MUST NOT rely on prior requests over the same connection to establish context (e.g., capabilities, protocol version, client identity).",
    era: "modern",
  },
];

const jsonRpc: readonly Requirement[] = [
  {
    id: "J-001",
    section: "2025-11-25/basic#messages",
    sentence:
      "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification.",
    era: "both",
  },
  {
    id: "J-002",
    section: "2025-11-25/basic#requests",
    sentence: "Requests MUST include a string or integer ID.",
    era: "both",
  },
  {
    id: "J-003",
    section: "2025-11-25/basic#requests",
    sentence: "Unlike base JSON-RPC, the ID MUST NOT be `null`.",
    era: "both",
  },
  {
    id: "J-004",
    section: "2025-11-25/basic#requests",
    sentence:
      "The request ID MUST NOT have been previously used by the requestor within the same session.",
    era: "legacy",
    status: "by-design",
    reason:
      "The requestor's duty. An id answers one POST and no other, so the router keeps no list of those it has seen.",
  },
  {
    id: "J-005",
    section: "2025-11-25/basic#responses",
    sentence: "Responses MUST include the same ID as the request they correspond to.",
    era: "both",
  },
  {
    id: "J-006",
    section: "2025-03-26/basic#responses",
    sentence: "Either a `result` or an `error` MUST be set. A response MUST NOT set both.",
    era: "both",
  },
  {
    id: "J-007",
    section: "2025-11-25/basic#error-responses",
    sentence:
      "Error responses MUST include an `error` field with a `code` and `message`. Error codes MUST be integers.",
    era: "both",
  },
  {
    id: "J-008",
    section: "2025-11-25/basic#error-responses",
    sentence:
      "Error responses MUST include the same ID as the request they correspond to (except in error cases where the ID could not be read due a malformed request).",
    era: "both",
  },
  {
    id: "J-009",
    section: "2025-11-25/basic#notifications",
    sentence: "The receiver of a notification MUST NOT send a response.",
    era: "both",
  },
  {
    id: "J-010",
    section: "2025-03-26/basic#batching",
    sentence: "MCP implementations MUST support receiving JSON-RPC batches.",
    era: "legacy",
  },
  {
    id: "J-011",
    section: "2026-07-28/basic#result-responses",
    sentence: "The `result` MUST include a `resultType` field to indicate the type of the result.",
    era: "modern",
  },
  {
    id: "J-012",
    section: "2026-07-28/basic#error-codes",
    sentence:
      "Implementations MUST NOT emit any code from -32020 to -32099 that is not defined by this specification.",
    era: "both",
  },
  {
    id: "J-013",
    section: "2026-07-28/basic#error-codes",
    sentence:
      "New implementations SHOULD NOT use codes from -32000 to -32019 at all, and MUST NOT emit -32002 and -32042.",
    era: "both",
  },
  {
    id: "J-014",
    section: "2026-07-28/basic#error-codes",
    sentence:
      "New error codes for purposes not defined by this specification SHOULD be allocated outside the JSON-RPC reserved range (-32768 to -32000).",
    era: "both",
  },
  {
    id: "J-015",
    section: "2025-11-25/basic/transports",
    sentence: "JSON-RPC messages MUST be UTF-8 encoded.",
    era: "both",
  },
];

const http: readonly Requirement[] = [
  {
    id: "H-001",
    section: "2025-11-25/basic/transports#security-warning",
    sentence:
      "Servers MUST validate the `Origin` header on all incoming connections to prevent DNS rebinding attacks.",
    era: "both",
  },
  {
    id: "H-002",
    section: "2026-07-28/basic/transports/streamable-http#security-endpoint",
    sentence:
      "If the `Origin` header is present and invalid, servers MUST respond with HTTP 403 Forbidden.",
    era: "both",
  },
  {
    id: "H-003",
    section: "2025-11-25/basic/transports#security-warning",
    sentence:
      "When running locally, servers SHOULD bind only to localhost (127.0.0.1) rather than all network interfaces (0.0.0.0).",
    era: "both",
  },
  {
    id: "H-004",
    section: "2025-11-25/basic/transports#security-warning",
    sentence: "Servers SHOULD implement proper authentication for all connections.",
    era: "both",
  },
  {
    id: "H-005",
    section: "2025-11-25/basic/transports#listening-for-messages-from-the-server",
    sentence:
      "The server MUST either return `Content-Type: text/event-stream` in response to this HTTP GET, or else return HTTP 405 Method Not Allowed.",
    era: "legacy",
  },
  {
    id: "H-006",
    section: "2025-06-18/basic/transports#sending-messages-to-the-server",
    sentence:
      "The body of the POST request MUST be a single JSON-RPC request, notification, or response.",
    era: "both",
  },
  {
    id: "H-007",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence:
      "If the input is a JSON-RPC response or notification: if the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body.",
    era: "both",
  },
  {
    id: "H-008",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence:
      "If the input is a JSON-RPC response or notification: if the server cannot accept the input, it MUST return an HTTP error status code.",
    era: "both",
  },
  {
    id: "H-009",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence:
      "If the input is a JSON-RPC request, the server MUST either return `Content-Type: text/event-stream`, or `Content-Type: application/json`, to return one JSON object.",
    era: "both",
  },
  {
    id: "H-010",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence:
      "The SSE stream SHOULD eventually include a JSON-RPC response; after it has been sent, the server SHOULD terminate the SSE stream.",
    era: "both",
  },
  {
    id: "H-011",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence:
      "The server SHOULD immediately send an SSE event consisting of an event ID and an empty `data` field in order to prime the client to reconnect.",
    era: "legacy",
    status: "by-design",
    reason:
      "Streams are not resumable; that is a server's choice (MAY). An answer that was lost is asked for again.",
  },
  {
    id: "H-012",
    section: "2025-11-25/basic/transports#sending-messages-to-the-server",
    sentence: "Disconnection SHOULD NOT be interpreted as the client cancelling its request.",
    era: "legacy",
  },
  {
    id: "H-013",
    section: "2026-07-28/basic/transports/streamable-http#cancellation",
    sentence:
      "Closing the SSE response stream MUST be treated by the server as cancellation of that request.",
    era: "modern",
  },
  {
    id: "H-014",
    section: "2026-07-28/basic/transports/streamable-http#receiving-messages",
    sentence:
      "When initiating an SSE stream, servers SHOULD include the `X-Accel-Buffering: no` header in the HTTP response.",
    era: "modern",
  },
  {
    id: "H-015",
    section: "2026-07-28/basic/transports/streamable-http#receiving-messages",
    sentence: "The server MUST NOT send independent JSON-RPC requests on this stream.",
    era: "modern",
  },
  {
    id: "H-016",
    section: "2025-11-25/basic/transports#session-management",
    sentence: "The session ID SHOULD be globally unique and cryptographically secure.",
    era: "legacy",
  },
  {
    id: "H-017",
    section: "2025-11-25/basic/transports#session-management",
    sentence:
      "The session ID MUST only contain visible ASCII characters (ranging from 0x21 to 0x7E).",
    era: "legacy",
  },
  {
    id: "H-018",
    section: "2025-11-25/basic/transports#session-management",
    sentence:
      "Servers that require a session ID SHOULD respond to requests without an `MCP-Session-Id` header (other than initialization) with HTTP 400 Bad Request.",
    era: "legacy",
  },
  {
    id: "H-019",
    section: "2025-11-25/basic/transports#session-management",
    sentence:
      "The server MAY terminate the session at any time, after which it MUST respond to requests containing that session ID with HTTP 404 Not Found.",
    era: "legacy",
  },
  {
    id: "H-020",
    section: "2025-11-25/basic/transports#session-management",
    sentence:
      "Clients that no longer need a particular session SHOULD send an HTTP DELETE to the MCP endpoint with the `MCP-Session-Id` header, to explicitly terminate the session.",
    era: "legacy",
  },
  {
    id: "H-021",
    section: "2025-11-25/basic/transports#protocol-version-header",
    sentence:
      "If the server receives a request with an invalid or unsupported `MCP-Protocol-Version`, it MUST respond with 400 Bad Request.",
    era: "legacy",
  },
  {
    id: "H-022",
    section: "2025-11-25/basic/transports#protocol-version-header",
    sentence:
      "If the server does not receive an `MCP-Protocol-Version` header, and has no other way to identify the version (for example, by relying on the protocol version negotiated during initialization), the server SHOULD assume protocol version 2025-03-26.",
    era: "legacy",
  },
  {
    id: "H-023",
    section: "2026-07-28/basic/transports/streamable-http#protocol-version-header",
    sentence:
      "The `MCP-Protocol-Version` header MUST match `_meta`. If the values do not match, the server MUST reject the request with 400 Bad Request and a HeaderMismatch JSON-RPC error.",
    era: "modern",
  },
  {
    id: "H-024",
    section: "2026-07-28/basic/transports/streamable-http#server-validation",
    sentence:
      "Servers MUST return HTTP status 400 and a JSON-RPC error -32020 when a required standard header (`MCP-Protocol-Version`, `Mcp-Method`) is missing.",
    era: "modern",
  },
  {
    id: "H-025",
    section: "2026-07-28/basic/transports/streamable-http#server-validation",
    sentence:
      "Servers that process the request body MUST reject requests where the values specified in the headers do not match the corresponding values in the request body.",
    era: "modern",
  },
  {
    id: "H-026",
    section: "2026-07-28/basic/transports/streamable-http#case-sensitivity",
    sentence:
      "Clients and servers MUST use case-insensitive comparisons for header names. Header values (such as method names) are case-sensitive.",
    era: "modern",
  },
  {
    id: "H-027",
    section: "2026-07-28/basic/transports/streamable-http#protocol-version-header",
    sentence:
      "If the server does not implement the requested protocol version, it MUST respond with 400 Bad Request and an UnsupportedProtocolVersionError listing its supported versions.",
    era: "modern",
  },
  {
    id: "H-028",
    section: "2026-07-28/basic/transports/streamable-http#protocol-version-header",
    sentence:
      "If the server does not implement the requested RPC method, it MUST respond with 404 Not Found and a JSON-RPC error with code -32601.",
    era: "modern",
  },
  {
    id: "H-029",
    section: "2026-07-28/basic/transports/streamable-http#earlier-streamable-http-revisions",
    sentence:
      "An `Mcp-Session-Id` header on a request of this revision SHOULD be ignored; do not mint or echo session IDs.",
    era: "modern",
  },
  {
    id: "H-030",
    section: "2026-07-28/basic/transports/streamable-http#standard-request-headers",
    sentence:
      "`Mcp-Name` is REQUIRED on tools/call, resources/read and prompts/get, and is compared with the body, decoded.",
    era: "modern",
  },
  {
    id: "H-031",
    section: "2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers",
    sentence:
      "Intermediate servers that do not recognize an `Mcp-Param-{Name}` header MUST forward it and otherwise ignore it.",
    era: "modern",
  },
  {
    id: "H-032",
    section: "2024-11-05/basic/transports#http-with-sse",
    sentence:
      "The server MUST provide two endpoints: an SSE endpoint, and a regular HTTP POST endpoint (HTTP with SSE).",
    era: "legacy",
    status: "by-design",
    reason:
      "That transport is deprecated since 2025-03-26; messages of 2024-11-05 travel over Streamable HTTP, as the official clients do it.",
  },
  {
    id: "H-033",
    section: "2025-11-25/basic/transports",
    sentence: "Clients SHOULD support stdio whenever possible.",
    era: "both",
    status: "by-design",
    reason: "A hosted service has no stdin.",
  },
  {
    id: "H-034",
    section: "2025-11-25/basic/transports#protocol-version-header",
    sentence:
      "A notification or a response with an invalid or unsupported `MCP-Protocol-Version` header, too, MUST be answered with 400 Bad Request.",
    era: "both",
  },
];

const utilities: readonly Requirement[] = [
  {
    id: "U-001",
    section: "2025-11-25/basic/utilities/ping#behavior-requirements",
    sentence: "The receiver of a ping MUST respond promptly with an empty response.",
    era: "legacy",
  },
  {
    id: "U-002",
    section: "2025-11-25/basic/utilities/cancellation#behavior-requirements",
    sentence:
      "Receivers of cancellation notifications SHOULD stop processing the cancelled request and free associated resources.",
    era: "legacy",
  },
  {
    id: "U-003",
    section: "2025-11-25/basic/utilities/cancellation#behavior-requirements",
    sentence:
      "Receivers of cancellation notifications SHOULD not send a response for the cancelled request.",
    era: "legacy",
    status: "by-design",
    reason:
      "Through the proxy no response is sent. At /v1/sampling the POST ends with the error -499, which the sender ignores as the page asks of it.",
  },
  {
    id: "U-004",
    section: "2025-11-25/basic/utilities/cancellation#error-handling",
    sentence:
      "Invalid cancellation notifications SHOULD be ignored: unknown request IDs, already completed requests, malformed notifications.",
    era: "legacy",
  },
  {
    id: "U-005",
    section: "2025-11-25/basic/utilities/cancellation#timing-considerations",
    sentence:
      "Cancellation notifications may arrive after request processing has completed. Both parties MUST handle these race conditions gracefully.",
    era: "legacy",
  },
  {
    id: "U-006",
    section: "2025-11-25/basic/utilities/tasks#task-support-and-handling",
    sentence:
      "Receivers that do not declare the task capability for a request type MUST process requests of that type normally, ignoring any task-augmentation metadata if present.",
    era: "legacy",
  },
  {
    id: "U-007",
    section: "2025-11-25/basic/lifecycle#timeouts",
    sentence:
      "Implementations SHOULD establish timeouts for all sent requests, to prevent hung connections and resource exhaustion.",
    era: "both",
  },
  {
    id: "U-008",
    section: "2025-11-25/schema CreateMessageRequestParams._meta.progressToken",
    sentence:
      "The caller is requesting progress notifications. The receiver is not obligated to provide these notifications.",
    era: "legacy",
  },
];

const roundTrips: readonly Requirement[] = [
  {
    id: "R-001",
    section: "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
    sentence:
      "If a client receives an `InputRequiredResult` with `inputRequests`, the client MUST construct the requested inputs before retrying the original request.",
    era: "modern",
  },
  {
    id: "R-002",
    section: "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
    sentence:
      "The client MUST echo back the exact value of `requestState` when retrying the original request; without one, it MUST NOT include one.",
    era: "modern",
  },
  {
    id: "R-003",
    section: "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
    sentence:
      "Clients MUST NOT inspect, parse, modify, or make any assumptions about the `requestState` contents.",
    era: "modern",
  },
  {
    id: "R-004",
    section: "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
    sentence: "The JSON-RPC `id` MUST be different between the initial request and the retry.",
    era: "modern",
  },
  {
    id: "R-005",
    section: "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
    sentence:
      "`inputRequests` and `requestState` affect only the client's retry of the original request. They MUST NOT be used for any other request.",
    era: "modern",
  },
  {
    id: "R-006",
    section: "2026-07-28/basic#resulttype",
    sentence:
      'A `resultType` of any value unrecognized by the client MUST be considered invalid; clients MUST treat an absent `resultType` as "complete".',
    era: "modern",
  },
  {
    id: "R-007",
    section: "2026-07-28/client/sampling#error-handling",
    sentence:
      "If an error occurs or the user declines the sampling request, the client does not need to replay the initial call with an error message.",
    era: "modern",
  },
];

const modalities: readonly Requirement[] = [
  {
    id: "M-001",
    section: "SEP-2278, Behavior",
    sentence:
      'If `supportedModalities` is omitted, servers SHOULD assume only "text" is supported.',
    era: "both",
  },
  {
    id: "M-002",
    section: "SEP-2278, JSON Schema Change",
    sentence: 'The values are "text", "image" and "audio".',
    era: "both",
  },
  {
    id: "M-003",
    section: "SEP-2278, Behavior",
    sentence:
      "Servers SHOULD check `supportedModalities` before sending and avoid requesting content types the client does not support.",
    era: "both",
  },
  {
    id: "M-004",
    section: "SEP-2278, Behavior",
    sentence:
      "The values correspond to the existing content types in `CreateMessageResult.content`.",
    era: "both",
  },
  {
    id: "M-005",
    section: "SEP-2278, Schema Change",
    sentence:
      "`supportedModalities` is an optional field of the `sampling` capability in `ClientCapabilities`, declared in the `initialize` handshake.",
    era: "both",
  },
  {
    id: "M-006",
    section: "SEP-2278, Behavior",
    sentence:
      "Clients that support sampling SHOULD include `supportedModalities` to indicate which content types their LLM provider can produce.",
    era: "both",
  },
  {
    id: "M-007",
    section: "SEP-2278, Backward Compatibility",
    sentence:
      "Existing clients that don't include `supportedModalities` are unaffected; for text they still work.",
    era: "both",
  },
];

const negotiation: readonly Requirement[] = [
  {
    id: "N-001",
    section: "Content negotiation, declaring the extension",
    sentence:
      "Clients declare the extension during initialize, with `version` and `features`, under `capabilities.extensions`.",
    era: "both",
  },
  {
    id: "N-002",
    section: "Content negotiation, declaring the extension",
    sentence: "Servers advertise support with an empty object in their capabilities.",
    era: "both",
  },
  {
    id: "N-003",
    section: "Content negotiation, Fully Backward Compatible",
    sentence: "Clients and servers that do not implement it will continue to function as before.",
    era: "both",
  },
  {
    id: "N-004",
    section: "Content negotiation, Session-Scoped",
    sentence: "Negotiation happens once at initialization, not per-request.",
    era: "legacy",
  },
  {
    id: "N-005",
    section: "Content negotiation, Flexible Predicates",
    sentence: "Supports presence, negation, and equality syntax.",
    era: "both",
  },
  {
    id: "N-006",
    section: "Content negotiation, Secure",
    sentence:
      "Feature tags control content shape only, never auth/access; not for trust decisions, not for rate limiting.",
    era: "both",
  },
  {
    id: "N-007",
    section: "Content negotiation, feature tags",
    sentence:
      "The tags: agent, human, mcp-capable, interactive, sampling, elicitation, roots, tasks, verbosity=compact|standard|verbose, format=json|text|markdown, x-*.",
    era: "both",
  },
  {
    id: "N-008",
    section: "Content negotiation, feature tags",
    sentence: "verbosity: response length; omit or expand explanations.",
    era: "both",
  },
  {
    id: "N-009",
    section: "Content negotiation, feature tags",
    sentence: "format: output format; structured content or prose.",
    era: "both",
  },
  {
    id: "N-010",
    section: "Content negotiation, feature tags",
    sentence: "x-*: vendor-specific, custom implementations.",
    era: "both",
  },
  {
    id: "N-011",
    section: "Content negotiation, feature tags",
    sentence: "interactive / !interactive: gate elicitation-style prompts.",
    era: "both",
  },
  {
    id: "N-012",
    section: "Content negotiation, Session-Scoped",
    sentence:
      "In the modern era, which has no session, the declaration rides the per-request capabilities.",
    era: "modern",
  },
];

export const requirements: readonly Requirement[] = [
  ...sampling,
  ...capabilities,
  ...lifecycle,
  ...jsonRpc,
  ...http,
  ...utilities,
  ...roundTrips,
  ...modalities,
  ...negotiation,
];
