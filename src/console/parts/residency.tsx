import { Fields, type FieldOf } from "./fields.tsx";

const regions = [
  ["", "Near its first caller"],
  ["wnam", "Western North America"],
  ["enam", "Eastern North America"],
  ["sam", "South America"],
  ["weur", "Western Europe"],
  ["eeur", "Eastern Europe"],
  ["apac", "Asia and the Pacific"],
  ["apac-ne", "North-east Asia"],
  ["apac-se", "South-east Asia"],
  ["oc", "Oceania"],
  ["afr", "Africa"],
  ["me", "Middle East"],
] as const;
const jurisdictions = [
  ["", "None"],
  ["eu", "European Union"],
  ["us", "United States"],
  ["fedramp", "FedRAMP"],
  ["fedramp-high", "FedRAMP High"],
] as const;
export interface Place {
  region: (typeof regions)[number][0];
  jurisdiction: (typeof jurisdictions)[number][0];
}
export const anywhere: Place = { region: "", jurisdiction: "" };

const fields: readonly FieldOf<Place>[] = [
  {
    name: "region",
    title: "Region",
    options: regions,
    hint: "Its database is created near this region.",
  },
  {
    name: "jurisdiction",
    title: "Jurisdiction",
    options: jurisdictions,
    hint: "Its data stays there.",
  },
];

/** Routers without placement reject both. */
export const Residency = (its: { draft: Place; change: (changes: Partial<Place>) => void }) => (
  <details>
    <summary>Data location (can’t be changed later)</summary>
    <Fields of={fields} {...its} />
  </details>
);
