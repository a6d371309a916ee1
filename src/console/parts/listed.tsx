import { There } from "./notice.tsx";
import { Steps, type Paging } from "./pages.tsx";
import { Table, type TableProps } from "./table.tsx";

interface ListedProps<Row> extends Omit<TableProps<Row>, "rows" | "foot"> {
  what: string;
  paging: Paging<Row>;
  isShown?: (row: Row) => boolean;
}

export function Listed<Row>({ what, paging, isShown, ...table }: ListedProps<Row>) {
  const { loading, cursor, go } = paging;
  return (
    <There what={what} loading={loading}>
      {({ data, nextCursor }) => (
        <Table
          {...table}
          rows={isShown === undefined ? data : data.filter(isShown)}
          foot={<Steps cursor={cursor} next={nextCursor} go={go} />}
        />
      )}
    </There>
  );
}
