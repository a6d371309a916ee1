/** Errors of the API are shown with what the user can do next. */
import { expect, it } from "vitest";
import { problemOf } from "../../../src/console/problem.ts";

it.each([
  ["Invalid params", "name", "Invalid params: name: Expected at most 200 characters."],
  ["Invalid params", "name", "Expected at most 200 characters."],
  ["Conflict", undefined, "Conflict: Expected at most 200 characters."],
])("a refusal %s of %s says its title and its place once", (title, path, detail) => {
  expect(problemOf(400, { title, path, detail })).toMatchObject({
    title,
    detail: "Expected at most 200 characters.",
  });
});

it.each([
  ["Unavailable: the database does not answer.", "The database does not answer."],
  ["Unavailable: openai/gpt-5 does not answer.", "openai/gpt-5 does not answer."],
])("%s is a sentence without its title, and begins no name with a capital", (detail, shown) => {
  expect(problemOf(503, { title: "Unavailable", detail }).detail).toBe(shown);
});
