/** The build inlines styles as text. */
declare module "*.css" {
  const text: string;
  export default text;
}

/** The name of the verifier's file, beside the script. */
declare module "audit-verifier" {
  const file: string;
  export default file;
}
