import { There } from "./notice.tsx";
import { Steps, type Paging } from "./pages.tsx";
import { Table, type TableProps } from "./table.tsx";

interface ListedProps<Row> extends Omit<TableProps<Row>, "rows" | "foot"> {
  what: string;
  paging: Paging<Row>;
  /** the rows that match a filter */
  keep?: ((row: Row) => boolean) | undefined;
}

export function Listed<Row>({ what, paging, keep, ...table }: ListedProps<Row>) {
  const { loading, cursor, go } = paging;
  return (
    <There what={what} loading={loading}>
      {({ data, nextCursor }) => (
        <Table
          {...table}
          rows={keep === undefined ? data : data.filter(keep)}
          foot={<Steps cursor={cursor} next={nextCursor} go={go} />}
        />
      )}
    </There>
  );
}
