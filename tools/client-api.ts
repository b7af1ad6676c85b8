/**
 * `npm run generate:client`: writes from the OpenAPI document the types and the operations of `@credence/client`, and the types of
 * operations in process; and from its schema those of the configuration. The files are not committed: builds and checks write them, and tests do if the routes are newer.
 */
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { ApiDocument, Found, Schema } from '../hosts/cli/operations.ts';
import { Writer } from './client-writer.ts';
import { configTypes } from './config-types.ts';
import { ROOT } from './workspaces.ts';

const FILE = `${ROOT}plugins/client/api.ts`;
const IN_PROCESS = `${ROOT}plugins/compose/api-types.ts`;
const CONFIGURATION = `${ROOT}plugins/compose/config-types.ts`;
/** Nearly all that the document says. Builds and checks do not ask whether they have changed. */
const SOURCES = [
  'plugins/http/**/*.ts',
  'plugins/compose/{api,built-in-platforms,config-platforms,config-schema,config-values,platform-list}.ts',
  'core/errors.ts',
  'core/web-proof/trusted-notaries.ts',
  'adapters/*/options.ts',
  'tools/{client,config}-*.ts',
];

/** What instances ask of each other: nothing for clients. */
const FOR_INSTANCES = new Set(['notary']);
const HEAD = `/**
 * Types and operations of the API, written by \`npm run generate:client\` from its OpenAPI document. Do not edit: change the route
 * table instead.
 */
import type { CallOptions, Operation, Paged, Whole } from './types.ts';
`;

/** Writes all. In a process of its own, which resolves packages of this repository to their sources. */
export function writeClientApi(): void {
  const options = { cwd: ROOT, stdio: 'inherit' } as const;
  execFileSync(process.execPath, ['--conditions=credence-source', import.meta.filename], options);
}

/** Writes it if it is missing, or older than the routes. */
export function writeClientApiIfStale(): void {
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const written = Math.min(...[FILE, IN_PROCESS, CONFIGURATION].map(changedAt));
  if (globSync(SOURCES, { cwd: ROOT }).some((path) => changedAt(`${ROOT}${path}`) > written)) writeClientApi();
}

interface Api {
  readonly rows: ReadonlyMap<string, Found>;
  readonly webhooks: NonNullable<ApiDocument['webhooks']>;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

async function readApi(): Promise<Api> {
  // Loaded late: most of the library, which others that import this module need not have.
  const { createDocument, rowsOf } = await import('../hosts/cli/operations.ts');
  const { OPERATIONS: groups } = await import('../plugins/compose/api.ts');
  const document = await createDocument();
  return {
    rows: rowsOf(document),
    webhooks: document.webhooks ?? {},
    schemas: document.components?.schemas ?? {},
    groups,
  };
}

/** The interface of operations in process: as for clients, with points in time as `Date`. */
function instanceApi({ rows, schemas, groups }: Api): string {
  const writer = new Writer(schemas, 'in-process');
  const methods = Object.entries(groups).flatMap(([group, names]) => [
    `  readonly ${group}: {`,
    ...Object.entries(names).flatMap(([name, id]) => writer.method({ name, ...rowOf(rows, id) })),
    '  };',
  ]);
  return [
    '/** Operations in process, written by `npm run generate:client`. Do not edit: change the route table instead. */',
    "import type { ListPage } from '../client/types.ts';",
    "import type { CallOptions } from '../http/call-route.ts';",
    '',
    '/** The name of a platform: each instance has its own. */',
    'export type Platform = string;',
    '',
    ...writer.schemas(),
    '/** Every operation of the route table: `credence.brands.create({ name, slug })`. */',
    'export interface CredenceApi {',
    ...methods,
    '}',
    '',
  ].join('\n');
}

function rowOf(rows: Api['rows'], id: string): Found {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`OPERATIONS of plugins/compose/api.ts names ${id}, and no row has this id.`);
  return row;
}

function clientApi({ rows, webhooks, schemas, groups: named }: Api): string {
  const writer = new Writer(schemas, 'client');
  const groups: string[] = [];
  const table: string[] = [];
  for (const [group, names] of Object.entries(named)) {
    if (FOR_INSTANCES.has(group)) continue;
    // A callback is for a service that signs it, with a key that no client has.
    const found = Object.entries(names)
      .map(([name, id]) => ({ name, ...rowOf(rows, id) }))
      .filter(({ row }) => row.security?.length !== 0);
    groups.push(`  readonly ${group}: {`, ...found.flatMap((one) => writer.method(one)), '  };');
    table.push(`  ${group}: {`, ...found.map((one) => `    ${one.name}: ${writer.descriptor(one)},`), '  },');
  }
  const bodies = Object.entries(webhooks).map(([event, { post }]) => `  readonly '${event}': ${writer.body(post)};`);
  const errorCode = schemas.Error?.properties?.error?.properties?.code ?? {};
  return [
    HEAD,
    '/** Codes of refusals. */',
    `export type ErrorCode =${(errorCode.enum ?? []).map((code) => `\n  | '${String(code)}'`).join('')};`,
    '',
    '/** The name of a platform: each instance has its own. */',
    'export type Platform = string;',
    '',
    ...writer.schemas(),
    '/** The bodies of webhooks by the name of their event. */',
    'export interface WebhookBodies {',
    ...bodies,
    '}',
    '',
    '/** The operations of the API by resource. Each takes the fields of path, query and body in one object. */',
    'export interface ClientApi {',
    ...groups,
    '}',
    '',
    '/** @internal How each operation is sent. */',
    'export const OPERATIONS: { readonly [G in keyof ClientApi]: { readonly [N in keyof ClientApi[G]]: Operation } } = {',
    ...table,
    '};',
    '',
  ].join('\n');
}

if (import.meta.main) {
  const api = await readApi();
  const { configSchema } = await import('../plugins/compose/config-schema.ts');
  const texts = [
    [FILE, clientApi(api)],
    [IN_PROCESS, instanceApi(api)],
    [CONFIGURATION, configTypes(configSchema)],
  ] as const;
  for (const [file, text] of texts) {
    // In one step: a check and a build that run at the same time both write it, and read it.
    const next = `${file}.${process.pid}`;
    await writeFile(next, text);
    await rename(next, file);
  }
}
