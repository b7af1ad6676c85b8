/** Tables of any length: only the rows in sight are drawn, and Back finds them again. */
import { Box, Table, Text, UnstyledButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { entryNumber } from './location.ts';
import { Answered, TitleAround } from './page.tsx';

const ROW_HEIGHT = 45;
/** As many are drawn beyond those in sight, and asked for before they are. */
export const ROWS_AHEAD = 10;

/** What each column shows of a row, by its header. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ReactNode>>;

interface Sorting {
  /** What a header sorts by when it is pressed first; the other way then. A minus sign means descending. */
  readonly headers: Readonly<Record<string, string>>;
  readonly by: string;
  readonly set: (by: string) => void;
}

export interface TableProps<Row> {
  /** Names the table for screen readers; the title around by default. */
  readonly label?: string;
  readonly columns: Columns<Row>;
  readonly rowKey: (row: Row) => string | number;
  /** Of lists that can be sorted. */
  readonly sorting?: Sorting;
  /** What to do if there are none. */
  readonly empty: ReactNode;
}

type Scrolled = readonly [offset: number, sizes: VirtualItem[], pressed: number | null];

/** Where each table was scrolled to, how high its rows were and which was pressed, by entry of the history and name of the table. */
const scrolled = new Map<string, Scrolled>();

interface RowsProps<Row> extends TableProps<Row> {
  readonly rows: readonly Row[];
  /** Told which rows are in sight. */
  readonly onSight?: ((rows: readonly [first: number, last: number]) => void) | undefined;
}

interface AnsweredRowsProps<Row> extends TableProps<Row> {
  readonly query: UseQueryResult<readonly Row[], Error>;
  /** Which of them are shown; all by default. */
  readonly keep?: (row: Row) => boolean;
}

/** A list that is read whole. */
export function AnsweredRows<Row>({ query, keep = () => true, ...table }: AnsweredRowsProps<Row>) {
  return <Answered query={query}>{(rows) => <Rows {...table} rows={rows.filter(keep)} />}</Answered>;
}

/** Rows that are at hand already. */
export function Rows<Row>({ label: own, rows, columns, rowKey, sorting, empty, onSight }: RowsProps<Row>) {
  const around = useContext(TitleAround);
  const label = own ?? around;
  const frame = useRef<HTMLElement>(null);
  const [place] = useState(() => `${entryNumber()} ${label}`);
  const [[offset, sizes, before]] = useState<Scrolled>(() => scrolled.get(place) ?? [0, [], null]);
  const pressed = useRef<number>(null);
  const [kept, setKept] = useState(before);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
    initialOffset: offset,
    initialMeasurementsCache: sizes,
  });
  // The offset alone finds other rows: those above have an estimated height until they are shown again.
  useEffect(() => {
    return () => void scrolled.set(place, [list.scrollOffset ?? 0, list.takeSnapshot(), pressed.current]);
  }, [place, list]);
  // After Back the row that was pressed keeps its place until somebody scrolls; else the first one in sight does.
  list.shouldAdjustScrollPositionOnItemSizeChange = kept === null ? undefined : ({ index }) => index < kept;
  const letGo = () => setKept(null);
  const shown = list.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => onSight?.([first, last]), [first, last, onSight]);
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  const headers = Object.keys(columns);
  const sortBy = (by: string) => {
    frame.current?.scrollTo({ top: 0 });
    sorting?.set(by);
  };
  const above = shown[0]?.start ?? 0;
  const below = list.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // Scrolled by keys too.
    <Box
      component="section"
      className="rows"
      ref={frame}
      tabIndex={0}
      aria-label={`Rows: ${label}`}
      onWheel={letGo}
      onPointerDown={letGo}
      onTouchMove={letGo}
      onKeyDown={letGo}
    >
      {/* On a phone every row is a card; browsers then forget the roles of a table unless they are said. */}
      <Table striped highlightOnHover role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {headers.map((header) => {
              const first = sorting?.headers[header];
              return sorting === undefined || first === undefined ? (
                <Table.Th key={header} scope="col" role="columnheader">
                  {header}
                </Table.Th>
              ) : (
                <SortHeader key={header} header={header} first={first} by={sorting.by} set={sortBy} />
              );
            })}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {above > 0 && <Spacer height={above} columns={headers.length} />}
          {shown.map(({ index }) => {
            const row = rows[index] as Row;
            return (
              <Table.Tr
                key={rowKey(row)}
                role="row"
                data-index={index}
                ref={list.measureElement}
                aria-rowindex={index + 2}
                onClickCapture={() => {
                  pressed.current = index;
                }}
              >
                {Object.entries(columns).map(([header, cell]) => (
                  <Table.Td key={header} role="cell" data-header={header}>
                    {/* One box: on a phone it stands beside its header. */}
                    <div>{cell(row)}</div>
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
          {below > 0 && <Spacer height={below} columns={headers.length} />}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

interface SortHeaderProps extends Omit<Sorting, 'headers'> {
  readonly header: string;
  readonly first: string;
}

function SortHeader({ header, first, by, set }: SortHeaderProps) {
  const other = first.startsWith('-') ? first.slice(1) : `-${first}`;
  const direction = by !== first && by !== other ? 'none' : by.startsWith('-') ? 'descending' : 'ascending';
  const arrow = { none: '', ascending: ' ▲', descending: ' ▼' }[direction];
  return (
    <Table.Th scope="col" role="columnheader" aria-sort={direction}>
      <UnstyledButton className="sort" onClick={() => set(by === first ? other : first)}>
        {header}
        <span aria-hidden>{arrow}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

/** Stands for the rows that are out of sight. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <Table.Tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </Table.Tr>
  );
}
