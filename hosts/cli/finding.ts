/** What one check of `credence doctor` says. */
export interface Finding {
  readonly name: string;
  readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
}
