/** Requests to AWS are signed as its published vectors say. */
import { AwsV4Signer } from "aws4fetch";
import { describe, expect, it } from "vitest";

/** Source: AWS Signature Version 4 test suite, aws-sig-v4-test-suite.zip */
const suite = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "service",
  datetime: "20150830T123600Z",
};

describe("AWS's published vectors", () => {
  it.each([
    [
      "get-vanilla",
      { url: "https://example.amazonaws.com/" },
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ],
    [
      "get-vanilla-query-order-key-case",
      { url: "https://example.amazonaws.com/?Param2=value2&Param1=value1" },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "post-vanilla",
      { url: "https://example.amazonaws.com/", method: "POST" },
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "post-x-www-form-urlencoded",
      {
        url: "https://example.amazonaws.com/",
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
