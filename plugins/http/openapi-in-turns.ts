/** Builds the OpenAPI document without holding the event loop: one tag of the route table in each turn. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createOpenApiDocument, type OpenApiDocument, type OpenApiInfo } from './openapi.ts';
import { tagsFor } from './openapi-overview.ts';
import type { Route } from './route.ts';

type Members = Record<string, unknown>;

/** Builds the same document as `createOpenApiDocument`; only the order of its components may differ. */
export async function createOpenApiDocumentInTurns(
  routes: readonly Route[],
  info: OpenApiInfo,
): Promise<OpenApiDocument> {
  const { webhooks: _, ...partInfo } = info;
  const document = createOpenApiDocument([], info);
  const paths: Record<string, Members> = Object.fromEntries(routes.map(({ path }) => [path, {}]));
  const components: Record<string, Members> = { ...(document.components as Record<string, Members>) };
  const tags = new Set(document.tags?.map(({ name }) => name));
  for (const [tag, group] of Map.groupBy(routes, (route) => route.tag)) {
    await nextTurn();
    const part = createOpenApiDocument(group, partInfo);
    tags.add(tag);
    for (const [path, item] of Object.entries(part.paths ?? {})) paths[path] = { ...paths[path], ...item };
    for (const [kind, members] of Object.entries(part.components as Record<string, Members>)) {
      const known = components[kind] ?? {};
      // A schema may be named differently if requests and answers of other tags use it; then only the whole table decides.
      const isAmbiguous = Object.entries(members).some(
        ([name, member]) => Object.hasOwn(known, name) && !isDeepStrictEqual(known[name], member),
      );
      if (isAmbiguous) return createOpenApiDocument(routes, info);
      components[kind] = { ...known, ...members };
    }
  }
  return { ...document, tags: tagsFor(tags), paths, components } as OpenApiDocument;
}
