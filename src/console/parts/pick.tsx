import { Button } from "./card.tsx";

/** A row of buttons, one of which is pressed. */
interface PickProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  onPick: (value: string) => void;
}

export const Pick = ({ label, value, options, onPick }: PickProps) => (
  <span class="choices" role="group" aria-label={label}>
    {options.map(([each, title]) => (
      <Button key={each} class="quiet" aria-pressed={each === value} onClick={() => onPick(each)}>
        {title}
      </Button>
    ))}
  </span>
);
