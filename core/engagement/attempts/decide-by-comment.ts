/** What a comment that arrives decides. Pure, as the state machine. */
import type { OutboxEntry } from '../webhooks/outbox.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand, AttemptContext, Decision } from './attempt-command.ts';
import { decide } from './attempt-machine.ts';
import { rulesOf, takes } from './states.ts';
import { paysAtOnce } from './why-held.ts';

type RecordMatch = Extract<AttemptCommand, { readonly type: 'record-match' }>;

/**
 * Decides on an open attempt whose comment has arrived, up to the reward if the campaign pays at once, as one move. An attempt that was
 * not claimed is claimed by the comment. Unchanged if the attempt is over, or if the campaign takes no claims. One whose time is up
 * expires. If the challenge requires something of the account, the claim decides, and a comment begins it; one that an earlier check has
 * seen, at `seenAt`, does not.
 */
export function decideByComment(
  attempt: Attempt,
  { seenAt, ...match }: Omit<RecordMatch, 'type'> & { readonly seenAt: Date },
  context: AttemptContext,
): Decision {
  if (!rulesOf(attempt.state).open) return { kind: 'unchanged' };
  const isUndecided = attempt.recheck !== null && takes(attempt.state, 'recheck');
  const begin: AttemptCommand = isUndecided
    ? { type: 'recheck', isNews: true }
    : { type: 'claim', why: 'claimed by the comment' };
  if (context.challenge.requires) {
    const isNews = attempt.verificationDeadline === null || seenAt > attempt.updatedAt;
    return isNews && !takes(attempt.state, 'record-match') ? decide(attempt, begin, context) : { kind: 'unchanged' };
  }
  const commands: AttemptCommand[] = [
    ...(takes(attempt.state, 'record-match') ? [] : [begin]),
    { type: 'record-match', ...match },
    ...(paysAtOnce(context) ? [{ type: 'issue-reward' } as const] : []),
  ];
  let outbox: readonly OutboxEntry[] = [];
  let after = attempt;
  for (const command of commands) {
    const decision = decide(after, command, context);
    if (decision.kind !== 'moved') return after === attempt ? { kind: 'unchanged' } : decision;
    after = decision.after;
    // The next command follows at once, so no job has to start it.
    outbox = [...outbox.filter(({ kind }) => kind === 'event'), ...decision.outbox];
    if (rulesOf(after.state).terminal) break;
  }
  return { kind: 'moved', after: { ...after, revision: attempt.revision + 1 }, outbox };
}
