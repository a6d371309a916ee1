/** The two functions of js-base64 that libSQL's client calls. Named by `wrangler.toml` and `bundle.ts`. */
export {
  convertBase64ToUint8Array as toUint8Array,
  convertUint8ArrayToBase64 as fromUint8Array,
} from "@ai-sdk/provider-utils";
export * as Base64 from "./base64.ts";
