/** Tables whose rows are read page by page: what is in sight is read again, the rest is kept. */
import type { ListPage } from '@credence/client';
import { Box, Table, Text, UnstyledButton } from '@mantine/core';
import { type QueryClient, queryOptions, type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Failure, Outdated } from './failure.tsx';
import { number } from './format.tsx';
import { entryNumber } from './location.ts';
import { Answered, Loading } from './page.tsx';

const PAGE_SIZE = 100;
const ROW_HEIGHT = 45;
const ROWS_AHEAD = 10;
/** Pages that were read stay for as long as somebody may come back to them. */
const KEPT_MS = 30 * 60_000;

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the header sorts by when it is pressed first; the other way then. A minus sign means descending. */
  readonly sort?: string;
}

interface Sorting {
  readonly by: string;
  readonly set: (by: string) => void;
}

/** A list of the API. */
export interface RowPages<Row> {
  readonly key: readonly unknown[];
  /** `page` has the fields that every page needs. */
  readonly read: (
    page: { readonly limit: number; readonly cursor: string },
    signal: AbortSignal,
  ) => Promise<ListPage<Row>>;
  /** How often what is in sight is read again. */
  readonly refetchInterval?: (() => number) | false;
}

interface PagedRowsProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly list: RowPages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string | number;
  /** Of lists that can be sorted. */
  readonly sorting?: Sorting;
  /** What to do if there are none. */
  readonly empty: ReactNode;
}

interface KnownPage<Row> {
  readonly cursor: string;
  readonly from: number;
  readonly page: ListPage<Row>;
}

/** A list that is read page by page. Only pages in sight are asked for, however many are known. */
export function PagedRows<Row>({ list, ...table }: PagedRowsProps<Row>) {
  const cache = useQueryClient();
  const [[first, last], setSight] = useState<readonly [first: number, last: number]>([0, 0]);
  const { known, next } = knownPages(cache, list);
  const count = known.reduce((sum, { page }) => sum + page.data.length, 0);
  // An empty page is looked at too: it may have rows by now.
  const inSight = known.filter(({ from, page }) => from <= last && from + Math.max(page.data.length, 1) > first);
  const wantsMore = next !== null && last >= count - ROWS_AHEAD;
  const cursors = [...inSight.map(({ cursor }) => cursor), ...(wantsMore ? [next] : [])];
  const results = useQueries({
    queries: cursors.map((cursor) => pageQuery(list, cursor)),
  });
  const failed = results.find(({ error }) => error !== null);
  const retry = () => void Promise.all(results.map((result) => result.refetch()));
  const read = known.flatMap(({ page }) => page.data);
  const before = useRef<readonly Row[]>(null);
  useEffect(() => {
    if (known.length > 0) before.current = read;
  });
  // The rows of other filters stay until these are here, and with them the header that was pressed.
  const rows = known.length > 0 ? read : before.current;
  if (known.length === 0 && failed?.error) return <Failure error={failed.error} onRetry={retry} />;
  if (rows === null) return <Loading />;
  const total = inSight.at(-1)?.page.pagination.total ?? count;
  return (
    <>
      {failed && <Outdated query={failed} />}
      <Rows {...table} rows={rows} onSight={setSight} />
      <Text size="sm" c="dimmed" role="status">
        {wantsMore && failed === undefined ? 'Loading more' : `${number(count)} of ${number(total)} loaded`}
      </Text>
    </>
  );
}

function pageQuery<Row>(list: RowPages<Row>, cursor: string) {
  return queryOptions({
    queryKey: [...list.key, 'page', cursor],
    queryFn: ({ signal }) => list.read({ limit: PAGE_SIZE, cursor }, signal),
    gcTime: KEPT_MS,
    refetchInterval: list.refetchInterval ?? false,
  });
}

/** For `useQuery`, where the total of a list is needed beside its table. */
export const firstPage = <Row,>(list: RowPages<Row>) => pageQuery(list, '');

/** The pages that were read, in order, and the cursor of the one after them; null if there is none. */
function knownPages<Row>(cache: QueryClient, list: RowPages<Row>) {
  const known: KnownPage<Row>[] = [];
  let next: string | null = '';
  let from = 0;
  while (next !== null) {
    const page: ListPage<Row> | undefined = cache.getQueryData([...list.key, 'page', next]);
    if (page === undefined) break;
    known.push({ cursor: next, from, page });
    from += page.data.length;
    next = page.pagination.nextCursor ?? null;
  }
  return { known, next };
}

type Scrolled = readonly [offset: number, sizes: VirtualItem[], pressed: number | null];

/** Where each table was scrolled to, how high its rows were and which was pressed, by entry of the history and name of the table. */
const scrolled = new Map<string, Scrolled>();

interface RowsProps<Row> extends Omit<PagedRowsProps<Row>, 'list'> {
  readonly rows: readonly Row[];
  /** Told which rows are in sight. */
  readonly onSight?: ((rows: readonly [first: number, last: number]) => void) | undefined;
}

interface AnsweredRowsProps<Row> extends Omit<RowsProps<Row>, 'rows' | 'onSight'> {
  readonly query: UseQueryResult<readonly Row[], Error>;
  /** Which of them are shown; all by default. */
  readonly keep?: (row: Row) => boolean;
}

/** A list that is read whole. */
export function AnsweredRows<Row>({ query, keep = () => true, ...table }: AnsweredRowsProps<Row>) {
  return <Answered query={query}>{(rows) => <Rows {...table} rows={rows.filter(keep)} />}</Answered>;
}

/** Rows that are at hand already. */
export function Rows<Row>({ label, rows, columns, rowKey, sorting, empty, onSight }: RowsProps<Row>) {
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
            {columns.map(({ header, sort }) =>
              sort === undefined || sorting === undefined ? (
                <Table.Th key={header} scope="col" role="columnheader">
                  {header}
                </Table.Th>
              ) : (
                <SortHeader
                  key={header}
                  header={header}
                  first={sort}
                  by={sorting.by}
                  set={(by) => {
                    frame.current?.scrollTo({ top: 0 });
                    sorting.set(by);
                  }}
                />
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {above > 0 && <Spacer height={above} columns={columns.length} />}
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
                {columns.map(({ header, cell }) => (
                  <Table.Td key={header} role="cell" data-header={header}>
                    {/* One box: on a phone it stands beside its header. */}
                    <div>{cell(row)}</div>
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
          {below > 0 && <Spacer height={below} columns={columns.length} />}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function SortHeader({ header, first, by, set }: Sorting & { readonly header: string; readonly first: string }) {
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
