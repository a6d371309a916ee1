import { Choice } from "./form.tsx";

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

/** Routers without placement reject both. */
export function Residency({ place, onInput }: { place: Place; onInput: (place: Place) => void }) {
  return (
    <details>
      <summary>Data location (can’t be changed later)</summary>
      <Choice
        title="Region"
        name="region"
        value={place.region}
        options={regions}
        onInput={(region) => onInput({ ...place, region })}
        hint="Its database is created near this region."
      />
      <Choice
        title="Jurisdiction"
        name="jurisdiction"
        value={place.jurisdiction}
        options={jurisdictions}
        onInput={(jurisdiction) => onInput({ ...place, jurisdiction })}
        hint="Its data stays there."
      />
    </details>
  );
}
