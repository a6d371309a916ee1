import { z } from "zod";
import { err, ok, type Result } from "../domain/result.ts";

/** A local router, called without a proxy. */
export interface Answering {
  request(
    path: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<{ status: number; text: string }>;
}

export interface Answered {
  status: number;
  text: string;
}

export interface Admin {
  call(method: string, path: string, body?: object): Promise<Answered>;
  list<T>(path: string, item: z.ZodType<T>): Promise<Result<T[], string>>;
}

/** Concurrent launchers that seed one database may conflict briefly. */
const tries = 6;
const pauseMs = 300;

export const unexpected = (what: string, { status, text }: Answered): string =>
  `${what} was answered ${status}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`;

export function createAdmin(router: Answering, token: string): Admin {
  const call = async (method: string, path: string, body?: object): Promise<Answered> => {
    for (let left = tries; ; left -= 1) {
      const answer = await router.request(`/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (answer.status !== 503 || left <= 1) return answer;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  return {
    call,
    async list(path, item) {
      const page = z.object({ data: z.array(item), nextCursor: z.string().nullable() });
      const items: z.infer<typeof item>[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
        const answer = await call("GET", `${path}${query}`);
        if (answer.status !== 200) return err(unexpected(`GET ${path}`, answer));
        const parsed = page.parse(JSON.parse(answer.text));
        items.push(...parsed.data);
        cursor = parsed.nextCursor;
      }
      return ok(items);
    },
  };
}
