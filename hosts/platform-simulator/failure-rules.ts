import { type FailureRule, type FailureRuleInput, failureRuleSchema } from './world-inputs.ts';

/** What is known about a request when a failure is looked up for it. */
export interface RequestFacts {
  readonly platform: FailureRule['platform'];
  readonly endpoint: string;
  readonly contentId?: string | undefined;
  readonly handle?: string | undefined;
  readonly session?: string | undefined;
  /** The platform's own site when left out. */
  readonly via?: FailureRule['via'];
}

/** The failures that are switched on. The rule added last is looked at first. */
export interface FailureRules {
  /** Returns the number that `remove` takes. */
  add(rule: FailureRuleInput): number;
  remove(id: number): boolean;
  clear(): void;
  /** The rule that hits this request, or null; counts the request against the rule's `after` and `times`. */
  take(request: RequestFacts): FailureRule | null;
  list(): readonly { readonly id: number; readonly hits: number; readonly rule: FailureRule }[];
}

interface Entry {
  readonly id: number;
  readonly rule: FailureRule;
  seen: number;
  hits: number;
}

export function createFailureRules(): FailureRules {
  let nextId = 1;
  let entries: readonly Entry[] = [];

  return {
    add(input) {
      const rule = failureRuleSchema.parse(input);
      const id = nextId;
      nextId += 1;
      entries = [{ id, rule, seen: 0, hits: 0 }, ...entries];
      return id;
    },
    remove(id) {
      const before = entries.length;
      entries = entries.filter((entry) => entry.id !== id);
      return entries.length < before;
    },
    clear() {
      entries = [];
    },
    take(request) {
      for (const entry of entries) {
        if (!matches(entry.rule, request)) continue;
        if (entry.rule.times !== undefined && entry.hits >= entry.rule.times) continue;
        entry.seen += 1;
        if (entry.seen <= entry.rule.after) continue;
        entry.hits += 1;
        return entry.rule;
      }
      return null;
    },
    list: () => entries.map(({ id, hits, rule }) => ({ id, hits, rule })),
  };
}

function matches(rule: FailureRule, request: RequestFacts): boolean {
  return (
    rule.platform === request.platform &&
    (rule.via === undefined || rule.via === (request.via ?? 'own')) &&
    (rule.endpoint === undefined || rule.endpoint === request.endpoint) &&
    (rule.contentId === undefined || rule.contentId === request.contentId) &&
    (rule.handle === undefined || rule.handle.toLowerCase() === request.handle?.toLowerCase()) &&
    (rule.session === undefined || rule.session === request.session)
  );
}
