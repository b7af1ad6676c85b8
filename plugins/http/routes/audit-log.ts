/** The log of what administrators did. */
import { z } from 'zod';
import type { NamedAuditEntry } from '../../../core/access/audit.ts';
import type { Access } from '../../../core/access/index.ts';
import { ROLES } from '../../../core/access/token.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { type ListOrder, readListPage } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { instant, pageOf, pageQuery, text, timestamp } from '../schemas.ts';

const NEWEST_FIRST: ListOrder<NamedAuditEntry> = { by: 'at', positionOf: ({ id, at }) => ({ id, at }) };

const state = (when: string) =>
  z.unknown().meta({ description: `The target ${when}, without secrets; null if there was none.` });

const entry = z
  .object({
    id: z.int(),
    at: timestamp,
    actor: z.string().meta({
      description:
        '`token:` and the id of a token, `token:configured` (`ADMIN_TOKEN`), `in-process`, or the key that the host gave its caller.',
    }),
    actorName: z.string().nullable().meta({ description: 'The name of the token; null for other callers.' }),
    role: z.enum(ROLES),
    operation: z.string().meta({ description: 'The `operationId`.' }),
    target: z.string().nullable().meta({
      description: 'Kind and id, for example `campaign:3`; null for something that was not made.',
    }),
    outcome: z.enum(['succeeded', 'refused', 'unknown']).meta({
      description: '`unknown`: it runs, or the process or the storage failed before its end.',
    }),
    error: z.string().nullable().meta({ description: 'The code of a refusal.' }),
    before: state('before'),
    after: state('after'),
    requestId: z.string(),
  })
  .meta({ id: 'AuditEntry' });

const query = pageQuery.extend({
  actor: text(200).optional(),
  operation: text(100).optional(),
  target: text(200).optional().meta({ example: 'campaign:3' }),
  requestId: text(200).optional().meta({ description: 'Entries of this request.' }),
  from: instant.optional().meta({ description: 'Entries from this time on.' }),
  to: instant.optional().meta({ description: 'Entries before this time.' }),
});

export function createAuditLogRoutes({ audit }: Pick<Access, 'audit'>) {
  return [
    defineRoute('listAuditLog', 'GET /admin/audit-log', {
      tag: 'Tokens',
      summary: 'What administrators and brands changed',
      description:
        'Newest first. An entry is stored before its action and gets the outcome after it; nothing runs without one.',
      access: 'admin',
      brand: 'none',
      query,
      responses: { 200: { description: 'A page of entries.', schema: pageOf(entry) } },
      handle: async ({ query: { actor, operation, target, requestId, from, to, ...page } }) => {
        const filter = { actor, operation, target, requestId, from, to };
        const read = (request: PageRequest) => audit.list(filter, request);
        return reply(200, await readListPage(page, read, NEWEST_FIRST));
      },
    }),
  ];
}
