/** The state of an instance, as `/readyz` and `Credence.health()` tell it. */
export interface Health {
  readonly ready: boolean;
  /**
   * `ok` or a short reason, by part: `lifecycle`, `storage`; with logged-in sessions `<platform>-sessions`, which does not
   * decide over `ready`.
   */
  readonly checks: Readonly<Record<string, string>>;
}
