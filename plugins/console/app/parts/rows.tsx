/** A list of any length: only the rows in sight are in the page, and the next ones are loaded when the end comes near. */

import type { ListPage } from '@credence/client';
import { Box, Group, Loader, Table, Text } from '@mantine/core';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { Failure, Outdated } from './failure.tsx';
import { number } from './format.tsx';

const PAGE_SIZE = 100;
const ROW_HEIGHT = 45;
const ROWS_AHEAD = 10;

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
}

export type RowPages<Row> = UseInfiniteQueryResult<InfiniteData<ListPage<Row>>, Error>;

/** Reads a list of the API by cursors. `read` gets the fields that every page needs. */
export function useRowPages<Row>(
  key: readonly unknown[],
  read: (page: { readonly limit: number; readonly cursor: string }, signal: AbortSignal) => Promise<ListPage<Row>>,
  options: { readonly refetchInterval?: number | false; readonly enabled?: boolean } = {},
): RowPages<Row> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    ...options,
  });
}

interface PagedRowsProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly query: RowPages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string | number;
  /** What to do if there are none. */
  readonly empty: ReactNode;
}

/** A list that is read page by page. */
export function PagedRows<Row>({ query, ...table }: PagedRowsProps<Row>) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const rows = data.pages.flatMap((page) => page.data);
  const total = data.pages.at(-1)?.pagination.total ?? rows.length;
  return (
    <>
      <Outdated query={query} />
      <Rows {...table} rows={rows} onNearEnd={hasNextPage && !isFetchingNextPage ? fetchNextPage : undefined} />
      <Text size="sm" c="dimmed" role="status">
        {isFetchingNextPage ? 'Loading more' : `${number(rows.length)} of ${number(total)} loaded`}
      </Text>
    </>
  );
}

interface RowsProps<Row> extends Omit<PagedRowsProps<Row>, 'query'> {
  readonly rows: readonly Row[];
  readonly onNearEnd?: (() => unknown) | undefined;
}

/** Rows that are at hand already. */
export function Rows<Row>({ label, rows, columns, rowKey, empty, onNearEnd }: RowsProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
  });
  const shown = list.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const isNearEnd = rows.length > 0 && last >= rows.length - ROWS_AHEAD;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, onNearEnd]);
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  const above = shown[0]?.start ?? 0;
  const below = list.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // Scrolled by keys too.
    <Box component="section" className="rows" ref={frame} tabIndex={0} aria-label={`Rows: ${label}`}>
      {/* On a phone every row is a card; browsers then forget the roles of a table unless they are said. */}
      <Table striped highlightOnHover role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ header }) => (
              <Table.Th key={header} scope="col" role="columnheader">
                {header}
              </Table.Th>
            ))}
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
              >
                {columns.map(({ header, cell }) => (
                  <Table.Td key={header} role="cell" data-header={header}>
                    {cell(row)}
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

/** Stands for the rows that are out of sight. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <Table.Tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </Table.Tr>
  );
}

function Loading() {
  return (
    <Group role="status">
      <Loader size="sm" />
      <Text>Loading</Text>
    </Group>
  );
}
