/** A server written with the official SDK v2, whose tool begins tasks (io.modelcontextprotocol/tasks). Its ids can be guessed. */
import { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import * as z from "zod";
import { listenWith, type SdkServer } from "./sdk-server.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

const inputs = {
  llm: {
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "hi" } }],
      maxTokens: 50,
    },
  },
  name: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    },
  },
} as const;
/** What a task asks for, by the tool's argument. */
const asking: Record<string, (keyof typeof inputs)[]> = {
  nothing: [],
  sampling: ["llm"],
  both: ["llm", "name"],
  name: ["name"],
};

interface Job {
  asks: (keyof typeof inputs)[];
  answers: Record<string, unknown>;
  isCancelled: boolean;
}

function build(jobs: Map<string, Job>): McpServer {
  const server = new McpServer(
    { name: "tasks", version: "1" },
    { capabilities: { extensions: { [tasksExtension]: {} } } },
  );
  const times = { createdAt: "2026-11-27T00:00:00Z", lastUpdatedAt: "2026-11-27T00:00:00Z" };
  const common = { ...times, ttlMs: null, pollIntervalMs: 50 };
  server.registerTool(
    "job",
    { inputSchema: z.object({ q: z.string() }) },
    async ({ q }): Promise<never> => {
      const taskId = `task-${jobs.size + 1}`;
      jobs.set(taskId, { asks: [...(asking[q] ?? [])], answers: {}, isCancelled: false });
      return { resultType: "task", taskId, status: "working", ...common, content: [] } as never;
    },
  );
  const jobOf = (taskId: string): Job => {
    const job = jobs.get(taskId);
    if (job === undefined) throw new ProtocolError(-32602, `Unknown task: ${taskId}`);
    return job;
  };
  const params = z.looseObject({ taskId: z.string() });
  server.server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
    const { asks, answers, isCancelled } = jobOf(taskId);
    const open = asks.filter((name) => answers[name] === undefined);
    const task = { taskId, ...common };
    if (isCancelled) return { ...task, status: "cancelled" };
    if (open.length > 0)
      return {
        ...task,
        status: "input_required",
        inputRequests: Object.fromEntries(open.map((name) => [name, inputs[name]])),
      };
    const text = JSON.stringify(answers);
    const result = { resultType: "complete", content: [{ type: "text", text }] };
    return { ...task, status: "completed", result };
  });
  server.server.setRequestHandler("tasks/update", { params }, ({ taskId }, ctx) => {
    Object.assign(jobOf(taskId).answers, ctx.mcpReq.inputResponses);
    return {};
  });
  server.server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    jobOf(taskId).isCancelled = true;
    return {};
  });
  return server;
}

export async function startTaskServer(): Promise<SdkServer & { jobs: Map<string, Job> }> {
  const jobs = new Map<string, Job>();
  const handler = createMcpHandler(() => build(jobs), { legacy: "reject" });
  const listening = await listenWith(handler.fetch);
  return {
    ...listening,
    jobs,
    async stop() {
      await Promise.all([listening.stop(), handler.close()]);
    },
  };
}
