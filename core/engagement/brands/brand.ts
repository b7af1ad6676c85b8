/** Brands own campaigns and webhooks (docs/specification/engagement.md#brand). */
export interface Brand {
  readonly id: number;
  readonly name: string;
  /** Unique; `^[a-z0-9-]+$`. */
  readonly slug: string;
  readonly logoUrl: string | null;
  readonly createdAt: Date;
}
