/** A list as CSV has a column for each member, also without rows. */
import { z } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { csvResponse, isCsvAsked, rowSchemaOf } from "../../../src/http/admin/csv-list.ts";

const row = z.object({
  id: z.string(),
  took: z.object({ p50: z.int() }).nullable().optional(),
  scopes: z.array(z.string()),
  isOn: z.boolean(),
});
const list = z.object({ data: z.array(row), nextCursor: z.string().nullable() });

describe("a list as CSV", () => {
  it("has a column for each member of a row, and of the objects in it", async () => {
    const data = [
      { id: "a", took: { p50: 5 }, scopes: ["x", "y"], isOn: true, secret: "no column" },
      { id: "b", took: null, scopes: [], isOn: false },
    ];
    const response = csvResponse({ data, nextCursor: "b" }, row, "rows");
    expect(await response.text()).toBe(
      'id,took.p50,scopes,isOn\r\na,5,"[""x"",""y""]",true\r\nb,,[],false\r\n',
    );
    expect(response.headers.get("X-Next-Cursor")).toBe("b");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="rows.csv"');
  });

  it.each(["=1+1", "+1", "-1", "@sum", "\t=1", " =1"])(
    "gives a spreadsheet no formula from %j",
    async (id) => {
      const response = csvResponse({ data: [{ id, scopes: [], isOn: true }] }, row, "rows");
      expect((await response.text()).split("\r\n")[1]).toMatch(/^"?'/);
    },
  );

  it("has its columns also where no row is", async () => {
    const response = csvResponse({ data: [], nextCursor: null }, row, "rows");
    expect(await response.text()).toBe("id,took.p50,scopes,isOn\r\n");
    expect(response.headers.get("X-Next-Cursor")).toBeNull();
  });

  it("is given of lists alone", () => {
    expect(rowSchemaOf(list)).toBe(row);
    expect(rowSchemaOf(row)).toBeNull();
    expect(rowSchemaOf(undefined)).toBeNull();
  });

  it.each<[format: unknown, accept: string | undefined, isCsv: boolean]>([
    ["csv", "application/json", true],
    ["json", "text/csv", false],
    [undefined, undefined, false],
    [undefined, "*/*", false],
    [undefined, "Text/CSV; q=0.9, */*", true],
    [undefined, "text/csv;q=0, */*", false],
    [undefined, "application/json, text/csv", false],
  ])("is asked for by format %j and Accept %j: %s", (format, accept, isCsv) => {
    expect(isCsvAsked(format, accept)).toBe(isCsv);
  });
});
