/** Checks the machine. Plain JavaScript, so that any Node can report which version is needed. */
import process from "node:process";

const minNode = [22, 15];
/** Platforms of the embedded database. */
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

/** @returns what is missing, in words */
export function problemWithMachine() {
  const { node } = process.versions;
  const [major, minor] = node.split(".").map(Number);
  const [minMajor, minMinor] = minNode;
  if (major < minMajor || (major === minMajor && minor < minMinor))
    return `Node ${minNode.join(".")} or later is required, but this is ${node}`;
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform))
    return `${platform} is not supported: the embedded database runs on ${platforms.join(", ")}`;
  return null;
}
