/** Records the actions of administrators: a row of the route table names in its field `audit` what it changes. */
import type { Audit, AuditKind } from '../../core/access/audit.ts';
import type { Reply, Route, RouteInput } from './route.ts';

/** Which placeholder of a path names a thing. */
const PLACEHOLDERS: Readonly<Record<AuditKind, string>> = {
  brand: 'brandId',
  brandConnection: 'connectionId',
  campaign: 'id',
  challenge: 'challengeId',
  attempt: 'attemptId',
  webhook: 'webhookId',
  token: 'tokenId',
  creator: 'userId',
  job: 'job',
};

/** Runs the handler of a row, and records it if the row is audited and its caller is an administrator or a brand. */
export function audited(
  { id: operation, audit: kind }: Pick<Route, 'id' | 'audit'>,
  { caller, params, body, requestId }: RouteInput<unknown, unknown, unknown>,
  audit: Audit | undefined,
  run: () => Promise<Reply>,
): Promise<Reply> {
  if (!kind || audit === undefined || (caller?.role !== 'admin' && caller?.role !== 'brand')) return run();
  const id = fieldOf(params, PLACEHOLDERS[kind]);
  const externalId = kind === 'creator' ? fieldOf(body, 'externalId') : undefined;
  const action = {
    caller,
    operation,
    kind,
    id: typeof id === 'number' || typeof id === 'string' ? id : undefined,
    externalId: typeof externalId === 'string' ? externalId : undefined,
    requestId,
  };
  return audit(action, run, (reply) => createdId(reply, kind));
}

/** The id of what was created: of `data`, or of the part of it that has the name of its kind. */
function createdId({ body }: Reply, kind: AuditKind): number | undefined {
  const data = fieldOf(body, 'data');
  const id = fieldOf(fieldOf(data, kind === 'creator' ? 'user' : kind), 'id') ?? fieldOf(data, 'id');
  return typeof id === 'number' ? id : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
