/** Reads of the API by the name of an operation: the name and its input are the place of the answer in the cache too. */
import { type CallOptions, CredenceApiError, type CredenceClient, type ListPage } from '@credence/client';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useClient } from '../session.tsx';
import type { RowPages } from './paged-rows.tsx';

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
