/** The build makes a text of all that the file imports. */
declare module "*.css" {
  const text: string;
  export default text;
}
