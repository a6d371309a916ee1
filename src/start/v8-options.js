/**
 * V8's options, with the figures in docs/benchmarks.md. Its code cache depends on them, so that what builds the
 * cache and what reads it import this first.
 */
import process from "node:process";
import v8 from "node:v8";

v8.setFlagsFromString("--no-maglev");
// Functions that run once per call are optimized after 1,000 calls instead of 3,000. Older versions of V8 lack the option.
if (Number.parseInt(process.versions.v8, 10) >= 12)
  v8.setFlagsFromString("--invocation-count-for-turbofan=1000");
