import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/store/schema.ts", "./src/store/server-schema.ts"],
  out: "./migrations",
});
