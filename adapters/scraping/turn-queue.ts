/** The requests that wait for one rate. Callers take turns; each caller's own requests go in the order in which they came. */
export class TurnQueue<T> {
  /** The first caller has the next turn. */
  readonly #byCaller = new Map<string | undefined, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many requests of one caller wait. */
  sizeOf(caller: string | undefined): number {
    return this.#byCaller.get(caller)?.size ?? 0;
  }

  /** A caller of whom nothing waits comes behind the others. */
  add(caller: string | undefined, request: T): void {
    const own = this.#byCaller.get(caller) ?? new Set<T>();
    this.#byCaller.set(caller, own.add(request));
    this.#size += 1;
  }

  /** Returns false if the request does not wait. */
  remove(caller: string | undefined, request: T): boolean {
    const own = this.#byCaller.get(caller);
    if (own?.delete(request) !== true) return false;
    if (own.size === 0) this.#byCaller.delete(caller);
    this.#size -= 1;
    return true;
  }

  /** Whether a caller with a waiting request may go. */
  some(mayGo: (caller: string | undefined) => boolean): boolean {
    return [...this.#byCaller.keys()].some(mayGo);
  }

  /** Takes the next request out and puts its caller behind the others. Callers that may not go keep their place. */
  next(mayGo: (caller: string | undefined) => boolean): T | undefined {
    for (const [caller, own] of this.#byCaller) {
      const [request] = own;
      if (request === undefined || !mayGo(caller)) continue;
      this.remove(caller, request);
      if (this.#byCaller.delete(caller)) this.#byCaller.set(caller, own);
      return request;
    }
    return undefined;
  }

  /** How many requests go before one that this caller adds now, if nobody else adds any. */
  ahead(caller: string | undefined, mayGo: (caller: string | undefined) => boolean): number {
    const own = this.sizeOf(caller);
    let count = own;
    // Callers before this one, and all if nothing of this one waits yet, have a turn more.
    let turns = own + 1;
    for (const [other, waiting] of this.#byCaller) {
      if (other === caller) turns = own;
      else if (mayGo(other)) count += Math.min(waiting.size, turns);
    }
    return count;
  }

  /** Takes all requests out. */
  clear(): readonly T[] {
    const all = [...this.#byCaller.values()].flatMap((own) => [...own]);
    this.#byCaller.clear();
    this.#size = 0;
    return all;
  }
}
