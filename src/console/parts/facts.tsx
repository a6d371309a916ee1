import { Fragment, type ComponentChildren } from "preact";

/** `false`: left out */
export type Fact = readonly [title: string, value: ComponentChildren] | false;

export const Facts = ({ of }: { of: readonly Fact[] }) => (
  <dl class="facts">
    {of.map((fact) => {
      if (fact === false) return null;
      const [title, value] = fact;
      return (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </Fragment>
      );
    })}
  </dl>
);
