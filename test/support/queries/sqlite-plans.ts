/** What SQLite plans for the statements that an adapter prepares. */
import Database from 'better-sqlite3';
import { vi } from 'vitest';

/** From now on, hands on the text of each statement prepared on a file of `paths` that may be written. Returns what ends it. */
export function recordStatements(paths: ReadonlySet<string>, record: (text: string) => void): () => void {
  const { prepare } = Database.prototype;
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database.Database,
    text: string,
  ) {
    if (paths.has(this.name) && !this.readonly) record(text.replaceAll(/\s+/g, ' ').trim());
    return prepare.call(this, text);
  } as typeof prepare);
  return () => spy.mockRestore();
}

export interface Plan {
  readonly text: string;
  readonly steps: readonly string[];
  /** Steps that read a whole table or index, or sort what was read. */
  readonly slow: readonly string[];
}

/** How many values a statement is tried with. */
const MOST_VALUES = 300;

/** The plans of statements on the tables of the schema, by an empty database of that schema. */
export function plansOf(db: Database.Database, texts: Iterable<string>): Plan[] {
  return [...new Set(texts)]
    .filter(
      (text) =>
        /^(SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text) && !/sqlite_schema|schema_migrations/.test(text),
    )
    .map((text) => {
      const steps = explained(db, text);
      return { text, steps, slow: steps.filter(isSlow) };
    });
}

/** The steps of statements on an empty database of a schema. */
export function stepsOf(schema: string, texts: readonly string[]): string[] {
  const db = new Database(':memory:');
  try {
    db.exec(schema);
    return plansOf(db, texts).flatMap(({ steps }) => steps);
  } finally {
    db.close();
  }
}

function explained(db: Database.Database, text: string): string[] {
  const statement = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
  for (let values = 0; ; values++) {
    try {
      return statement.all(...Array.from({ length: values }, () => null)).map(({ detail }) => detail);
    } catch (error) {
      if (values === MOST_VALUES || !(error instanceof RangeError)) throw error;
    }
  }
}

function isSlow(step: string): boolean {
  if (step.startsWith('USE TEMP B-TREE')) return true;
  return step.startsWith('SCAN ') && !/CONSTANT ROW|VALUES CLAUSE|VIRTUAL TABLE|\(subquery/.test(step);
}

/** Indexes of the schema that are not unique and that no plan uses. */
export function unusedIndexes(db: Database.Database, plans: readonly Plan[]): string[] {
  const steps = plans.flatMap((plan) => plan.steps).map((step) => `${step} `);
  const indexes = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%'")
    .pluck()
    .all();
  return indexes.filter((name) => !steps.some((step) => step.includes(`INDEX ${name} `)));
}
