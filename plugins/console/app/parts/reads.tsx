/**
 * Reads of the API by the name of an operation: the name and its input are the place of the answer in the cache too. Tables whose
 * rows are read page by page: what is in sight is read again, the rest is kept.
 */
import { type CallOptions, CredenceApiError, type CredenceClient, type ListPage } from '@credence/client';
import { Text } from '@mantine/core';
import {
  type QueryClient,
  queryOptions,
  type UseQueryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../session.tsx';
import { Failure, Outdated } from './failure.tsx';
import { number } from './format.tsx';
import { Loading } from './page.tsx';
import { ROWS_AHEAD, Rows, type TableProps } from './rows.tsx';

type Groups = { readonly [Group in keyof CredenceClient & string]: keyof CredenceClient[Group] & string };
/** As `campaigns.get`. */
type Name = { [Group in keyof Groups]: `${Group}.${Groups[Group]}` }[keyof Groups];
type OperationOf<Of extends Name> = Of extends `${infer Group extends keyof Groups}.${infer Operation}`
  ? CredenceClient[Group][Operation & keyof CredenceClient[Group]]
  : never;
type InputOf<Of extends Name> =
  OperationOf<Of> extends (input: infer Input, options?: CallOptions) => unknown ? NonNullable<Input> : never;
type AnswerOf<Of extends Name> =
  OperationOf<Of> extends (input: never, options?: CallOptions) => PromiseLike<infer Answer> ? Answer : never;
type RowOf<Of extends Name> = AnswerOf<Of> extends ListPage<infer Row> ? Row : never;

type Call<Answer> = (input: object, options: CallOptions) => Promise<Answer>;

function useCall<Of extends Name>(name: Of): Call<AnswerOf<Of>> {
  const client = useClient();
  const [group, operation] = name.split('.') as [keyof CredenceClient, never];
  return client[group][operation];
}

type ReadOptions<Answer, Data> = Omit<UseQueryOptions<Answer, Error, Data>, 'queryKey' | 'queryFn'>;

/** What an operation answers. */
export function useRead<Of extends Name, Data = AnswerOf<Of>>(
  name: Of,
  input: InputOf<Of>,
  options: ReadOptions<AnswerOf<Of>, Data> = {},
) {
  const call = useCall(name);
  return useQuery({ ...options, queryKey: [name, input], queryFn: ({ signal }) => call(input, { signal }) });
}

/** The same of what may not be there yet: null then. */
export function useReadIfFound<Of extends Name>(name: Of, input: InputOf<Of>) {
  const call = useCall(name);
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) =>
      call(input, { signal }).catch((error: unknown) => {
        if (error instanceof CredenceApiError && error.status === 404) return null;
        throw error;
      }),
  });
}

type PageFields = keyof Parameters<RowPages<never>['read']>[0];

/** How many rows a list has. */
export function useTotal<Of extends Name>(name: Of, input: Omit<InputOf<Of>, PageFields>) {
  const call = useCall(name) as Call<ListPage<unknown>>;
  return useQuery({
    queryKey: [name, input, 'total'],
    queryFn: async ({ signal }) => (await call({ ...input, limit: 1 }, { signal })).pagination.total,
  });
}

/** The rows of a list that is read page by page. */
export function useList<Of extends Name>(
  name: Of,
  input: Omit<InputOf<Of>, PageFields>,
  refetchInterval: RowPages<never>['refetchInterval'] = false,
): RowPages<RowOf<Of>> {
  const call = useCall(name) as Call<ListPage<RowOf<Of>>>;
  return { key: [name, input], read: (page, signal) => call({ ...input, ...page }, { signal }), refetchInterval };
}

const PAGE_SIZE = 100;
/** Pages that were read stay for as long as somebody may come back to them. */
const KEPT_MS = 30 * 60_000;

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

interface PagedRowsProps<Row> extends TableProps<Row> {
  readonly list: RowPages<Row>;
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

/** Where something of a list is needed beside its table, as its total. Undefined: it was not read yet. */
export const useFirstPage = <Row,>(list: RowPages<Row>) => useQuery(pageQuery(list, '')).data;

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
