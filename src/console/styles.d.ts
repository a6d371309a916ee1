/** The build inlines styles as text. */
declare module "*.css" {
  const text: string;
  export default text;
}
