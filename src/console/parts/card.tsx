import type { JSX } from "preact";

/** Doesn't submit a form. */
export const Button = (props: JSX.IntrinsicElements["button"]) => (
  <button type="button" {...props} />
);

type CardProps = JSX.IntrinsicElements["section"] & { title: string; isStack?: true };

export const Card = ({ title, isStack, children, ...rest }: CardProps) => (
  <section class={isStack === true ? "card stack" : "card"} {...rest}>
    <h2>{title}</h2>
    {children}
  </section>
);
