/** Requests to AWS are signed as its published vectors say. */
import { AwsV4Signer } from "aws4fetch";
import { describe, expect, it } from "vitest";

/**
 * AWS's Signature Version 4 test suite, compared with AWS's own copy:
 * https://github.com/smithy-lang/smithy-typescript, packages/signature-v4/src/suite.fixture.ts (Apache-2.0).
 */
const suite = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "service",
  datetime: "20150830T123600Z",
};
const root = "https://example.amazonaws.com/";
const unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const sessionToken =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

describe("AWS's published vectors", () => {
  it.each([
    [
      "get-vanilla",
      { url: root },
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ],
    [
      "get-vanilla-query-order-key-case",
      { url: `${root}?Param2=value2&Param1=value1` },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-vanilla-query-unreserved",
      { url: `${root}?${unreserved}=${unreserved}` },
      "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ],
    [
      "get-vanilla-utf8-query",
      { url: `${root}?ሴ=bar` },
      "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ],
    [
      "get-unreserved",
      { url: `${root}${unreserved}` },
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ],
    [
      "get-utf8",
      { url: `${root}ሴ`, singleEncode: true },
      "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    ],
    [
      "get-header-key-duplicate",
      { url: root, headers: { "my-header1": "value2,value2,value1" } },
      "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    ],
    [
      "get-header-value-trim",
      { url: root, headers: { "my-header1": "value1", "my-header2": '"a   b   c"' } },
      "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ],
    [
      "post-vanilla",
      { url: root, method: "POST" },
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "post-header-value-case",
      { url: root, method: "POST", headers: { "my-header1": "VALUE1" } },
      "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    ],
    [
      "post-sts-header-before",
      { url: root, method: "POST", sessionToken },
      "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    ],
    [
      "post-x-www-form-urlencoded",
      {
        url: root,
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        allHeaders: true,
        body: "Param1=value1",
      },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ])("%s", async (_, request, signature) => {
    expect(await new AwsV4Signer({ ...suite, ...request }).signature()).toBe(signature);
  });
});
