/** Mutants that survive, read one by one: why no test has to notice them. */
import type { Explanation } from './evaluate.ts';

/** Everywhere. */
const WORDING: readonly Explanation[] = [
  {
    line: /\blogger\.(?:debug|info|warn|error)\(/,
    mutator: 'StringLiteral',
    replacement: '""',
    why: 'wording of a log line; that it is written, at which level and with which facts is tested where it matters',
  },
  {
    line: 'new RunLater(',
    mutator: 'StringLiteral',
    replacement: '""',
    why: 'why a job is put off, in words: nothing reads it but a debugger',
  },
];

/** core/engagement/webhooks, core/engagement/outbox-relay.ts */
const WEBHOOKS: readonly Explanation[] = [
  {
    file: 'core/engagement/webhooks/deliver-webhook.ts',
    line: 'delivery.nextTryAt !== null && delivery.nextTryAt > now',
    replacement: 'true',
    why: 'for the type checker: null is not later than any time',
  },
  {
    file: 'core/engagement/webhooks/deliver-webhook.ts',
    line: /(?:const (?:succeeded|gone) =|retryAfter:) outcome\.kind === 'answered'/,
    mutator: 'ConditionalExpression',
    replacement: 'true',
    why: 'for the type checker: an outcome without an answer has no status and no Retry-After either',
  },
  {
    file: 'core/engagement/webhooks/deliver-webhook.ts',
    line: "reason: 'protocol'",
    mutator: 'StringLiteral',
    why: 'for the type checker: the reason of a failure is read from outcomes of the transport only, for its figures',
  },
  {
    file: 'core/engagement/webhooks/signature.ts',
    line: 'timestamp === undefined',
    replacement: 'false',
    why: 'for the type checker: the pattern does not fit "undefined" either',
  },
  {
    file: 'core/engagement/outbox-relay.ts',
    line: /underWay\.delete\(work\)|work\.then\(forget, forget\)/,
    why: 'forgets work that has ended, for the memory; waiting for it as well ends at once',
  },
];

/** core/engagement/sweeps */
const SWEEPS: readonly Explanation[] = [
  {
    file: 'core/engagement/sweeps/comment-walk.ts',
    line: 'if (cursor !== null) circles.isNewCursor(cursor)',
    replacement: 'true',
    why: 'for the type checker: nothing compares a cursor to null',
  },
  {
    file: 'core/engagement/sweeps/comment-walk.ts',
    line: 'if (parentId !== null) inline.set(',
    replacement: 'true',
    why: 'for the type checker: nothing asks for the replies to no comment',
  },
  {
    file: 'core/engagement/sweeps/sweep-comments.ts',
    line: 'limit.reject(signal?.reason)',
    mutator: 'OptionalChaining',
    why: 'for the type checker: only a signal calls it',
  },
];

/** core/engagement/attempts */
const ATTEMPTS: readonly Explanation[] = [
  {
    file: 'core/engagement/attempts/verify-and-reward.ts',
    line: '?? { creator, handles: [] }',
    mutator: 'ArrayDeclaration',
    why: 'a further handle without a match changes nothing: the handles are looked up among the matches',
  },
];

export const EXPLANATIONS: readonly Explanation[] = [...WORDING, ...ATTEMPTS, ...WEBHOOKS, ...SWEEPS];
