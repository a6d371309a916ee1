/** wrangler, esbuild and vitest give a file of SQL as its text. */
declare module "*.sql" {
  const text: string;
  export default text;
}
