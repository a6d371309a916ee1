/** A model's name as one or two characters: its place in the list of models. */
import { digit, digits, type DigitReader } from "./digits.ts";
import { listedModels } from "./listed-models.ts";

export interface ModelName {
  provider: string;
  model: string;
}

/** Characters that never begin a model's code. */
export const marks = digits.slice(0, 9) + digits.slice(-1);
const leads = digits.slice(9, -1);
/** So many leads are a code of their own; each of the others has a second character. */
const singles = 76;

const codeAt = (at: number): string => {
  if (at < singles) return leads[at] ?? "";
  const [row, column] = [
    Math.floor((at - singles) / digits.length),
    (at - singles) % digits.length,
  ];
  return `${leads[singles + row] ?? ""}${digit(column)}`;
};

const codes = new Map<string, string>(listedModels.map((name, at) => [name, codeAt(at)]));
const names: ModelName[] = listedModels.map((name) => {
  const at = name.indexOf(" ");
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
});

/** undefined: the list has no such model */
export const modelCode = ({ provider, model }: ModelName): string | undefined =>
  codes.get(`${provider} ${model}`);

/** Throws where the list has no model at that place. */
export function readModel(reader: DigitReader): ModelName {
  const lead = leads.indexOf(reader.character());
  const at = lead < singles ? lead : singles + (lead - singles) * digits.length + reader.digit();
  const name = names[at];
  if (name === undefined) throw new SyntaxError("a model that is not listed");
  return { ...name };
}
