/** The state of an instance, as `/readyz` and `Credence.health()` tell it. */
export interface Health {
  readonly ready: boolean;
  /** `ok` or a short reason, by part: `lifecycle`, `storage`. */
  readonly checks: Readonly<Record<string, string>>;
}
