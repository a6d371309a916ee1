import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/store/schema.ts",
    "./src/store/server-schema.ts",
    "./src/store/intercepted-schema.ts",
  ],
  out: "./migrations",
});
