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
export class FailureRules {
  /** By number, the rule added last at the end. */
  readonly #entries = new Map<number, { readonly rule: FailureRule; hits: number }>();
  #added = 0;

  /** Returns the number that `remove` takes. */
  add(rule: FailureRuleInput): number {
    this.#added += 1;
    this.#entries.set(this.#added, { rule: failureRuleSchema.parse(rule), hits: 0 });
    return this.#added;
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The rule that hits this request, or null; counts the request against the rule's `times`. */
  take(request: RequestFacts): FailureRule | null {
    const entry = [...this.#entries.values()]
      .reverse()
      .find(({ rule, hits }) => matches(rule, request) && hits < (rule.times ?? Number.POSITIVE_INFINITY));
    if (entry === undefined) return null;
    entry.hits += 1;
    return entry.rule;
  }

  /** Whether posts, or this one, are kept from minors. */
  restrictsAge(contentId: string | undefined): boolean {
    return [...this.#entries.values()].some(
      ({ rule }) => rule.shape === 'age-restricted' && (rule.contentId ?? contentId) === contentId,
    );
  }
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
